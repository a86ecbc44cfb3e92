"""Check a certificate of what a position of an m,n,k game is worth: ``nimdesk verify FILE``.

This file needs nothing but Python, and shares no code with the solver that wrote the certificate: ``python verify.py
FILE`` does the same. A certificate is a line, ``nimdesk certificate 2`` and the SHA-256 of what follows in hexadecimal
digits; then an object of JSON in UTF-8, of at most 128 MB, packed by bz2 (by zlib after ``nimdesk certificate 1``). No
name comes twice in an object. Cells are numbers, counted from 0 at the bottom left, row by row. The names are

* ``position``, in notation: ``mnk:M,N,K``, ``:gravity`` where marks drop, ``:exact`` where a line of more than k does
  not win, then the moves, such as ``a1 b2``; with gravity the letter of a column will do. It may be left out: then any
  position with the marks is meant.
* ``m``, ``n``, ``k`` and ``gravity``; ``exact``, false if it is left out; ``turn``, the side to move, 0 for the first
  and 1 for the second; and ``marks``, for either side the list of its cells. All of them must be those of the position.
* ``winner``: 0, 1, or null for a draw.
* ``proofs``, that a side gets its way: one of the winner, or of a draw one for either side; on an empty board without
  gravity for the second alone, because an extra mark never hurts, so that it cannot win itself (Hales and Jewett,
  1963), unless a line can become too long. Each is ``["strategy", null, reference]`` or ``["blocking", move,
  reference]`` if its side is to move, else ``["strategy", answers, others]`` or ``["blocking", null, reference]``, as
  in the reasons.
* ``positions``, which come last: objects with one reason each, such as ``{"pairs": [2, 3]}``.

Blocking proves no win, and nothing with gravity. It keeps a side from having k marks in a row at all. The reasons are

* *strategy*, ``[move, answers, others]``: the side to move gets its way with this move. Then come the other side's
  answers, each ``[cell, reference]`` to the position after it; the last is for all others. None is needed where the
  side completes a line next, nor in a draw where the other side has no line left. In a win without gravity, ``others``
  is replayed as if the other side had passed. Then it meets each other answer that is in no cell on which it relies:
  one that it marks or completes a line with, or in which the other side might complete a line before.
* *threats*, ``[cell, ...]``: the side to move wins by marking these cells, though the other side marks all cells at
  once that answer the last one. A mark with which a line can be completed has one answer. Any other must make it
  possible to complete lines in two cells after one more mark, is answered in each cell that all such marks have in
  common, and is no threat if the other side could complete a line with two marks. A win ends with a line, or with a
  mark that nothing answers.
* *blocking*, ``[move, reference]``: the side to move does not lose; its mark, if it needs one, and then one of the next
  kinds.
* *pairs*, for a side that blocks, the attacker being to move: every line that it has not blocked holds both cells of a
  pair, and no two pairs share a cell. When the attacker marks a cell of a pair, the other side marks the other.
* *answers*: the same by ``[move, answer, reference]``, each with what follows both. Another move needs none if it is
  *outside* one of them, whose defence never marks that cell; or *under* the move of one: all its open lines pass
  through that one too, so that it is answered as that one, with the two cells swapped. A reference is eight times the
  number of a position, plus how the board is to be turned before: 1 left to right, 2 upside down, 4 columns for rows.
"""

import bz2
import hashlib
import json
import os
import re
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

MAGIC = b"nimdesk certificate 2 "
UNPACKERS: dict[bytes, Any] = {MAGIC: bz2.BZ2Decompressor, b"nimdesk certificate 1 ": zlib.decompressobj}
MOST_BYTES, MOST_TIMES = 1 << 27, 16  # a certificate is packed to a fifth or an eighth; a small file is no large one
MOST_POSITIONS, MOST_LETTERS, MOST_KEPT, MOST_EXTRA = 1 << 22, 1 << 20, 1 << 29, 3
SIDES = ("first", "second")
NAMES = ("m", "n", "k", "gravity", "turn", "marks", "winner", "proofs", "positions")
UNREADABLE = "what is in the file cannot be read"
SPACE = rb"[ \t\n\r]*"
FIRST = re.compile(rb'"positions"' + SPACE + b":" + SPACE + rb"\[" + SPACE)
COMMA = re.compile(SPACE + b"," + SPACE)
Lines = frozenset[int]
Stopped = Callable[[], bool]


