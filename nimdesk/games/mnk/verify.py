"""Check a certificate that an m,n,k game is a draw: ``nimdesk verify FILE``, or ``python verify.py FILE`` by itself.

This file needs nothing but Python, and shares no code with the solver that wrote the certificate.

A certificate says how the defender keeps the attacker from ever having k in a row, by blocking alone. That is enough
in the m,n,k game too, where the defender may do more than block. A draw needs this for both sides as attackers; on an
empty board for the first alone, because an extra mark never hurts, so that the second side cannot win either (Hales
and Jewett, 1963). The proof is a list of positions with the attacker to move, each with one of two reasons:

* *pairs*: every line that the defender has not blocked holds both cells of a pair, and no two pairs share a cell. When
  the attacker marks a cell of a pair, the defender marks the other.
* *answers*: ``[move, answer, position]``, each with the position after both. Another move needs none if it is *outside*
  one of them, whose defence never marks that cell; or *under* the move of one: all its open lines pass through that
  one too, so that it is answered as if that one had been marked, with the two cells swapped.

What a defence may mark is worked out here, from the pairs up.
"""

import hashlib
import json
import sys
import zlib
from collections.abc import Set
from typing import Any

MAGIC = b"nimdesk certificate 1 "
MOST_BYTES = 1 << 26
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WrongError(Exception):
    """What is wrong with the certificate, in one sentence."""


def read(data: bytes) -> object:
    """The certificate in the bytes of a file."""
    head, _, body = data.partition(b"\n")
    if not head.startswith(MAGIC):
        raise WrongError("this is not a certificate of nimdesk")
    if hashlib.sha256(body).hexdigest().encode() != head[len(MAGIC) :]:
        raise WrongError("the file is damaged: its checksum differs")
    try:
        unpack = zlib.decompressobj()
        text = unpack.decompress(body, MOST_BYTES)
        if unpack.unconsumed_tail:
            raise WrongError("it is too large")
        certificate: object = json.loads(text)
        return certificate
    except (zlib.error, ValueError, RecursionError):
        raise WrongError("what is in the file cannot be read") from None


def need(condition: bool, problem: str) -> None:
    """Fail with the problem unless the condition holds."""
    if not condition:
        raise WrongError(problem)


