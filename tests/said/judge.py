"""Claims about worth compared with the oracle, counted by kind; what is false is kept with how to see it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from oracle import Known


class Judge:
    """Collects comparisons; ``faults`` are the claims that were false, each as one line."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.where = ""
        """What is being looked at, and how to have it again."""

    def check(self, kind: str, right: bool, told: object, at: Known) -> None:
        """Count a claim of this kind; note it where it is not ``right``."""
        self.counts[kind] += 1
        if not right:
            self.faults.append(f"{kind}: {told} | {at.text} | {self.where} | {truth_words(at)}")

    def value(self, kind: str, at: Known, value: str | None, distance: int | None, *, of: str = "") -> None:
        """What is told as proven of a position, or ``of`` a move in it; None is not told."""
        worth = at.moves[of] if of else at.worth
        if value is not None:
            self.check(f"{kind}: value", value == worth.value, f"{of} {value}".strip(), at)
        if distance is not None:
            self.check(f"{kind}: distance", distance == worth.plies, f"{of} {value} in {distance}".strip(), at)

    def line(self, kind: str, at: Known, line: Sequence[str], *, free: int = 1) -> None:
        """A line of play after whose first ``free`` moves nobody gives anything away."""
        here = at
        for number, move in enumerate(line):
            if move not in here.steps:
                self.check(kind, False, f"{' '.join(line)}: {move} is not legal", at)
                return
            right = number < free or move in here.best
            if not right:
                self.check(kind, False, f"{' '.join(line)}: {move} gives it away", at)
                return
            here = here.after(move)
        self.check(kind, True, "", at)

    def played(self, kind: str, at: Known, move: str, allowed: Iterable[str]) -> None:
        """A move that has to be one of these."""
        allowed = sorted(allowed)
        self.check(kind, move in allowed, f"{move} and not {' '.join(allowed)}", at)

    def report(self) -> str:
        """How many comparisons there were of each kind."""
        width = max(map(len, self.counts), default=0)
        lines = [f"{kind:<{width}} {count:>9,}" for kind, count in sorted(self.counts.items())]
        return "\n".join([*lines, f"{'in all':<{width}} {self.counts.total():>9,}, {len(self.faults):,} false"])


def truth_words(at: Known) -> str:
    """The truth of a position, for whoever looks into a fault."""
    if at.over:
        return "over"
    moves = " ".join(f"{text}={worth.value}{worth.plies}" for text, worth in at.moves.items())
    return f"truth: {at.worth.value} in {at.worth.plies}: {moves}"
