"""Compiled rules of another package, tried in a process of their own before a search runs them here.

There every index is checked, and what they say is compared with the rules in Python (``kernel_check``). What holds is
noted beside the compiled kernels, so that each version of a package is tried once on a machine.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

import msgspec

from nimdesk import compiler_process
from nimdesk.errors import GameParameterError, NimdeskError, RulesError, quoted
from nimdesk.faults import fault_words, one_line
from nimdesk.games.base import Game
from nimdesk.games.check import rules_of
from nimdesk.games.installed import made_kit
from nimdesk.games.kit import kernel_of, parse_game, register
from nimdesk.games.parts import held
from nimdesk.plugins.process import Begun, Failed, HostError, HostProcess, Ready, host_command
from nimdesk.plugins.side import Conversation, limit_memory

_MEMORY_MB = 4096
_COMPILED_S = 120.0
_ENDLESS_S = 20.0
_TRIED_S = 2.0
_GAMES = 10
_POLL_S = 0.05


def try_kernel(name: str, reference: str, game: Game, kind: str) -> None:
    """Wait until the compiled rules that ``reference`` names were tried, on this game and the presets.

    ``kind`` names the type of their tuple. ``RulesError`` says what is wrong, another ``NimdeskError`` why they cannot
    be tried now; ``CompilationEndedError`` once nothing is to be compiled any more.
    """
    from nimdesk.kernels import CACHE  # lazy, as below: in the process where they are tried it is not yet time
    from nimdesk.kernels.memory.held import sources_of

    mark = f"tried {name} {kind} {sources_of(reference.partition(':')[0])[:16]}"
    if CACHE.has(mark):
        return
    compiler_process.check_wanted()
    try:
        host = HostProcess(host_command(__name__, name, reference, game.text), quiet=True)
    except HostError as error:
        raise NimdeskError(f"The trial of the compiled rules of {quoted(name)} {error}.") from error
    if why := _fault(host):
        raise RulesError(f"The trial of the compiled rules of {quoted(name)} {why.rstrip('.')}.")
    CACHE.note(mark)


def _fault(host: HostProcess) -> str:
    """What is wrong, as a clause about the trial, or ""."""
    try:
        while host.receive(_POLL_S) is None:
            compiler_process.check_wanted()
            seconds = _ENDLESS_S if host.begun else _COMPILED_S
            if host.own_age_s > seconds:
                return f"did not come to the end of {'a few games' if host.begun else 'compiling'} within {seconds:g} s"
    except HostError as error:
        return str(error)
    finally:
        host.kill()
    return ""


def main(name: str, reference: str, text: str) -> None:
    """Try them, and say what is wrong with them."""
    os.environ["NIMDESK_BOUNDS_CHECK"] = "1"
    conversation = Conversation()
    limit_memory(_MEMORY_MB)
    from nimdesk.kernels import CACHE  # lazy: it reads what was just set

    found = _tried(conversation, name, reference, text)
    if not CACHE.is_kept:
        shutil.rmtree(CACHE.folder, ignore_errors=True)
    conversation.say(msgspec.json.encode(found))


def _tried(conversation: Conversation, name: str, reference: str, text: str) -> Ready | Failed:
    from nimdesk.games.kernel_check import Comparison, check_kernel  # lazy, as said
    from nimdesk.kernels.jit import UncompiledError

    try:
        kit = held(made_kit(name, reference))
        register(kit)
        game = parse_game(text)
        games = [game, *(preset.game for preset in kit.presets if preset.game != game)]
        kernel = kernel_of(game)
        Comparison(kernel, game.start())
        conversation.say(msgspec.json.encode(Begun()))
        for each in games:
            # A preset may be too large for the searches; the game itself is not.
            with suppress(GameParameterError), rules_of(name, "The compiled rules"):
                check_kernel(kernel, each.start(), seconds=_TRIED_S / len(games), games=_GAMES)
    except UncompiledError as error:
        return Failed(f"failed: they cannot be compiled: {one_line(error)}"[:1000])
    except NimdeskError as error:
        sentence = str(error)
        why = sentence.partition(" failed: ")[2] or sentence  # who is to blame the other side says
        return Failed(f"failed: {why}"[:1000])
    except BaseException as error:
        return Failed(f"failed: {fault_words(error)}")
    return Ready()