class WrongError(Exception):
    """What is wrong with the certificate, in one sentence."""


def unpack(data: bytes) -> bytes:
    """The text of a certificate in the bytes of a file: an object of JSON."""
    head, _, body = data.partition(b"\n")
    need(head[: len(MAGIC)] in UNPACKERS, "this is not a certificate of nimdesk")
    need(hashlib.sha256(body).hexdigest().encode() == head[len(MAGIC) :], "the file is damaged: its checksum differs")
    most = min(MOST_BYTES, (1 << 20) + MOST_TIMES * len(body))
    try:
        return bytes(UNPACKERS[head[: len(MAGIC)]]().decompress(body, most))
    except (zlib.error, OSError):
        raise WrongError(UNREADABLE) from None


def read(data: bytes) -> dict[str, Any]:
    """The certificate in the bytes of a file, all of which is JSON; its positions are made when they are asked for."""
    text = unpack(data)
    first = FIRST.match(text, max(0, text.rfind(b'"positions"')))
    if first is None:
        raise WrongError("it has no positions")
    at, end = first.end(), text.rfind(b"]")
    # Without what this list holds, all is short, and it is the only list that can be the last in the object, and empty.
    content = parsed(text[:at] + text[max(at, end) :])
    need(isinstance(content, dict) and [*content.items()][-1] == ("positions", []), "its positions do not come last")
    return {**content, "positions": Positions(text, at, end)}


def parsed(text: bytes) -> Any:
    """What a part of the text says."""
    try:
        return JSON.decode(text.decode() if len(text) <= MOST_LETTERS else "")
    except (ValueError, RecursionError):
        raise WrongError(UNREADABLE) from None


def once(named: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which no name may come twice: one reader would take the first, another one the last."""
    found = dict(named)
    need(len(found) == len(named), "a name is given twice")
    return found


# Python knows numbers that JSON does not, such as NaN; they are nothing that ``int`` can read.
JSON = json.JSONDecoder(object_pairs_hook=once, parse_constant=int)


def need(condition: bool, problem: str) -> None:
    """Fail with the problem unless the condition holds."""
    if not condition:
        raise WrongError(problem)


def whole(value: object, low: int, high: int) -> bool:
    """Whether this is a whole number from low to high."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Positions(Sequence[Any]):
    """The positions that a text lists; all of them as objects may need twenty times its room."""

    def __init__(self, text: bytes, at: int, end: int) -> None:
        """The list is what stands from ``at`` up to ``end``. It is JSON if its parts are, and have commas between."""
        self.text, self.starts = text, array("L")
        more = at < end
        while more:
            stop = text.rfind(b"}", at, min(end, at + MOST_LETTERS - len("[]"))) + 1
            part = text[at:stop]
            found = parsed(b"[" + part + b"]")
            # So that each brace begins or ends a position, wherever the text is cut.
            flat = len(found) == part.count(b"{") == part.count(b"}") and all(isinstance(each, dict) for each in found)
            need(bool(found) and flat, UNREADABLE)
            self.starts.extend(at + brace.start() for brace in re.finditer(rb"\{", part))
            need(len(self.starts) <= MOST_POSITIONS, f"it has more than {MOST_POSITIONS:,} positions")
            comma = COMMA.match(text, stop, end)
            more, at = comma is not None, comma.end() if comma else stop
        need(not text[at:end].strip(b" \t\n\r"), UNREADABLE)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.starts)

    def __getitem__(self, number: Any) -> Any:
        """What is given for a position."""
        start = self.starts[number]
        return parsed(self.text[start : self.text.index(b"}", start) + 1])


