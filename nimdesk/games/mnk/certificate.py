"""Certificates of what a position is worth, for ``verify`` to check.

This module writes those of draws that blocking alone holds: the search for a defence (``solver.defence``) decides, and
its answers are asked for again along the way and written down. Wins by threats, and by quiet moves, are written as the
strategies that they are. ``strategy`` writes all others.
"""

from __future__ import annotations

import bz2
import hashlib
from functools import partial
from threading import Event

import msgspec

from nimdesk.errors import GameParameterError
from nimdesk.games.base import Move
from nimdesk.games.kit import win_in
from nimdesk.games.mnk.patterns import suit
from nimdesk.games.mnk.rules import MnkPosition, all_cells
from nimdesk.games.mnk.solver import defence
from nimdesk.games.mnk.solver.guided import GuidedWin, views_of, win_by
from nimdesk.games.mnk.solver.quiet import Node, QuietWin
from nimdesk.games.mnk.strategy import Positions, Proofs, played
from nimdesk.games.mnk.verify import MAGIC, MOST_BYTES, Checker, bits, sides_to_prove, turned, word
from nimdesk.games.truth import Threat
from nimdesk.kernels.jit import first_use

_ENTRIES = 1 << 20
_SLICE = 1_000
"""How many positions lie between two looks at the event; asking, in a strategy, whether blocking holds gets as many."""


def certificate(position: MnkPosition, stop: Event, *, guide: bytes | None = None, most: int = 2_000_000) -> bytes:
    """The certificate of a position's value, as a file.

    It proves a win by a strategy, by threats if they are enough; a draw by blocking if that is enough, and otherwise by
    a strategy for either side. A win by quiet moves is looked for along the ``guide``, see ``win_by``.
    ``GameParameterError`` if a strategy has more than ``most`` positions, or if it is longer than ``verify`` reads, or
    if the guide cannot be followed.
    ``KeyboardInterrupt`` once ``stop`` is set, which is looked at a few times a second.
    """
    game = position.game
    cells = [(r * game.m + c, position.mark(c, r)) for r in range(game.n) for c in range(game.m)]
    marks = [frozenset(cell for cell, side in cells if side == each) for each in (0, 1)]
    turn = int(position.turn)
    can_block = not game.gravity and game.m * game.n <= defence.MOST_CELLS
    writer = _Writer(game.m, game.n, game.k, stop) if can_block else None
    positions: Positions = [] if writer is None else writer.positions
    model = None if guide is None else win_by(guide, position)
    winner, proofs = None, None if writer is None else _blocked(writer, marks, turn, game.exact)
    win = win_in(position) if proofs is None else None
    # On boards where blocking is looked for, the search for wins comes to an end soon enough.
    is_open = win is None and writer is None and suit(game)
    won = _QuietWins(position, stop, most, positions).written(model) if is_open else None
    if win is not None:
        numbers: dict[Move, int] = {move: cell for cell, move in enumerate(all_cells(game.m, game.n))}
        winner, proofs = turn, [["strategy", None, _written(win.start, numbers, positions, {})]]
    elif won is not None:
        winner, proofs = turn, [["strategy", None, won]]
    elif proofs is None:
        winner, proofs = played(game, marks, turn, stop, most, positions, None if writer is None else writer.blocks)
    written = {
        "position": position.text,
        "m": game.m,
        "n": game.n,
        "k": game.k,
        "gravity": game.gravity,
        **({"exact": True} if game.exact else {}),
        "turn": turn,
        "marks": [sorted(side) for side in marks],
        "winner": winner,
        "proofs": proofs,
        "positions": positions,
    }
    text = msgspec.json.encode(written)
    if len(text) > MOST_BYTES:
        raise GameParameterError(f"There is no certificate of {game.text}: it would have {len(text):,} letters.")
    body = bz2.compress(text)
    return MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _written(threat: Threat, cells: dict[Move, int], positions: Positions, known: dict[object, int]) -> int:
    """The reference to the position in which this threat is made; what follows it is written before."""
    key = id(threat) if threat.answers else threat.move
    if key not in known:
        answers = [[cells[move], _written(after, cells, positions, known)] for move, after in threat.answers]
        others = None if threat.otherwise is None else _written(threat.otherwise, cells, positions, known)
        known[key] = 8 * len(positions)
        positions.append({"strategy": [cells[threat.move], answers, others]})
    return known[key]


