"""nimdesk as a program of Gomocup: what it answers to each line of a manager."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Thread

from nimdesk.agents.agent import Agent
from nimdesk.agents.gomocup.clock import Clock
from nimdesk.agents.gomocup.stones import (
    FREE_STYLE,
    OTHER,
    OWN,
    CommandError,
    Stone,
    cell_of,
    cell_text,
    game_of,
    position_of,
)
from nimdesk.agents.opening_rules import CHOICES, balanced, choice_of
from nimdesk.errors import NimdeskError, quoted
from nimdesk.games import AnyPosition, Move
from nimdesk.games.kit import preferences
from nimdesk.games.mnk.rules import MnkGame
from nimdesk.limit import Limit
from nimdesk.search import Searcher, Snapshot
from nimdesk.search.options import MAX_ITERATIONS, MAX_THREADS
from nimdesk.search.worth import expected_score
from nimdesk.version import __version__

ABOUT = f'name="nimdesk", version="{__version__}", www="https://github.com/nimdesk/nimdesk"'
PROGRAM_MB = 230
"""What the program takes with its libraries and kernels, apart from the tree of a search."""
_FEWEST_TREE_MB = 16
# What "as fast as possible" is: some milliseconds, in compiled code and in Python.
_FEW, _FEW_IN_PYTHON = 1_000, 10
# How much of a move's time is spent on waiting for compiled code, before the same search in Python stands in.
_PATIENCE = 0.5
# A search that can prove things loads its solver late.
_LOADING_S = 0.3
_SLICE_S = 0.01


class Brain:
    """One conversation with a manager, line by line."""

    def __init__(
        self, agent: Agent, say: Callable[[str], object], hurry: Event, waits: Callable[[], bool] = lambda: True
    ) -> None:
        """``say`` sends a line. Once ``hurry`` is set, whatever is still searched ends at once.

        ``waits`` is asked after START: whether the manager waits for OK, as is right. If it goes on, so does this, and
        loads what a search needs meanwhile.
        """
        self._agent, self._say, self._hurry, self._waits = agent, say, hurry, waits
        self._loaded = Event()
        self._clock = Clock()
        self._size: tuple[int, int] | None = None
        self._rule = FREE_STYLE
        self._max_memory = 0
        self._max_node: int | None = None
        self._threads: int | None = None
        self._stones: list[Stone] = []
        # The lines between BOARD or SWAP2BOARD and DONE, and when that command came.
        self._lines: list[str] | None = None
        self._finish: Callable[[list[str], float], object] = self._board
        self._since = 0.0
        self._commands: dict[str, Callable[[str, float], object]] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": lambda _text, at: self._move(at),
            "TURN": self._turn,
            "PLAY": self._play,
            "BOARD": partial(self._listen, self._board),
            "SWAP2BOARD": partial(self._listen, self._swap2board),
            "TAKEBACK": self._takeback,
            "INFO": self._info,
            "ABOUT": lambda _text, _at: self._say(ABOUT),
        }

    def hear(self, line: str, at: float) -> None:
        """Do what a line says that came ``at`` this time of ``time.monotonic``; END is for whoever reads the lines."""
        text = line.strip()
        word, _, rest = text.partition(" ")
        if self._lines is not None:
            self._listed(text)
        elif text:
            self._obey(word, rest.strip(), at)

    def _obey(self, word: str, rest: str, at: float) -> None:
        command = self._commands.get(word.upper())
        if command is None:
            self._say(f"UNKNOWN command {quoted(word)}")
            return
        self._answer(partial(command, rest, at))

    def _answer(self, work: Callable[[], object]) -> None:
        try:
            work()
        except NimdeskError as error:
            self._say(f"ERROR {error}")

    # The board

    def _start(self, text: str, _at: float) -> None:
        self._begin(text, text)

    def _rectstart(self, text: str, _at: float) -> None:
        width, _, height = text.partition(",")
        self._begin(width.strip(), height.strip())

    def _begin(self, width: str, height: str) -> None:
        if not (width.isdecimal() and height.isdecimal()):
            raise CommandError("the size of the board is missing; write START 15, or RECTSTART 15,13")
        columns, rows = int(width), int(height)
        # The rule may be told later, so it is looked at with the first move.
        game = game_of(columns, rows, FREE_STYLE)
        self._size, self._stones = (columns, rows), []
        self._load(game.start())
        self._say("OK")

    def _load(self, position: AnyPosition) -> None:
        """Load kernels and solvers in a thread, and wait for that as long as the manager does."""
        agent = self._searching(position, timed=True)
        self._loaded = loaded = Event()

        def load() -> None:
            try:
                searcher = agent.new_searcher(position)
                searcher.start(position, 0)
                self._advance(searcher, time.monotonic() + _LOADING_S)
            except NimdeskError:
                pass  # the first search says it
            finally:
                loaded.set()

        Thread(target=load, name="nimdesk-loading", daemon=True).start()
        while not loaded.wait(_SLICE_S) and self._waits():
            pass

    def _restart(self, _text: str, _at: float) -> None:
        self._game()
        self._stones = []
        self._say("OK")

    def _game(self) -> MnkGame:
        if self._size is None:
            raise CommandError("there is no board yet; send START or RECTSTART first")
        return game_of(*self._size, self._rule)

    def _takeback(self, text: str, _at: float) -> None:
        cell = cell_of(text, self._game())
        left = [stone for stone in self._stones if stone.move != cell]
        if len(left) == len(self._stones):
            raise CommandError(f"there is no stone on {quoted(text)}")
        self._stones = left
        self._say("OK")

    def _put(self, text: str, whose: int) -> None:
        cell = cell_of(text, self._game())
        if any(stone.move == cell for stone in self._stones):
            raise CommandError(f"there is a stone on {quoted(text)} already")
        self._stones.append(Stone(cell, whose))

    # Lists of stones

    def _listen(self, finish: Callable[[list[str], float], object], _text: str, at: float) -> None:
        self._lines, self._finish, self._since = [], finish, at

    def _listed(self, text: str) -> None:
        assert self._lines is not None
        if text.upper() != "DONE":
            self._lines.append(text)
            return
        lines, self._lines = [each for each in self._lines if each], None
        self._answer(partial(self._finish, lines, self._since))

    def _board(self, lines: list[str], at: float) -> None:
        self._stones = []
        for line in lines:
            cell, _, whose = line.rpartition(",")
            if line.count(",") != 2 or whose.strip() not in ("1", "2"):
                problem = "continuous games are not played" if whose.strip() == "3" else "write x,y,1 or x,y,2"
                raise CommandError(f"{quoted(line)} is not understood: {problem}")
            self._put(cell, int(whose))
        self._move(at)

    def _swap2board(self, lines: list[str], at: float) -> None:
        game = self._game()
        if len(lines) not in (0, 3, 5):
            raise CommandError(f"swap2 asks with 0, 3 or 5 stones, not with {len(lines)}")
        self._stones = []
        for number, line in enumerate(lines):
            self._put(line, OTHER if number % 2 == 0 else OWN)
        position: AnyPosition = game.start()
        for stone in self._stones:
            position = position.play(stone.move)
        search_s = self._clock.search_s

        def look(asked: AnyPosition, share: float) -> Snapshot:
            until = None if search_s is None else min(time.monotonic() + search_s * share, at + search_s)
            return self._search(asked, until)

        moves = self._opened(position, look)
        self._tell(" ".join(cell_text(move, game) for move in moves) or "SWAP", search_s, at)

    def _opened(self, position: AnyPosition, look: Callable[[AnyPosition, float], Snapshot]) -> Sequence[Move]:
        """The stones that answer none, three or five; none if it swaps. ``look`` searches in a share of the time.

        Whoever answers has White, who is to move after three stones and after five, as long as it does not swap.
        """
        stones = len(position.moves)
        if stones:
            snapshot = look(position, 0.4 if stones == 3 else 1.0)
            choice = choice_of(expected_score(snapshot), CHOICES[: 3 if stones == 3 else 2])
            if choice != "more":
                return () if choice == "swap" or snapshot.best_move is None else (snapshot.best_move,)
        more, share = (2, 0.6) if stones else (3, 1.0)
        dice = random.Random(self._agent.new_seed())
        after = balanced(position, more, lambda asked: look(asked, share), dice)
        return after.moves[stones:]

    # Moves

    def _turn(self, text: str, at: float) -> None:
        self._put(text, OTHER)
        self._move(at)

    def _play(self, text: str, _at: float) -> None:
        self._put(text, OWN)
        self._say(cell_text(self._stones[-1].move, self._game()))

    def _move(self, at: float) -> None:
        game = self._game()
        position = position_of(self._stones, game)
        search_s = self._clock.search_s
        snapshot = self._search(position, None if search_s is None else at + search_s)
        move = snapshot.best_move
        if move is None:
            liked = dict(zip(position.legal_moves, preferences(position), strict=True))
            move = max(position.winning_moves or position.legal_moves, key=liked.__getitem__)
        text = cell_text(move, game)
        self._put(text, OWN)
        self._say(f"MESSAGE {_thoughts(snapshot, game)}")
        self._tell(text, search_s, at)

    def _tell(self, answer: str, search_s: float | None, at: float) -> None:
        self._say(answer)
        self._clock.spent(search_s, time.monotonic() - at)

    def _search(self, position: AnyPosition, until: float | None) -> Snapshot:
        """Search until this time of ``time.monotonic``, or to the agent's own end; at least a little."""
        agent = self._searching(position, timed=until is not None)
        compiled = agent.info.make_textbook is None or self._wait_for_kernels(until)
        searcher = agent.new_searcher(position) if compiled else agent.new_recording()
        searcher.start(position, agent.new_seed())
        self._advance(searcher, until)
        if self._hurry.is_set() or (until is not None and time.monotonic() >= until):
            searcher.advance(agent.counted(_FEW if compiled else _FEW_IN_PYTHON))
        return searcher.snapshot()

    def _wait_for_kernels(self, until: float | None) -> bool:
        """Whether compiled code is there, within a share of the time."""
        last = math.inf if until is None else time.monotonic() + _PATIENCE * (until - time.monotonic())
        while not self._loaded.wait(_SLICE_S):
            if self._hurry.is_set() or time.monotonic() >= last:
                return False
        return True

    def _advance(self, searcher: Searcher, until: float | None) -> None:
        """Search on by the clock on the wall, which is the manager's, and mind how late a slice has ended."""
        began, late_s = time.monotonic(), 0.0
        while not self._hurry.is_set():
            now = time.monotonic()
            left_s = math.inf if until is None else until - now
            if left_s <= late_s:
                return
            slice_s = min(_SLICE_S, left_s)
            if searcher.advance(Limit(time_s=now - began + slice_s)) is not None:
                return
            late_s = max(late_s, time.monotonic() - now - slice_s)

    def _searching(self, position: AnyPosition, *, timed: bool) -> Agent:
        """The agent with what INFO said; a time takes the place of a budget, unless that was asked for."""
        agent, traits = self._agent, self._agent.traits
        if self._max_node is not None:
            agent = agent.with_budget(self._max_node, position)
        elif timed and not traits.limits & agent.changed_options.keys():
            agent = agent.unlimited().with_seed(agent.seed)
        changed: dict[str, object] = {}
        if self._max_memory and traits.memory is not None:
            left_mb = self._max_memory // 2**20 - PROGRAM_MB
            if left_mb < _FEWEST_TREE_MB:
                needed = f"{PROGRAM_MB + _FEWEST_TREE_MB} MB"
                raise CommandError(f"max_memory is {self._max_memory // 2**20} MB; nimdesk needs {needed}")
            changed[traits.memory] = min(left_mb, getattr(agent.options, traits.memory))
        if self._threads is not None and traits.threads is not None:
            changed[traits.threads] = min(self._threads, MAX_THREADS)
        return agent.with_options(changed)

    # What the manager tells

    def _info(self, text: str, _at: float) -> None:
        """Never answered; what is not known, or no number, is passed over."""
        key, _, said = text.partition(" ")
        try:
            value = int(said)
        except ValueError:
            return
        match key.lower():
            case "timeout_turn" | "timeout_match" | "time_left":
                self._clock.told(key.lower(), value)
            case "rule":
                self._rule = value
            case "max_memory":
                self._max_memory = max(value, 0)
            case "max_node":
                self._max_node = min(value, MAX_ITERATIONS) if value > 0 else None
            case "thread_num":
                self._threads = value if value > 0 else None


def _thoughts(snapshot: Snapshot, game: MnkGame) -> str:
    """The search in one line, in the words that other programs use."""
    best = snapshot.stats_of(snapshot.best_move)
    line = best.principal_variation if best is not None else ()
    parts = [f"Depth {len(line)}", f"Eval {expected_score(snapshot):.1%}", f"Visit {snapshot.total_visits}"]
    parts.append(f"Time {1000 * snapshot.elapsed_s:.0f}ms")
    if line:
        parts.append("Bestline " + " ".join(cell_text(move, game) for move in line))
    if snapshot.proof:
        parts.append(snapshot.proof)
    return " | ".join(parts)