def whole(value: object, low: int, high: int) -> bool:
    """Whether this is a whole number from low to high."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Checker:
    """Checks the proofs of one certificate."""

    def __init__(self, m: int, n: int, k: int, positions: list[Any]) -> None:
        self.m, self.cells = m, m * n
        self.positions = positions
        self.lines: list[frozenset[int]] = []
        for row in range(n):
            for column in range(m):
                for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                    line = [(column + i * right, row + i * down) for i in range(k)]
                    if all(0 <= c < m and 0 <= r < n for c, r in line):
                        self.lines.append(frozenset(r * m + c for c, r in line))
        self.checked = 0
        self.replies = 0

    def name(self, cell: int) -> str:
        """A cell as a person writes it."""
        return f"{LETTERS[cell % self.m]}{cell // self.m + 1}"

    def names(self, cells: Set[int]) -> str:
        """Several cells."""
        return " ".join(self.name(cell) for cell in sorted(cells)) or "none"

    def where(self, attacker: Set[int], defender: Set[int]) -> str:
        """The marks of a position, for the one who looks for the mistake."""
        return f"with the attacker on {self.names(attacker)} and the defender on {self.names(defender)}"

    def defends(self, number: Any, attacker: frozenset[int], defender: frozenset[int]) -> set[int]:
        """The cells that the defence of this position may mark; fails if it is none. The attacker is to move."""
        here = self.where(attacker, defender)
        need(whole(number, 0, len(self.positions) - 1), f"a position is missing {here}")
        need(
            isinstance(self.positions[number], dict) and len(self.positions[number]) == 1, f"no reason is given {here}"
        )
        self.checked += 1
        ((kind, given),) = self.positions[number].items()
        need(isinstance(given, list), f"no reason is given {here}")
        lines = [line - attacker for line in self.lines if not line & defender]
        need(all(lines), f"the attacker has a line {here}")
        free = set(range(self.cells)) - attacker - defender
        if kind == "pairs":
            return self.by_pairs(given, lines, free, here)
        need(kind == "answers", f"no reason is given {here}")
        return self.by_answers(given, lines, attacker, defender)

    def by_pairs(self, cells: list[Any], lines: list[frozenset[int]], free: Set[int], here: str) -> set[int]:
        """The cells of the pairs, given one after another."""
        need(all(whole(cell, 0, self.cells - 1) for cell in cells), f"a pair is not on the board {here}")
        need(len(cells) % 2 == 0 and len(set(cells)) == len(cells), f"the pairs share a cell {here}")
        need(set(cells) <= free, f"a pair is not free {here}")
        pairs = [set(cells[i : i + 2]) for i in range(0, len(cells), 2)]
        for line in lines:
            need(any(pair <= line for pair in pairs), f"no pair is on the line {self.names(line)} {here}")
        return set(cells)

    def by_answers(
        self, answers: list[Any], lines: list[frozenset[int]], attacker: frozenset[int], defender: frozenset[int]
    ) -> set[int]:
        """The cells of all answers, and of what follows."""
        here, free = self.where(attacker, defender), set(range(self.cells)) - attacker - defender
        through = {cell: {i for i, line in enumerate(lines) if cell in line} for cell in free}
        tried: dict[int, set[int]] = {}
        for answer in answers:
            need(isinstance(answer, list) and len(answer) == 3, f"an answer cannot be read {here}")
            move, reply, after = answer
            need(whole(move, 0, self.cells - 1) and move in free, f"a move is not free {here}")
            need(whole(reply, 0, self.cells - 1) and reply in free - {move}, f"an answer is not free {here}")
            need(not any(line <= {move} for line in lines), f"the attacker completes a line {here}")
            self.replies += 1
            tried[move] = self.defends(after, attacker | {move}, defender | {reply}) | {reply}
        for move in free - tried.keys():
            outside = any(move not in marks for marks in tried.values())
            under = any(through[move] <= through[other] for other in tried)
            need(outside or under, f"nothing answers {self.name(move)} {here}")
        return set(tried).union(*tried.values())


def proofs_needed(marks: list[frozenset[int]], turn: int) -> dict[int, bool]:
    """For each attacker, whether it is to move."""
    return {0: turn == 0} if not marks[0] | marks[1] else {side: turn == side for side in (0, 1)}


def check(certificate: Any) -> str:
    """What is proven, in one sentence; ``WrongError`` says where it fails."""
    need(isinstance(certificate, dict), "it does not name a board")
    try:
        m, n, k, turn = (certificate[key] for key in ("m", "n", "k", "turn"))
        given, proofs, positions = certificate["marks"], certificate["proofs"], certificate["positions"]
    except KeyError as missing:
        raise WrongError(f"it has no {missing}") from None
    need(all(whole(size, 1, 26) for size in (m, n, k)) and whole(turn, 0, 1), "it does not name a board")
    need(
        isinstance(given, list) and len(given) == 2 and all(isinstance(each, list) for each in given), "it has no marks"
    )
    need(all(whole(cell, 0, m * n - 1) for side in given for cell in side), "a mark is not on the board")
    marks = [frozenset(side) for side in given]
    need(not marks[0] & marks[1], "two marks are on one cell")
    need(len(marks[0]) - len(marks[1]) == turn, "it is not this side's turn")
    need(isinstance(positions, list), "it has no positions")
    wanted = proofs_needed(marks, turn)
    need(isinstance(proofs, list) and len(proofs) == len(wanted), "it has not as many proofs as a draw needs")
    checker = Checker(m, n, k, positions)
    for proof, (attacker, attacks) in zip(proofs, wanted.items(), strict=True):
        need(isinstance(proof, list) and len(proof) == 2, "a proof cannot be read")
        reply, number = proof
        own, other = marks[attacker], marks[1 - attacker]
        need(not any(line <= own for line in checker.lines), "the game is over")
        if not attacks and reply is not None:
            free = set(range(m * n)) - own - other
            need(whole(reply, 0, m * n - 1) and reply in free, "the first answer is not free")
            other = other | {reply}
        need(not attacks or reply is None, "a proof begins with a move out of turn")
        checker.defends(number, own, other)
    board = f"{m},{n},{k}" if not marks[0] else f"this position of {m},{n},{k}"
    return f"{board} is a draw ({checker.replies:,} answers replayed, {checker.checked:,} positions)"


def main(arguments: list[str]) -> int:
    """Check one file; 0 if it is proven, 1 if not, 2 if there is nothing to check."""
    if len(arguments) != 1:
        print("usage: python verify.py FILE", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb") as file:
            data = file.read(MOST_BYTES)
    except OSError as error:
        print(f"The file cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    try:
        print(f"Proven: {check(read(data))}.")
    except WrongError as problem:
        print(f"NOT PROVEN: {problem}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