class _QuietWins:
    """Finds and writes a win by quiet moves and threats of the side to move."""

    def __init__(self, position: MnkPosition, stop: Event, most: int, positions: Positions) -> None:
        """``most`` positions are looked at, or so many after each answer if these are proven one by one."""
        self._position, self._stop, self._most = position, stop, most
        self._reasons = _Reasons(positions)

    def written(self, guide: Node | None) -> int | None:
        """The reference to the position; None where no win is found."""
        if guide is None or guide.children is None or self._position.moves:
            return self._after(self._position, guide)
        (first,) = guide.children
        assert first.cell is not None
        return self._by_answers(first.cell, first.children or [], first.passed)

    def _by_answers(self, first: int, named: list[Node], passed: Node | None) -> int:
        """The same on an empty board: of answers that look alike from another side, one is proven for all."""
        game = self._position.game
        cells = all_cells(game.m, game.n)
        views = [(view, image) for view, image in enumerate(views_of(game)) if image[first] == first]
        models, known = {each.cell: each for each in named}, dict[int, int]()
        told = [each.cell for each in named if each.cell is not None and each.first() is not None]
        after = self._position.play(cells[first])
        for cell in (*told, *range(len(cells))):
            if cell == first or cell in known:
                continue
            position = after.play(cells[cell])
            reference = self._after(position, models.get(cell, passed))
            if reference is None:
                raise GameParameterError(f"Along this guide no win is found in {position.text}.")
            known |= {image.index(cell): reference + view for view, image in reversed(views)}
        answers: list[object] = [[cell, reference] for cell, reference in sorted(known.items())]
        return 8 * self._reasons.number("strategy", [first, answers, None])

    def _after(self, position: MnkPosition, guide: Node | None) -> int | None:
        """The reference to a position of which a win is found; None where none is."""

        def may_go_on(nodes: int) -> bool:
            if self._stop.is_set():
                raise KeyboardInterrupt
            return nodes < self._most

        search: QuietWin
        if guide is None:
            search = QuietWin(position, may_go_on=may_go_on)
            search.advance(self._most)
        else:
            search = guided = GuidedWin(position, guide, may_go_on=may_go_on)
            guided.find()
        return _Strategy(self._reasons).after(search.root) if search.is_won else None


