"""Programs of the Gomocup protocol behind the door for searches of others: an ``Engine`` that translates.

A program is told the whole board before every move, so that it has no state to lose. Only a line of two numbers is its
move. What it says of its search in MESSAGE and DEBUG lines becomes checkpoints, as far as it is understood. The whole
conversation goes to the log, with "< " before what the program is told.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path

from msgspec.structs import replace

from nimdesk.agents.gomocup import PREFIX
from nimdesk.agents.gomocup.clock import UNLIMITED_MS
from nimdesk.agents.gomocup.stones import OTHER, OWN, CommandError, cell_of, cell_text, rule_of
from nimdesk.disk.logs import WordsLog
from nimdesk.errors import NimdeskError
from nimdesk.faults import one_line
from nimdesk.games.kit import parse_game, parse_position
from nimdesk.games.mnk.rules import MnkGame, MnkMove
from nimdesk.plugins.engine import ProgramEngine, Swap2Answer
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Best, Checkpoint, Go, Greeting, OptionPart, Position

OPTIONS = (
    OptionPart(
        name="max_node",
        kind="int",
        default=None,
        optional=True,
        minimum=1,
        maximum=1_000_000_000,
        title="Nodes",
        description="How many nodes the program may search for a move, if it knows such a limit (Rapfi and Yixin do).",
        empty="no limit",
    ),
    OptionPart(
        name="memory_mb",
        kind="int",
        default=350,
        minimum=256,
        maximum=2_047,
        title="Memory",
        description="How much memory the program is told that it may use; in tournaments that is 350 MB.",
        unit="MB",
        advanced=True,
    ),
    OptionPart(
        name="thread_num",
        kind="int",
        default=1,
        minimum=1,
        maximum=64,
        title="Threads",
        description="How many threads the program may use, if it asks (Rapfi and Yixin do).",
        advanced=True,
    ),
)
_ABOUT_S, _REFUSAL_S = 2.0, 1.0
_OVERHEARD_S = 0.3
"""After so long RESTART is said once more: Rapfi tells its move a moment before it listens again, and drops what it is
told in between."""
_LONGEST_SHOWN = 80
_MOVE = re.compile(r"\s*(-?\d+\s*,\s*-?\d+)\s*")
_TOLD = re.compile(r'(\w+)\s*=\s*"([^"]{1,100})"')
_DEPTH = re.compile(r"\bdepth\s*[:=]?\s*(\d{1,3})", re.IGNORECASE)
_NODES = re.compile(r"\b(?:nodes?|visits?)\s*[:=]?\s*([\d,]*\.?\d+)\s*([KMG]?)", re.IGNORECASE)
_SHARE = re.compile(r"\b(?:eval|ev|winrate)\s*[:=]?\s*(\d{1,3}(?:\.\d+)?)\s*%", re.IGNORECASE)
_OWN_SCALE = re.compile(r"\b(?:eval|ev)\s*[:=]?\s*([-+]?[\w.]+)(?!\S*%)", re.IGNORECASE)
_LINE = re.compile(r"\b(?:bestline|pv|line)\s*[:=]?\s*((?:(?:[a-t]\d{1,2}|\[?\d+,\d+\]?)(?:\s+|$))+)", re.IGNORECASE)
_TIMES = {"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


class _Waiting(Enum):
    """What is to be said next by the program."""

    ABOUT = auto()
    NOTHING = auto()
    OK = auto()
    MOVE = auto()


class GomocupEngine(ProgramEngine):
    """An ``Engine`` for one running program."""

    def __init__(self, command: Sequence[str], *, folder: Path | None, log: WordsLog, memory_mb: int) -> None:
        """Start the command in this folder; it gets no more memory than that, whatever it is told."""
        super().__init__(command, folder=folder, log=log, memory_mb=memory_mb)
        self._name = Path(command[0]).stem
        self._board: tuple[int, int] | None = None
        self._position: Position | None = None
        self._time_ms: int | None = None
        self._told: deque[Greeting | Checkpoint | Best | Swap2Answer] = deque()
        self._opens = False
        self._known = Checkpoint()
        self._refusal: tuple[str, float] | None = None
        self._waiting, self._since = _Waiting.ABOUT, time.monotonic()
        self._say("ABOUT")

    def begin(self, position: Position) -> None:
        """Begin a search, in place of any other; ``HostError`` for a game that is not five in a row."""
        try:
            game = parse_game(position.game)
        except NimdeskError as error:
            raise HostError(f"cannot be asked: {error}") from None
        if not isinstance(game, MnkGame) or game.k != 5 or game.gravity:
            raise HostError(f"plays five in a row alone, and not {position.game}")
        self._game, self._position, self._legal = game, position, frozenset(position.legal)

    def go(self, go: Go) -> None:
        """Search for this time."""
        self._opens = False
        self._go(go)

    def open(self, go: Go) -> None:
        """Answer as under swap2, in this time."""
        self._opens = True
        self._go(go)

    def _go(self, go: Go) -> None:
        assert self._position is not None
        self.going, self._time_ms, self._known, self._refusal = True, go.time_ms, Checkpoint(), None
        size = self._game.m, self._game.n
        if self._board == size:
            self._say("RESTART")
        else:
            self._say(f"START {size[0]}" if size[0] == size[1] else f"RECTSTART {size[0]},{size[1]}")
        self._waiting, self._since = _Waiting.OK, time.monotonic()

    def receive(self, wait_s: float) -> Greeting | Checkpoint | Best | Swap2Answer | None:
        """The next answer, if one comes within ``wait_s``."""
        until = time.monotonic() + wait_s
        while not self._told:
            line = self._program.read_line(max(0.0, until - time.monotonic()))
            if line is None:
                self._look_at_the_time()
                break
            self._log.hear(line + b"\n")
            for text in line.decode(errors="replace").split("\r"):
                if text.strip():
                    self._hear(text.strip())
        message = self._told.popleft() if self._told else None
        self.going = self.going and not isinstance(message, Best | Swap2Answer)
        return message

    def stop(self) -> None:
        """There is no such command: a program that is not waited for is ended."""

    def close(self) -> None:
        """End the program, and all that it has started."""
        if self.alive:
            with suppress(HostError):  # it may end by itself just now
                self._say("END")
        super().close()

    def _say(self, line: str) -> None:
        self._log.hear(f"< {line}\n".encode())
        self._program.write_line(f"{line}\r".encode())

    # What it says

    def _look_at_the_time(self) -> None:
        if self._waiting is _Waiting.ABOUT and time.monotonic() - self._since > _ABOUT_S:
            self._greet("")
        if self._waiting is _Waiting.OK and self._board is not None and time.monotonic() - self._since > _OVERHEARD_S:
            self._since = math.inf
            self._say("RESTART")
        if self._refusal is not None and time.monotonic() - self._refusal[1] > _REFUSAL_S:
            raise HostError(f"refused: {self._refusal[0]}")

    def _hear(self, text: str) -> None:
        word = text.split()[0].upper()
        if word in ("MESSAGE", "DEBUG"):
            if self._waiting is _Waiting.MOVE:
                self._understand(text)
        elif self._waiting is _Waiting.ABOUT:
            self._greet(text)
        elif self._waiting is _Waiting.OK:
            self._started(text, word)
        elif self._waiting is _Waiting.MOVE:
            self._answered(text, word)

    def _greet(self, text: str) -> None:
        told = {key.lower(): value for key, value in _TOLD.findall(text)}
        name = told.pop("name", "") or self._name.removeprefix(PREFIX)
        self.greeting = Greeting(
            protocol="nimdesk-search",
            version=1,
            name=one_line(name, longest=40),
            about=one_line(", ".join(f"{key} {value}" for key, value in told.items()) or text, longest=200),
            games=("mnk:*,*,5", "mnk:*,*,5:exact"),
            options=OPTIONS,
        )
        self._told.append(self.greeting)
        self._waiting = _Waiting.NOTHING

    def _started(self, text: str, word: str) -> None:
        if word == "OK":
            self._board, self._waiting = (self._game.m, self._game.n), _Waiting.MOVE
            self._ask()
        elif word in ("UNKNOWN", "ERROR") and self._board is not None:
            # RESTART is optional: a board that begins anew serves as well.
            self._board = None
            self._go(Go(seed=0, time_ms=self._time_ms))
        elif word in ("UNKNOWN", "ERROR"):
            shown = one_line(text, longest=_LONGEST_SHOWN)
            raise HostError(f"does not play on a board of {self._game.m} by {self._game.n}: {shown}")

    def _ask(self) -> None:
        position = self._position
        assert position is not None
        options = position.options
        infos: dict[str, object] = {
            "timeout_turn": self._time_ms or 0,
            "timeout_match": 0,
            "max_memory": int(options.get("memory_mb") or 0) << 20,
            "game_type": 1,
            "rule": rule_of(self._game),
            "max_node": options.get("max_node"),
            "thread_num": options.get("thread_num"),
            "time_left": UNLIMITED_MS,
        }
        for key, value in infos.items():
            if value is not None:
                self._say(f"INFO {key} {value}")
        if not position.moves and not self._opens:
            self._say("BEGIN")
            return
        self._say("SWAP2BOARD" if self._opens else "BOARD")
        for number, move in enumerate(parse_position(position.text).moves):
            whose = OWN if (len(position.moves) - number) % 2 == 0 else OTHER
            self._say(cell_text(move, self._game) + ("" if self._opens else f",{whose}"))
        self._say("DONE")

    def _answered(self, text: str, word: str) -> None:
        if self._opens and (answer := self._swap2_answer(text, word)) is not None:
            self._waiting = _Waiting.NOTHING
            self._told.append(answer)
        elif (move := _MOVE.fullmatch(text)) is not None:
            self._choose(move[1])
        elif word == "SUGGEST":
            self._say(f"PLAY {text.partition(' ')[2]}")
        elif word in ("ERROR", "UNKNOWN"):
            # Some complain of a line and go on.
            self._refusal = one_line(text, longest=_LONGEST_SHOWN), time.monotonic()

    def _swap2_answer(self, text: str, word: str) -> Swap2Answer | None:
        """What this line says under swap2; None if it says nothing."""
        if word in ("ERROR", "UNKNOWN"):
            return Swap2Answer(None)
        if word == "SWAP":
            return Swap2Answer(())
        cells = [_MOVE.fullmatch(each) for each in text.split()]
        if not all(cells):
            return None
        try:
            return Swap2Answer(tuple(cell_of(cell[1], self._game).text for cell in cells if cell is not None))
        except CommandError as error:
            raise HostError(f"answered with a move that cannot be played: {error}") from None

    def _choose(self, text: str) -> None:
        try:
            move = cell_of(text, self._game)
        except CommandError as error:
            raise HostError(f"answered with a move that cannot be played: {error}") from None
        self._waiting = _Waiting.NOTHING
        if self._known.line and self._known.line[0] != move.text:  # it thought better of it
            self._told.append(replace(self._known, line=()))
        self._told.append(Best(move=move.text))

    def _understand(self, text: str) -> None:
        """What it says of its search, as other programs say it too: depth, nodes, share of wins, line."""
        known = self._known
        depth, nodes, share, own, line = (each.search(text) for each in (_DEPTH, _NODES, _SHARE, _OWN_SCALE, _LINE))
        if depth is None and nodes is None and line is None:
            return
        moves = known.line if line is None else tuple(self._moves(line[1]))
        count = known.nodes
        if nodes is not None:
            told = int(float(nodes[1].replace(",", "")) * _TIMES[nodes[2].upper()])
            count = max(told, known.nodes or 0)
        self._known = Checkpoint(
            nodes=count,
            depth=known.depth if depth is None else int(depth[1]),
            value=known.value if share is None else min(float(share[1]) / 100, 1.0),
            line=moves,
            best=moves[0] if moves and moves[0] in self._legal else None,
            words=known.words if own is None or share is not None else f"evaluation {own[1]}",
        )
        self._told.append(self._known)

    def _moves(self, text: str) -> list[str]:
        """A line of cells, in numbers or, as Rapfi has it, as column and row from the top."""
        found = []
        for word in text.split():
            cell = word.strip("[]")
            if cell[0].isalpha():
                move = MnkMove(ord(cell[0].lower()) - ord("a"), self._game.n - int(cell[1:]))
                if not (0 <= move.column < self._game.m and 0 <= move.row < self._game.n):
                    break
            else:
                try:
                    move = cell_of(cell, self._game)
                except CommandError:
                    break
            found.append(move.text)
        return found
