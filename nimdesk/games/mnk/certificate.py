"""Certificates of draws: how each side is kept from winning by blocking alone, for ``verify`` to check.

The search for a defence (``solver.defence``) decides; here its answers are asked again along the way and written down.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import partial
from threading import Event

import msgspec

from nimdesk.errors import GameParameterError
from nimdesk.games.base import Side
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.mnk.solver import defence
from nimdesk.games.mnk.verify import MAGIC, proofs_needed
from nimdesk.kernels.jit import first_use

_ENTRIES = 1 << 20
_SLICE = 2_000


def certificate(position: MnkPosition, stop: Event) -> bytes:
    """The certificate of a draw, as a file.

    ``GameParameterError`` says why there is none: it is written for positions of m,n,k games without gravity on up to
    64 cells that are drawn because either side can block all lines of the other. ``KeyboardInterrupt`` once ``stop`` is
    set, which is looked at a few times a second.
    """
    if position.game.gravity:
        raise GameParameterError(f"Certificates are for m,n,k games without gravity, not for {position.game.text}.")
    game = position.game
    if game.m * game.n > defence.MOST_CELLS:
        raise GameParameterError(f"Certificates are for boards of at most {defence.MOST_CELLS} cells, not {game.text}.")
    cells = [(r * game.m + c, position.mark(c, r)) for r in range(game.n) for c in range(game.m)]
    marks = [frozenset(cell for cell, side in cells if side == each) for each in (0, 1)]
    writer = _Writer(game.m, game.n, game.k, stop)
    proofs = []
    for attacker, attacks in proofs_needed(marks, int(position.turn)).items():
        words = [sum(1 << cell for cell in marks[side]) for side in (attacker, 1 - attacker)]
        if not writer.holds(words[0], words[1], attacks=attacks):
            attacks_with, blocks_with = (game.side_name(side) for side in (Side(attacker), Side(attacker).other))
            raise GameParameterError(
                f"There is no certificate of a draw for {position.text}: {blocks_with} cannot keep {attacks_with} from "
                "winning by blocking alone."
            )
        proofs.append(writer.proof(words[0], words[1], attacks=attacks))
    written = {
        "m": game.m,
        "n": game.n,
        "k": game.k,
        "turn": int(position.turn),
        "marks": [sorted(side) for side in marks],
        "proofs": proofs,
        "positions": writer.positions,
    }
    body = zlib.compress(msgspec.json.encode(written), 9)
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


class _Writer:
    """Writes the positions of all proofs of one board; equal positions, and equal reasons, are written once."""

    def __init__(self, m: int, n: int, k: int, stop: Event) -> None:
        self.positions: list[dict[str, list[object]]] = []
        self._defence, self._table = defence.make_defence(m, n, k), defence.new_table(_ENTRIES)
        self._stop = stop
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        self._numbers: dict[bytes, int] = {}
        job = partial(_Writer, m, n, k, Event())
        first_use("mnk-certificate", (self._defence,), self._load, job)

    def _load(self) -> None:
        defence.run(self._defence, self._table, 0)
        defence.pairs(self._defence)

    def holds(self, attacker: int, defender: int, *, attacks: bool) -> bool:
        """Whether the defender holds the position; ``frame[0, F_MOVE]`` is its answer, if it is to move."""
        defence.ask(self._defence, attacker, defender, attacks=attacks)
        while self._defence.state[defence.MODE] != defence.AT_REST:
            if self._stop.is_set():
                raise KeyboardInterrupt
            defence.run(self._defence, self._table, _SLICE)
        return bool(self._defence.state[defence.HOLDS])

    def proof(self, attacker: int, defender: int, *, attacks: bool) -> list[int | None]:
        """The defender's first answer, None if the attacker is to move or no line is open, and the position then."""
        if attacks or not self._open(attacker, defender):
            return [None, self._position(attacker, defender)[0]]
        self.holds(attacker, defender, attacks=False)
        reply = int(self._defence.frame[0, defence.F_MOVE])
        return [reply, self._position(attacker, defender | 1 << reply)[0]]

    def _open(self, attacker: int, defender: int) -> list[int]:
        """The empty cells of each line that is not blocked."""
        return [line & ~attacker for line in map(int, self._defence.masks) if not line & defender]

    def _position(self, attacker: int, defender: int) -> tuple[int, int]:
        """The number of a position that the defender holds, the attacker being to move, and the cells it may mark."""
        lines = self._open(attacker, defender)
        empty, marked = 0, 0
        for line in map(int, self._defence.masks):
            if not line & defender:
                empty |= line & ~attacker
                marked |= line & attacker
        if (empty, marked) not in self._known:
            defence.ask(self._defence, attacker, defender, attacks=True)
            pairs = [_numbers(int(cells)) for cells in defence.pairs(self._defence)]
            if pairs or not lines:
                number, zone = self._write("pairs", [cell for pair in pairs for cell in pair]), 0
                for pair in pairs:
                    zone |= 1 << pair[0] | 1 << pair[1]
            else:
                number, zone = self._answers(attacker, defender, lines)
            self._known[empty, marked] = number, zone
        return self._known[empty, marked]

    def _answers(self, attacker: int, defender: int, lines: list[int]) -> tuple[int, int]:
        """The same by answers, to the moves on most lines first."""
        through: dict[int, int] = {}
        for i, line in enumerate(lines):
            for cell in _numbers(line):
                through[cell] = through.get(cell, 0) | 1 << i
        answers: list[object] = []
        zone, left = 0, set(through)
        while left:
            move = max(left, key=lambda cell: (through[cell].bit_count(), -cell))
            self.holds(attacker | 1 << move, defender, attacks=False)
            reply = int(self._defence.frame[0, defence.F_MOVE])
            number, marks = self._position(attacker | 1 << move, defender | 1 << reply)
            marks |= 1 << reply
            answers.append([move, reply, number])
            zone |= marks | 1 << move
            left = {cell for cell in left if marks >> cell & 1 and through[cell] & ~through[move]}
        return self._write("answers", answers), zone

    def _write(self, kind: str, given: list[object]) -> int:
        reason = {kind: given}
        number = self._numbers.setdefault(msgspec.json.encode(reason), len(self.positions))
        if number == len(self.positions):
            self.positions.append(reason)
        return number


def _numbers(cells: int) -> list[int]:
    return [cell for cell in range(cells.bit_length()) if cells >> cell & 1]