class _Reasons:
    """The positions of a certificate, where equal reasons are written once."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._numbers: dict[bytes, int] = {}

    def number(self, kind: str, given: list[object]) -> int:
        """The number of the position with this reason, which is written unless it stands there."""
        reason = {kind: given}
        number = self._numbers.setdefault(msgspec.json.encode(reason), len(self._positions))
        if number == len(self._positions):
            self._positions.append(reason)
        return number


class _Strategy:
    """Writes a win by quiet moves; equal reasons are written once."""

    def __init__(self, reasons: _Reasons) -> None:
        self._reasons = reasons
        self._known: dict[int, int] = {}

    def after(self, node: Node) -> int:
        """The reference to a position with the winner to move."""
        if node.sequence:
            return 8 * self._reasons.number("threats", [*node.sequence])
        if id(node) not in self._known:
            assert node.children is not None
            (move,) = node.children
            assert move.children is not None
            answers = [[answer.cell, self.after(answer)] for answer in move.children]
            others = None if move.passed is None else self.after(move.passed)
            named = sorted(each for each in answers if each[1] != others)
            self._known[id(node)] = 8 * self._reasons.number("strategy", [move.cell, named, others])
        return self._known[id(node)]


def _blocked(writer: _Writer, marks: list[frozenset[int]], turn: int, exact: bool) -> Proofs | None:
    """The proofs of a draw that blocking alone holds; None if there is no such draw."""
    sides, words = sides_to_prove(None, marks, exact), [word(each) for each in marks]
    if not all(writer.holds(words[1 - side], words[side], attacks=turn != side) for side in sides):
        return None
    return [["blocking", *writer.proof(words[1 - side], words[side], attacks=turn != side)] for side in sides]


class _Writer:
    """Writes the positions of all proofs of one board; equal positions, and equal reasons, are written once."""

    def __init__(self, m: int, n: int, k: int, stop: Event) -> None:
        self.positions: Positions = []
        self._defence, self._table = defence.make_defence(m, n, k), defence.new_table(_ENTRIES)
        self._masks, self._board = [int(line) for line in self._defence.masks], (1 << m * n) - 1
        self._images = Checker(m, n, k, False, []).images
        self._unused = defence.new_table(defence.BUCKET)
        self._stop = stop
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        self._reasons = _Reasons(self.positions)
        first_use("mnk-certificate", (self._defence,), self._load, partial(_compile, m, n, k))

    def _load(self) -> None:
        defence.run(self._defence, self._table, 0)
        defence.pairs(self._defence)

    def holds(self, attacker: int, defender: int, *, attacks: bool, at_once: bool = False) -> bool:
        """Whether the defender holds the position; ``frame[0, F_MOVE]`` is its answer, if it is to move.

        If ``at_once``, no answer after one slice of work counts as a no. So does a line of the attacker that was too
        long to win: the checker takes any line of k for one.
        """
        if 0 in self._open(attacker, defender):
            return False
        defence.ask(self._defence, attacker, defender, attacks=attacks)
        while self._defence.state[defence.MODE] != defence.AT_REST:
            if self._stop.is_set():
                raise KeyboardInterrupt
            defence.run(self._defence, self._table, _SLICE)
            if at_once:
                break
        at_rest = self._defence.state[defence.MODE] == defence.AT_REST
        return bool(at_rest and self._defence.state[defence.HOLDS])

    def blocks(self, own: frozenset[int], other: frozenset[int]) -> list[int | None] | None:
        """See ``strategy.Blocks``."""
        attacker, defender = word(other), word(own)
        if not self.holds(attacker, defender, attacks=False, at_once=True):
            return None
        return self.proof(attacker, defender, attacks=False)

    def proof(self, attacker: int, defender: int, *, attacks: bool) -> list[int | None]:
        """The defender's first answer, None if the attacker is to move or no line is open, and what follows."""
        if attacks or not self._open(attacker, defender):
            return [None, self._position(attacker, defender)[0]]
        self.holds(attacker, defender, attacks=False)
        reply = int(self._defence.frame[0, defence.F_MOVE])
        return [reply, self._position(attacker, defender | 1 << reply)[0]]

    def _open(self, attacker: int, defender: int) -> list[int]:
        """The empty cells of each line that is not blocked."""
        return [line & ~attacker for line in self._masks if not line & defender]

    def _position(self, attacker: int, defender: int) -> tuple[int, int]:
        """The reference of a position that the defender holds, the attacker being to move, and the cells it may mark.

        A position is written as it looks from the view where its words are least, so that each is written once.
        """
        empty, marked = 0, 0
        for line in self._masks:
            if not line & defender:
                empty |= line & ~attacker
                marked |= line & attacker
        (empty, marked), view = min(
            ((turned(empty, image), turned(marked, image)), view) for view, image in enumerate(self._images)
        )
        image = self._images[view]
        if (empty, marked) not in self._known:
            # Only marks on open lines matter: for the defence, all other cells are its own.
            self._known[empty, marked] = self._reason(marked, self._board & ~empty & ~marked)
        number, zone = self._known[empty, marked]
        return 8 * number + view, word(cell for cell, at in enumerate(image) if zone >> at & 1)

    def _reason(self, attacker: int, defender: int) -> tuple[int, int]:
        """Write why the defender holds the position; its number, and the cells that it may mark."""
        defence.ask(self._defence, attacker, defender, attacks=True)
        pairs = [bits(int(cells)) for cells in defence.pairs(self._defence)]
        lines = self._open(attacker, defender)
        if pairs or not lines:
            number = self._reasons.number("pairs", [cell for pair in pairs for cell in pair])
            return number, word(cell for pair in pairs for cell in pair)
        return self._answers(attacker, defender, lines)

    def _answers(self, attacker: int, defender: int, lines: list[int]) -> tuple[int, int]:
        """Write a reason by answers, to the moves in the order in which the search tried them; see ``_reason``."""
        through: dict[int, int] = {}
        for i, line in enumerate(lines):
            for cell in bits(line):
                through[cell] = through.get(cell, 0) | 1 << i
        answers: list[object] = []
        zone, left = 0, set(through)
        for move in self._order(attacker, defender):
            if move not in left:
                continue
            self.holds(attacker | 1 << move, defender, attacks=False)
            reply = int(self._defence.frame[0, defence.F_MOVE])
            reference, marks = self._position(attacker | 1 << move, defender | 1 << reply)
            marks |= 1 << reply
            answers.append([move, reply, reference])
            zone |= marks | 1 << move
            left = {cell for cell in left if marks >> cell & 1 and through[cell] & ~through[move]}
        return self._reasons.number("answers", answers), zone

    def _order(self, attacker: int, defender: int) -> list[int]:
        """The moves of a position that needs answers, as the search sorts them.

        In this order its table knows what follows; in another one, each position is a search of its own.
        """
        defence.ask(self._defence, attacker, defender, attacks=True)
        defence.run(self._defence, self._unused, 1)
        return [int(move) for move in self._defence.moves[0, : self._defence.frame[0, defence.F_END]]]


def _compile(m: int, n: int, k: int) -> None:
    """The work that ``first_use`` has done in another process, to which an event cannot be sent."""
    _Writer(m, n, k, Event())