class Checker:
    """Checks the proofs of one certificate."""

    def __init__(
        self, m: int, n: int, k: int, gravity: bool, positions: Sequence[Any], stop: Stopped = bool, exact: bool = False
    ) -> None:
        self.m, self.n, self.gravity, self.positions, self.stopped = m, n, gravity, positions, stop
        self.cells, self.checked, self.replies, self.room = range(m * n), 0, 0, MOST_KEPT
        self.board, self.bottom = (1 << m * n) - 1, (1 << m) - 1
        self.images = [[0] * (m * n) for _ in range(2 if gravity else 8 if m == n else 4)]
        for view, row, column in product(range(len(self.images)), range(n), range(m)):
            right, up = m - 1 - column if view & 1 else column, n - 1 - row if view & 2 else row
            self.images[view][row * m + column] = right * m + up if view & 4 else up * m + right
        self.known: dict[str, int] = {}
        ways = product(range(m), range(n), ((1, 0), (0, 1), (1, 1), (-1, 1)))
        rows = [[(x + i * right, y + i * down) for i in range(-1, k + 1)] for x, y, (right, down) in ways]
        rows = [row for row in rows if 0 <= row[k][0] < m and row[k][1] < n]
        on = {(x, y): y * m + x for x in range(m) for y in range(n)}
        # Of each line its cells, and those that continue it, if a line of more than k does not win.
        parts = ((row[1:-1], row[:: k + 1] if exact else []) for row in rows)
        self.lines = [(word(on[at] for at in row), word(on[at] for at in ends if at in on)) for row, ends in parts]
        self.through = [[each for each in self.lines if each[0] >> cell & 1] for cell in self.cells]

    def names(self, cells: int) -> str:
        """The cells as a person writes them."""
        return " ".join(f"{chr(97 + cell % self.m)}{cell // self.m + 1}" for cell in bits(cells)) or "none"

    def at(self, reference: Any) -> tuple[int, list[int]]:
        """The number of the position referred to, and where each cell is on the board as it is turned before."""
        need(whole(reference, 0, 8 * len(self.positions) - 1), "a position is missing")
        need(reference & 7 < len(self.images), "the board cannot be turned like this")
        return reference >> 3, self.images[reference & 7]

    def reason(self, number: int) -> tuple[str, list[Any]]:
        """What kind of reason a position has, and the reason."""
        if self.stopped():
            raise KeyboardInterrupt
        given = self.positions[number]
        need(isinstance(given, dict) and len(given) == 1, f"position {number} has no reason")
        self.checked += 1
        ((kind, reason),) = given.items()
        return kind, reason if isinstance(reason, list) else []

    def keep(self, key: str, found: int) -> int:
        """Remember what was found to hold, within half a gigabyte; what is forgotten is checked again."""
        self.room -= len(key) + 200
        if self.room < 0:
            self.known, self.room = {}, MOST_KEPT
        self.known[key] = found
        return found

    def may_mark(self, marks: int) -> int:
        """The cells that can be marked next; with gravity, only the lowest of each column."""
        return self.board & ~marks & (marks << self.m | self.bottom if self.gravity else self.board)

    def completes(self, cell: int, marks: int) -> bool:
        """Whether a side with these marks has a line with the cell."""
        marks |= 1 << cell
        return any(not (line & ~marks or beside & marks) for line, beside in self.through[cell])

    def rests(self, own: int, other: int, most: int) -> list[int]:
        """The free cells of each line for which a side lacks no more marks than ``most``."""
        return [rest for rest, _ in lacked(self.lines, own, other) if rest.bit_count() <= most]

    def plays(self, reference: Any, wins: bool, own: int, other: int, extra: int = 0) -> int:
        """Fail unless the side to move wins, or at least never loses, by this strategy; the cells on which it relies.

        A win holds as well if the other side has so many more marks (``extra``), none of them in these cells.
        """
        number, image = self.at(reference)
        if reference & 7:
            own, other = turned(own, image), turned(other, image)
        key = f"{number} {wins} {extra} {own:x} {other:x}"
        if key not in self.known:
            kind, given = self.reason(number)
            relies = 0
            if kind == "blocking" and len(given) == 2 and not wins:
                self.blocks(given[0], given[1], own, other)
            elif kind == "threats":
                need(wins and not self.gravity, "threats prove only wins, and nothing with gravity")
                relies = self.threatens(given[: len(self.cells)], own, other, extra, number)
            else:
                need(kind == "strategy" and len(given) == 3, f"position {number} has no strategy")
                move, replies, others = given
                can = type(move) is int and move in bits(self.may_mark(own | other))
                need(can, f"position {number} has a wrong move")
                relies = 1 << move
                if not self.completes(move, own):
                    relies |= self.awaits(replies, others, wins, own | relies, other, extra)
            self.keep(key, relies)
        relies = self.known[key]
        return word(cell for cell in self.cells if relies >> image[cell] & 1) if reference & 7 else relies

    def awaits(self, replies: Any, others: Any, wins: bool, own: int, other: int, extra: int = 0) -> int:
        """Fail unless the side wins, or at least never loses, whatever the other side, to move, does; as ``plays``."""
        need(isinstance(replies, list) and all(isinstance(each, list) for each in replies), "answers cannot be read")
        if not wins and all(line & own for line, _ in self.lines):
            return 0
        possible = self.may_mark(own | other)
        need(not wins or possible.bit_count() > extra, "the board is full and nobody has won")
        ends, theirs = any_of(self.rests(own, other, 1)), self.rests(other, own, 1 + extra)
        lost = possible & any_of(rest for rest in theirs if rest.bit_count() == 1)
        if lost:
            raise WrongError(f"{self.names(lost & -lost)} completes a line for the side with {self.names(other)}")
        relies = ends | (any_of(theirs) if extra else 0)
        named = {each[0]: each[1] for each in reversed(replies) if len(each) == 2 and isinstance(each[0], int | float)}
        left = bits(possible)
        if ends:
            left = [reply for reply in left if not self.may_mark(own | other | 1 << reply) & ends]
        elif wins and not self.gravity:
            relies |= (passed := self.passes(others, own, other, extra))
            left = [reply for reply in left if reply in named or passed >> reply & 1]
        for reply in left:
            self.replies += 1
            relies |= self.plays(named.get(reply, others), wins, own, other | 1 << reply, extra)
        return relies

    def passes(self, others: Any, own: int, other: int, extra: int) -> int:
        """The cells on which the win relies by which a pass is answered; all of them if it is not known to be one."""
        try:
            return self.plays(others, True, own, other, extra + 1) if extra < MOST_EXTRA else self.board
        except WrongError:
            return self.board

    def threatens(self, moves: list[Any], own: int, other: int, extra: int, number: int) -> int:
        """Fail unless the side to move wins by threats, the other one making all answers to each; as ``plays``."""
        need(all(whole(move, 0, self.cells[-1]) for move in moves), f"position {number} has a wrong threat")
        marks: list[int] = [1 << move for move in moves]
        most, rest, free, relies = 2 + extra, ~(own | any_of(marks)), ~other, 0
        # Of the side, the lines that ever lack two cells or fewer; of the other one, those that lack so few now.
        lines = [(line, ends) for line, ends in self.lines if not line & other and (line & rest).bit_count() <= 2]
        near = [(line, ends) for line, ends in self.lines if not line & own and (line & free).bit_count() <= most]
        for mark in marks:
            need(not mark & (own | other), f"position {number} has a wrong threat")
            relies |= mark
            if any(line & ~own == mark and not beside & own for line, beside in lines):
                return relies
            own |= mark
            rests = lacked(lines, own, other)
            answers = any_of(rest for rest, _ in rests if rest.bit_count() == 1)
            theirs = [rest for rest, _ in lacked(near, other, own)]
            slow = any(rest.bit_count() <= (1 if answers else 2) for rest in theirs)
            need(not slow, f"a threat of position {number} is too slow")
            relies |= answers | any_of(rest for rest in theirs if not answers or rest.bit_count() <= 1 + extra)
            if answers & (answers - 1):
                return relies
            if not answers:
                found = fours(rests)
                need(bool(found), f"position {number} has a move that threatens nothing")
                answers = self.board
                for four, ends in found:
                    relies |= four | ends
                    answers &= four | (ends if ends.bit_count() == 2 else 0)
            if not answers:
                return relies
            other |= answers
            through = (each for cell in bits(answers) for each in self.through[cell])
            near += [each for each in through if (each[0] & ~other).bit_count() <= most]
        raise WrongError(f"the threats of position {number} come to no end")

    def blocks(self, first: Any, reference: Any, own: int, other: int) -> None:
        """Fail unless a side blocks all lines of the other one, which is to move after this first mark."""
        need(not self.gravity, "blocking proves nothing with gravity")
        if first is not None:
            need(whole(first, 0, self.cells[-1]) and not (own | other) >> first & 1, "the first mark is wrong")
            own |= 1 << first
        self.defends(reference, frozenset(line & ~other for line, _ in self.lines if not line & own))

    def defends(self, reference: Any, lines: Lines) -> int:
        """The cells that a defence may mark, of lines of empty cells (words) that it has not blocked; or fail."""
        number, image = self.at(reference)
        key = f"{reference} {sorted(lines)}"
        if key in self.known:
            return self.known[key]
        here = frozenset(turned(line, image) for line in lines)
        need(0 not in here, "the attacker has a line")
        kind, given = self.reason(number)
        marks = self.by_pairs(given, here) if kind == "pairs" else self.by_answers(given, here, number)
        return self.keep(key, word(cell for cell in self.cells if marks >> image[cell] & 1))

    def by_pairs(self, cells: list[Any], lines: Lines) -> int:
        """The cells of the pairs, given one after another."""
        need(all(whole(cell, 0, self.cells[-1]) for cell in cells), "a pair is not on the board")
        need(len(cells) % 2 == 0 and len(set(cells)) == len(cells), "two pairs share a cell")
        pairs = [1 << cells[i] | 1 << cells[i + 1] for i in range(0, len(cells), 2)]
        left = next((line for line in lines if not any(pair & line == pair for pair in pairs)), 0)
        need(not left, f"no pair is on the line {self.names(left)}")
        return sum(pair for pair in pairs if any(pair & line == pair for line in lines))

    def by_answers(self, answers: list[Any], lines: Lines, number: int) -> int:
        """The cells of all answers, and of what follows."""
        through = {cell: {line for line in lines if line >> cell & 1} for cell in self.cells}
        tried: dict[int, int] = {}
        need(len(answers) <= len(self.cells), f"position {number} has more answers than there are cells")
        for answer in answers:
            need(isinstance(answer, list) and len(answer) == 3, f"an answer of position {number} cannot be read")
            move, reply, after = answer
            free = move != reply and all(whole(c, 0, self.cells[-1]) and through[c] for c in (move, reply))
            need(free, f"an answer of position {number} is not on open lines")
            self.replies += 1
            left = frozenset(line & ~(1 << move) for line in lines if not line >> reply & 1)
            tried[move] = self.defends(after, left) | 1 << reply
        for move in self.cells:
            outside = any(not marks >> move & 1 for marks in tried.values())
            under = any(through[move] <= through[other] for other in tried)
            if through[move] and not (outside or under):
                raise WrongError(f"nothing answers {self.names(1 << move)} in position {number}")
        return word(cell for cell in self.cells if cell in tried or any(m >> cell & 1 for m in tried.values()))


