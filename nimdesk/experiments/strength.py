"""How strong one player is against another, from counts of games or of pairs of games, wherever they were played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nimdesk.errors import OptionError
from nimdesk.experiments.likelihood import mean_score, superiority
from nimdesk.experiments.statistics import Sprt, elo_difference, signed

_GAMES = ("won", "drawn", "lost")
_PAIRS = ("2", "1½", "1", "½", "0")
_POINTS = ("2", "1.5", "1", "0.5", "0")
MOST = 10**12
"""So many games nobody plays."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What counts say. ``counts`` are wins, draws and losses; or pairs of games with 2, 1½, 1, ½ and 0 points.

    ``sprt`` is a test of them, if one is asked for.
    """

    counts: tuple[int, ...]
    sprt: Sprt | None = None

    @property
    def unit(self) -> Literal["games", "pairs"]:
        """What is counted."""
        return "games" if len(self.counts) == len(_GAMES) else "pairs"

    @property
    def score(self) -> float:
        """The mean score, 0 to 1."""
        return mean_score(*self.counts)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The Elo difference and its 95% interval: (elo, low, high)."""
        return elo_difference(*self.counts)

    @property
    def los(self) -> float:
        """How sure it is that the difference is above 0 (likelihood of superiority)."""
        return superiority(*self.counts)

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the test's H1 to its H0; None without a test."""
        return None if self.sprt is None else self.sprt.llr(*self.counts)

    @property
    def decision(self) -> Literal["H0", "H1"] | None:
        """The hypothesis that the test accepts; None without a test, or if it would play on."""
        return None if self.sprt is None else self.sprt.decision(*self.counts)

    @property
    def counted(self) -> str:
        """The counts in words, so that a person sees how they were read."""
        if self.unit == "games":
            told = ", ".join(f"{count:,} {how}" for count, how in zip(self.counts, _GAMES, strict=True))
            return f"{sum(self.counts):,} games: {told}"
        told = ", ".join(f"{count:,} with {points}" for count, points in zip(self.counts, _PAIRS, strict=True))
        return f"{sum(self.counts):,} pairs of games: {told} points"

    @property
    def plain(self) -> dict[str, object]:
        """All of it as plain values."""
        elo, low, high = self.elo
        names = ("wins", "draws", "losses") if self.unit == "games" else [f"points_{each}" for each in _POINTS]
        told: dict[str, object] = {"unit": self.unit, **dict(zip(names, self.counts, strict=True))}
        told |= {"score": self.score, "elo": elo, "low": low, "high": high, "los": self.los}
        if (sprt := self.sprt) is not None:
            told |= {"elo0": sprt.elo0, "elo1": sprt.elo1, "lower": sprt.lower, "upper": sprt.upper}
            told |= {"llr": self.llr, "decision": self.decision}
        return told

    @property
    def finding(self) -> str:
        """What was found, for a person."""
        elo, low, high = (signed(each, 1) for each in self.elo)
        sure = "over 99.9%" if self.los > 0.999 else "under 0.1%" if self.los < 0.001 else f"{self.los:.1%}"
        words = f"{elo} Elo [{low}, {high}], stronger with a probability of {sure}; {self.counted}."
        if self.sprt is None or self.llr is None:
            return words
        ended = f"{self.decision} is accepted" if self.decision else "neither hypothesis is accepted, play on"
        ends = f"{signed(self.sprt.lower, 2)}, {signed(self.sprt.upper, 2)}"
        tested = f"{self.sprt.elo0:g} against {self.sprt.elo1:g} Elo"
        return f"{words} SPRT of {tested}: LLR {signed(self.llr, 2)} ({ends}): {ended}."


def strength_of(counts: Sequence[int], sprt: Sprt | None = None) -> Strength:
    """Of wins, draws and losses; or of five counts of pairs, as others print them: with 0, ½, 1, 1½ and 2 points.

    ``OptionError`` for another number of counts, for impossible ones, and where nothing is counted.
    """
    if len(counts) not in (len(_GAMES), len(_PAIRS)):
        raise OptionError(
            f"{len(counts)} {'count is' if len(counts) == 1 else 'counts are'} not understood; give wins, draws and "
            "losses, or how many pairs of games brought 0, ½, 1, 1½ and 2 points."
        )
    if not any(counts):
        raise OptionError("All counts are 0; there must be a game at least.")
    ordered = tuple(counts) if len(counts) == len(_GAMES) else tuple(counts)[::-1]
    return Strength(ordered, sprt)
