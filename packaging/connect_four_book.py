"""Make resources/connect-four.book: the exact score of every position of Connect Four with ten stones.

    python packaging/connect_four_book.py make [--twelve FILE] [--minutes M] [--work FILE]
    python packaging/connect_four_book.py prove --count 2000 --seed 1

``make`` solves one position after the other with nimdesk's own solver, keeps what it has in the working file, and goes
on from there when it is called again: some 620,000 positions at about a quarter of a second. With ``--twelve`` the
scores come by minimax from the values of all positions with twelve stones, in the format of "book_12ply_distances.dat"
of the package ``bitbully-databases``, which were computed by an independent solver; that takes two minutes.

``prove`` takes random positions of the book and has nimdesk's own solver prove each score from both sides, without the
book: that it is at least this, and at most this.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np

from nimdesk.games.mnk import book
from nimdesk.games.mnk.solver import drop_search as search

STONES, OPEN = 10, -128
SAVE_S = 60.0
TABLE_BITS = 19


class Prover:
    """Asks the search about one position after the other, with one table for all."""

    def __init__(self) -> None:
        self.search = search.make_search(book.COLUMNS, book.ROWS)
        self.shift = book.COLUMNS * (book.ROWS + 1) - TABLE_BITS
        self.table = search.new_table(self.search, self.shift)

    def ask(self, own: int, taken: int, alpha: int) -> int:
        search.ask(self.search, own, taken, alpha)
        while self.search.state[search.MODE] != search.AT_REST:
            search.run(self.search, self.table, self.shift, 1_000_000)
        return int(self.search.state[search.VALUE])

    def score(self, own: int, taken: int) -> int:
        low, high = -21, 21
        while low < high:
            alpha = (low + high) // 2
            value = self.ask(own, taken, alpha)
            low, high = (value, high) if value > alpha else (low, value)
        return low

    def has_score(self, own: int, taken: int, score: int) -> bool:
        return self.ask(own, taken, score - 1) >= score >= self.ask(own, taken, score)


def levels(stones: int) -> list[book.Level]:
    found = [book.first_level()]
    while found[-1].stones < stones:
        found.append(book.next_level(found[-1]))
    return found


def listed(file: Path) -> tuple[book.Words, book.Words, book.Scores]:
    """The positions of the file, their own and all stones, and their distances to the end: negative for a loss.

    A record is four bytes of position and one of value. Column after column, from the bottom up: 10 is a stone of the
    side to move, 11 of the other one, 0 ends a column. A value is 100 less the plies to the end; 0 for a draw.
    """
    records = np.fromfile(file, np.uint8).reshape(-1, 5)
    word = records[:, :4].astype(np.uint32) @ np.array([1 << 24, 1 << 16, 1 << 8, 1], np.uint32)
    own, taken = np.zeros((2, len(word)), np.uint64)
    column, row, place = np.zeros((3, len(word)), np.uint32)
    place += 31
    for _ in range(12 + book.COLUMNS):
        stone = word >> place & 1
        theirs = stone & word >> place - stone
        bit = stone.astype(np.uint64) << (column * (book.ROWS + 1) + row).astype(np.uint64)
        taken |= bit
        own |= np.where(theirs == 1, 0, bit).astype(np.uint64)
        place -= 1 + stone
        column, row = column + 1 - stone, (row + 1) * stone
    value = records[:, 4].view(np.int8)
    return own, taken, np.where(value == 0, 0, np.sign(value) * 100 - value).astype(np.int8)


def from_twelve(file: Path, all_levels: list[book.Level]) -> book.Scores:
    twelve, cells = all_levels[-1], book.COLUMNS * book.ROWS
    scores, _ = book.decided(twelve)
    own, taken, distance = listed(file)
    at = np.searchsorted(twelve.keys, book.canonical(own, taken))
    scores[at] = np.sign(distance) * ((cells + 2 - (twelve.stones + abs(distance))) // 2)
    for level, after in zip(reversed(all_levels[STONES:-1]), reversed(all_levels[STONES + 1 :]), strict=True):
        scores = book.scores_before(level, after, scores)
    return scores


def solved(level: book.Level, work: Path, minutes: float) -> book.Scores | None:
    """The scores by our own solver, or None if there are still some to find."""
    scores, others = book.decided(level)
    scores[others] = OPEN
    if work.exists():
        scores = np.load(work)
    own, taken = (words.tolist() for words in level.split())
    prover, begin, saved = Prover(), time.monotonic(), time.monotonic()
    for done, at in enumerate(others.tolist()):
        if scores[at] == OPEN:
            scores[at] = prover.score(own[at], taken[at])
            now = time.monotonic()
            if now > saved + SAVE_S or now > begin + 60 * minutes:
                np.save(work, scores)
                saved = now
                print(f"{done + 1:,} of {len(others):,} positions", flush=True)
            if now > begin + 60 * minutes:
                return None
    return scores


def make(options: argparse.Namespace) -> None:
    if options.twelve is not None:
        all_levels = levels(12)
        scores: book.Scores | None = from_twelve(options.twelve, all_levels)
        level = all_levels[STONES]
    else:
        level = levels(STONES)[-1]
        scores = solved(level, options.work, options.minutes)
    if scores is None:
        print(f"Not all positions are solved; the same command goes on from {options.work}.")
        return
    book.write(options.book, level, scores)
    print(f"{options.book}: {len(level.keys):,} positions, {options.book.stat().st_size:,} bytes")


def prove(options: argparse.Namespace) -> None:
    opening, level = book.Book(options.book), levels(STONES)[-1]
    _, others = book.decided(level)
    own, taken = (words.tolist() for words in level.split())
    chosen = random.Random(options.seed).sample(sorted(others.tolist()), options.count)
    prover, wrong, begin = Prover(), 0, time.monotonic()
    for done, at in enumerate(chosen, 1):
        score = opening.score(own[at], taken[at])
        if score is None or not prover.has_score(own[at], taken[at], score):
            wrong += 1
            print(f"wrong: key {int(level.keys[at])}, score {score}", flush=True)
        if done % 100 == 0 or done == options.count:
            print(f"{done} of {options.count} proved, {wrong} wrong, {time.monotonic() - begin:.0f} s", flush=True)
    sys.exit(1 if wrong else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--book", type=Path, default=book.book_path())
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("make")
    part.add_argument("--twelve", type=Path)
    part.add_argument("--work", type=Path, default=Path("connect-four-book.npy"))
    part.add_argument("--minutes", type=float, default=float("inf"))
    part.set_defaults(call=make)
    part = parts.add_parser("prove")
    part.add_argument("--count", type=int, default=1000)
    part.add_argument("--seed", type=int, default=1)
    part.set_defaults(call=prove)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
