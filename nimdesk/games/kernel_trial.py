"""Compiled rules of another package, tried in a process of their own before a search runs them here.

There every index is checked, and what they say is compared with the rules in Python (``kernel_check``). What holds is
noted beside the compiled kernels, so that each version of a package is tried once on a machine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from nimdesk import compiler_process
from nimdesk.errors import NimdeskError, RulesError, quoted
from nimdesk.faults import fault_words, one_line
from nimdesk.games.base import Game
from nimdesk.games.check import rules_of
from nimdesk.games.installed import made_kit
from nimdesk.games.kit import kernel_of, parse_game, register
from nimdesk.games.parts import held
from nimdesk.plugin_process import INTRODUCTION_S, Begun, Failed, HostError, HostProcess, Ready, host_command
from nimdesk.plugin_side import Conversation, limit_memory

_MEMORY_MB = 4096
_COMPILED_S = 120.0
_TRIED_S = 2.0
_GAMES = 10
_POLL_S = 0.05


def try_kernel(name: str, reference: str, game: Game, rules: Any) -> None:
    """Wait until the compiled rules that ``reference`` names were tried, on this game and the presets.

    ``rules`` are some that they made. ``RulesError`` says what is wrong; ``CompilationEndedError`` once nothing is to
    be compiled any more.
    """
    from nimdesk.kernels import CACHE  # lazy, as below: in the process where they are tried it is not yet time
    from nimdesk.kernels.memory.held import hold

    mark = f"tried {hold(rules).kind.name}"  # with a digest of all that the package has
    if CACHE.has(mark):
        return
    if why := _fault(host_command(__name__, name, reference, game.text)):
        raise RulesError(f"The compiled rules of {quoted(name)} {why.rstrip('.')}.")
    CACHE.note(mark)


def _fault(command: Sequence[str]) -> str:
    """What is wrong, as a clause, or ""."""
    host = HostProcess(command, quiet=True)
    try:
        while host.receive(_POLL_S) is None:
            compiler_process.check_wanted()
            seconds = INTRODUCTION_S if host.begun else _COMPILED_S
            if host.own_age_s > seconds:
                return f"were not {'tried out' if host.begun else 'compiled'} within {seconds:g} s"
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
    from nimdesk.games.kernel_check import Comparison, check_kernel  # lazy: they read what was just set
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
            with rules_of(name, "The compiled rules"):
                check_kernel(kernel, each.start(), seconds=_TRIED_S / len(games), games=_GAMES)
    except UncompiledError as error:
        conversation.say(msgspec.json.encode(Failed(f"cannot be compiled: {one_line(error)}"[:1000])))
    except NimdeskError as error:
        sentence = str(error)
        why = sentence.partition(" failed: ")[2] or sentence  # who is to blame the other side says
        conversation.say(msgspec.json.encode(Failed(f"failed: {why}"[:1000])))
    except BaseException as error:
        conversation.say(msgspec.json.encode(Failed(f"failed: {fault_words(error)}")))
    else:
        conversation.say(msgspec.json.encode(Ready()))