def lacked(lines: Iterable[tuple[int, int]], own: int, other: int) -> list[tuple[int, int]]:
    """Of each of these lines that a side could still complete, the free cells, and those that must not continue it."""
    free = ~own
    return [(line & free, beside) for line, beside in lines if not (line & other or beside & own)]


def fours(rests: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each cell after which a side could complete lines, of which it lacks these, in two cells or more; and those."""
    two = [(rest, beside) for rest, beside in rests if rest.bit_count() == 2]
    each = (1 << cell for cell in bits(any_of(rest for rest, _ in two)))
    found = ((four, any_of(rest & ~four for rest, beside in two if rest & four and not beside & four)) for four in each)
    return [(four, ends) for four, ends in found if ends & (ends - 1)]


def word(cells: Iterable[int]) -> int:
    """The number in which the bits of these cells are set."""
    return sum(1 << cell for cell in cells)


def turned(cells: int, image: Sequence[int]) -> int:
    """The cells on the board as it is turned."""
    return word(image[cell] for cell in bits(cells))


def any_of(words: Iterable[int]) -> int:
    """The cells of all these words."""
    cells = 0
    for each in words:
        cells |= each
    return cells


def bits(cells: int) -> list[int]:
    """The cells whose bits are set."""
    return [cell for cell, digit in enumerate(bin(cells)[:1:-1]) if digit == "1"]


def sides_to_prove(winner: int | None, marks: Iterable[object], may_hurt: bool) -> list[int]:
    """The sides that must be shown to get their way: the winner, or for a draw both, of which one may follow.

    It does on an empty board, unless to have moved may hurt: with gravity, or where k alone wins.
    """
    return [winner] if winner is not None else [0, 1] if may_hurt or any(marks) else [1]


def position_of(certificate: dict[str, Any]) -> str:
    """The position to prove, in notation; empty if there are only marks. ``WrongError`` if it is none."""
    missing = next((name for name in NAMES if name not in certificate), "")
    need(not missing, f"it has no {missing}")
    m, n, k, gravity, turn, given = (certificate[name] for name in NAMES[:6])
    exact = certificate.get("exact", False)
    rules = isinstance(gravity, bool) and isinstance(exact, bool)
    need(all(whole(size, 1, 26) for size in (m, n, k)) and rules, "it does not name a board")
    need(isinstance(given, list) and len(given) == 2 and all(isinstance(s, list) for s in given), "it has no marks")
    need(all(whole(cell, 0, m * n - 1) for side in given for cell in side), "a mark is not on the board")
    first, second = marks = [word(side) for side in given]
    every, checker = first | second, Checker(m, n, k, gravity, [], exact=exact)
    fit = every.bit_count() == len(given[0] + given[1]) and whole(turn, 0, 1) and len(given[0]) - len(given[1]) == turn
    need(fit, "the marks of the two sides do not fit")
    floating = every & ~(every << m | checker.bottom) if gravity else 0
    need(not floating, f"marks are in the air: {checker.names(floating)}")
    over = every == checker.board or any(checker.completes(cell, side) for side in marks for cell in bits(side))
    need(not over, "the game is over")
    board = board_of(certificate)
    if "position" not in certificate:
        return "" if first else board
    text = certificate["position"]
    words = text.lower().split() if isinstance(text, str) and text.isascii() else []
    need(words[:1] == [board], f"the position that it names is none of {board}")
    cells = played(words[1:], checker)
    need([word(cells[::2]), word(cells[1::2])] == marks, "its marks are not those of the position that it names")
    return " ".join([board, *(checker.names(1 << cell) for cell in cells)])


def board_of(certificate: dict[str, Any]) -> str:
    """The game, in notation."""
    m, n, k, gravity = (certificate[name] for name in NAMES[:4])
    return f"mnk:{m},{n},{k}{':gravity' * gravity}{':exact' * certificate.get('exact', False)}"


def played(words: Iterable[str], checker: Checker) -> list[int]:
    """The cells of moves in notation, one after another; ``WrongError`` if one of them is against the rules."""
    cells: list[int] = []
    for number, text in enumerate(words, 1):
        can = {checker.names(1 << cell): cell for cell in bits(checker.may_mark(word(cells)))}
        if checker.gravity:
            can |= {name[0]: cell for name, cell in can.items()}
        need(text in can, f"move {number} of the position that it names cannot be played")
        ends = checker.completes(can[text], word(cells[len(cells) % 2 :: 2]))
        need(not ends, f"the game is over with move {number} of the position that it names")
        cells.append(can[text])
    return cells


def drawn(certificate: dict[str, Any]) -> str:
    """The board of its position, and the side to move."""
    m, n, turn = (certificate[name] for name in ("m", "n", "turn"))
    mark = {cell: letter for letter, cells in zip("XO", certificate["marks"], strict=True) for cell in cells}
    rows = [[f"{row + 1:>4}", *(mark.get(row * m + column, ".") for column in range(m))] for row in reversed(range(n))]
    rows.append(["    ", *(chr(97 + column) for column in range(m))])
    return "\n".join([*map(" ".join, rows), f"{'XO'[turn]}, the {SIDES[turn]} side, is to move."])


def check(certificate: dict[str, Any], stopped: Stopped = bool) -> str:
    """What is proven, in one sentence; ``WrongError`` says where it fails. ``stopped`` can end it by an interrupt."""
    position = position_of(certificate)
    m, n, k, gravity, turn, given, winner, proofs, positions = (certificate[name] for name in NAMES)
    exact = certificate.get("exact", False)
    need(winner is None or whole(winner, 0, 1), "it does not name a value")
    checker = Checker(m, n, k, gravity, positions, stopped, exact=exact)
    marks = [word(side) for side in given]
    wanted = sides_to_prove(winner, marks, gravity or exact)
    need(isinstance(proofs, list) and len(proofs) == len(wanted), "a proof is missing")
    for proof, side in zip(proofs, wanted, strict=True):
        need(isinstance(proof, list) and len(proof) == 3, "a proof cannot be read")
        (kind, first, number), own, other, moves = proof, marks[side], marks[1 - side], side == turn
        if kind == "strategy" and moves:
            checker.plays(number, winner is not None, own, other)
        elif kind == "strategy":
            checker.awaits(first, number, winner is not None, own, other)
        else:
            need(kind == "blocking" and winner is None and (moves or first is None), "a proof is of no kind")
            checker.blocks(first, number, own, other)
    if not position:
        owners = " and ".join(f"{checker.names(side)} of the {who}" for side, who in zip(marks, SIDES, strict=True))
        position = f"{board_of(certificate)} with the marks {owners} side"
    count = f"{checker.checked:,} position{'s' * (checker.checked != 1)}"
    return f"{position} is {worth(winner)} ({checker.replies:,} answers replayed, {count})"


def worth(winner: int | None) -> str:
    """What a position with this winner is."""
    return "a draw" if winner is None else f"won by the {SIDES[winner]} side"


def told(path: str) -> tuple[str, bool]:
    """What is to be said of this file, and whether it is proven; ``OSError`` if it cannot be read."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(0, "That is no ordinary file")  # a pipe might never end
        with open(path, "rb") as file:
            certificate = read(file.read(MOST_BYTES))
        return f"Proven: {check(certificate)}.\n\n{drawn(certificate)}", True
    except WrongError as problem:
        return f"NOT PROVEN: {problem}.", False


def main(arguments: list[str]) -> int:
    """Check one file; 0 if it is proven, 1 if not, 2 if there is nothing to check."""
    if len(arguments) != 1:
        print("usage: python verify.py FILE", file=sys.stderr)
        return 2
    try:
        said, proven = told(arguments[0])
    except OSError as error:
        print(f"The file cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    print(said)
    return 0 if proven else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
