"""The process in which a game of another package is tried, and what asks for it.

An endless loop, a demand for all memory or a crash then costs nothing but the game. Its rules and parts are tried
before they are loaded; its compiled rules once on a machine for each version of the package, before a search first
uses them: there every index is checked. What holds is noted beside the compiled kernels.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import NamedTuple

import msgspec

from nimdesk import compiler_process
from nimdesk.errors import GameParameterError, NimdeskError, RulesError, quoted
from nimdesk.faults import one_line
from nimdesk.games.base import Game
from nimdesk.games.kit import KITS, kernel_of, parse_game, register
from nimdesk.plugins.check import BrokenPromiseError, check_game, check_parts, check_solver, fault_of, made_kit
from nimdesk.plugins.process import Begun, Failed, HostError, HostProcess, Ready, host_command
from nimdesk.plugins.side import Conversation, limit_memory

_MEMORY_MB = 4096
_COMPILED_S = 120.0
_ENDLESS_S = 20.0
_TRIED_S, _COMPARED_S = 1.0, 2.0
_GAMES = 5
_POLL_S = 0.05
_trying = Lock()
_faults: dict[str, str] = {}
"""What was found, by reference: it takes as long to find it again."""


def command_of(what: str, name: str, reference: str, text: str = "") -> tuple[str, ...]:
    """The command for a process that tries a game: ``what`` is "rules", "parts", both as "load", "solver" or "kernel".

    ``reference`` names its kit as ``module:attribute``; "" for a game of nimdesk's own. It is tried on the game that
    ``text`` names, or on the presets.
    """
    return host_command(__name__, what, name, reference, text)


class Found(NamedTuple):
    """What a trial found wrong, as a clause that follows the name of the game, or ""; and whether it had anything to
    try: most parts are optional.
    """

    fault: str
    tried: bool = True


def find(what: str, name: str, reference: str, text: str = "") -> Found:
    """Try it as ``command_of`` says, and wait.

    ``NimdeskError`` if no process can be started, ``CompilationEndedError`` once nothing is to be compiled any more.
    """
    compiler_process.check_wanted()
    try:
        host = HostProcess(command_of(what, name, reference, text), quiet=True)
    except HostError as error:
        raise NimdeskError(f"The trial of the game {quoted(name)} {error}.") from error
    try:
        while (answer := host.receive(_POLL_S)) is None:
            compiler_process.check_wanted()
            seconds = _ENDLESS_S if host.begun else _COMPILED_S
            if host.own_age_s > seconds:
                doing = "a few games" if host.begun else "compiling"
                return Found(f"did not come to the end of {doing} within {seconds:g} s")
    except HostError as error:
        return Found(str(error))
    finally:
        host.kill()
    return Found("", isinstance(answer, Ready) and bytes(answer.words) == b"true")


def try_kernel(name: str, reference: str) -> None:
    """Wait until the compiled rules of this game were tried; ``RulesError`` says what is wrong with them."""
    from nimdesk.kernels import CACHE  # lazy: in the process where they are tried it is not yet time
    from nimdesk.kernels.memory.held import sources_of

    mark = f"tried {name} {sources_of(reference.partition(':')[0])[:16]}"
    with _trying:
        why = _faults.get(reference, "")
        if not why and not CACHE.has(mark):
            why = find("kernel", name, reference).fault
            if why:
                _faults[reference] = why
            else:
                CACHE.note(mark)
    if why:
        raise RulesError(f"The trial of the compiled rules of {quoted(name)} {why.rstrip('.')}.")


def main(what: str, name: str, reference: str, text: str) -> None:
    """Try the game, and say what is wrong with it."""
    if what == "kernel":
        os.environ["NIMDESK_BOUNDS_CHECK"] = "1"
    trial = _Trial(Conversation())
    limit_memory(_MEMORY_MB)
    if what != "kernel":
        trial.begin()
    why = fault_of(partial(trial.load, name, reference, text))
    doing = "cannot be loaded:" if why else "failed:" if what == "kernel" else "cannot be played:"
    for step in () if why else _STEPS[what]:
        why = why or fault_of(partial(step, trial))
    if what == "kernel":
        _drop_cache()
    trial.say(Failed(f"{doing} {why}"[:1000]) if why else Ready(msgspec.Raw(msgspec.json.encode(trial.tried))))


class _Trial:
    """What is tried in this process: a kit, and games of it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation, self._begun = conversation, False
        self.games: list[Game] = []
        self.tried = False

    def say(self, line: Begun | Failed | Ready) -> None:
        self._conversation.say(msgspec.json.encode(line))

    def begin(self) -> None:
        """From now on the game's own code has its seconds."""
        if not self._begun:
            self._begun = True
            self.say(Begun())

    def load(self, name: str, reference: str, text: str) -> None:
        if reference:
            register(made_kit(name, reference))
        self.kit = KITS[name]
        self.games = [parse_game(text)] if text else [preset.game for preset in self.kit.presets]

    def rules(self) -> None:
        for game in self.games:
            check_game(game, self.kit.name, self.kit.game_type.parse, seconds=_TRIED_S / len(self.games), games=_GAMES)
            self.tried = True

    def parts(self) -> None:
        for game in self.games:
            check_parts(self.kit, game)
            self.tried = True

    def solver(self) -> None:
        for game in self.games if self.kit.new_solver is not None else ():
            check_solver(self.kit, game)
            self.tried = True

    def kernel(self) -> None:
        from nimdesk.kernels.jit import UncompiledError  # lazy: bounds checks are wanted before numba is loaded
        from nimdesk.plugins.kernel_check import Comparison, check_kernel

        try:
            # A preset may be too large for the searches; the game itself is not.
            for game in self.games if self.kit.load_kernel is not None else ():
                with suppress(GameParameterError):
                    Comparison(kernel_of(game), game.start())
                    self.begin()
                    seconds = _COMPARED_S / len(self.games)
                    check_kernel(kernel_of(game), game.start(), seconds=seconds, games=2 * _GAMES)
                    self.tried = True
        except UncompiledError as error:
            raise BrokenPromiseError(f"they cannot be compiled: {one_line(error)}") from error


_STEPS: dict[str, tuple[Callable[[_Trial], None], ...]] = {
    "load": (_Trial.rules, _Trial.parts),
    "rules": (_Trial.rules,),
    "parts": (_Trial.parts,),
    "solver": (_Trial.solver,),
    "kernel": (_Trial.kernel,),
}


def _drop_cache() -> None:
    from nimdesk.kernels import CACHE  # lazy, as above

    if not CACHE.is_kept:
        shutil.rmtree(CACHE.folder, ignore_errors=True)
