"""What is proven: the value of a position, a certificate checked, Grundy values; and what counts of games say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nimdesk.api.arguments import Where, path_of, position_of, real, several, sprt_of, whole, words_of
from nimdesk.api.showing import Answer, drawn, frame, html_table
from nimdesk.errors import OptionError
from nimdesk.experiments.strength import Strength, strength_of
from nimdesk.figures.content import of_grundy
from nimdesk.figures.matches import of_strength
from nimdesk.figures.solved import of_truth
from nimdesk.games import AnyPosition, solved
from nimdesk.games.certificates import read_certificate
from nimdesk.games.take.codes import HeapRule, sequence_rule
from nimdesk.games.truth import Certificate, Truth
from nimdesk.games.truth_words import truth_sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from nimdesk.games.take.grundy import Period, Sequence


class Solution(Truth, Answer, frozen=True):
    """What is proven of a position and of each move; ``best_moves`` keep its value, ``quickest_moves`` do so best."""

    __repr__ = Truth.__repr__

    @property
    def finding(self) -> str:
        """What the position is worth, and with which moves."""
        return truth_sentence(self) or f"The game is over in {self.position.text}."

    def to_pandas(self) -> DataFrame:
        """A row for each move: ``move``, ``value`` for the side that plays it, and ``distance`` in plies."""
        return frame(self._rows, ("move", "value", "distance"))

    def plot(self, axes: Axes | None = None) -> Axes:
        """The moves with what each is worth, from 0 to 1, and nothing where that is unknown."""
        return drawn(lambda: of_truth(self), axes)

    @property
    def _rows(self) -> list[tuple[str, str, int | None]]:
        return [(each.move.text, each.value.value, each.distance) for each in self.moves]

    @property
    def _html(self) -> str:
        rows = ((move, value, "" if distance is None else distance) for move, value, distance in self._rows)
        return html_table(("Move", "Value", "Plies to the end"), rows)


def solve(where: Where, *, time_s: float = 10.0) -> Solution:
    """What can be proven of a position and of each move within ``time_s`` seconds; the rest is ``Value.UNKNOWN``."""
    start, time_s = position_of(where), real("time_s", time_s)
    if start.outcome is not None:
        raise OptionError(f"There is nothing to solve in {start.text}: the game is over.")
    truth, _ = solved(start, time_s)
    return Solution(*(getattr(truth, name) for name in Truth.__struct_fields__))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proof(Answer):
    """A certificate that was checked: what it proves, and what it answers to each move."""

    certificate: Certificate

    @property
    def position(self) -> AnyPosition:
        """The position whose value is proven."""
        start: AnyPosition = self.certificate.start
        return start

    @property
    def finding(self) -> str:
        """What is proven."""
        return f"Proven: {self.certificate.claim}."

    def to_pandas(self, where: Where | None = None) -> DataFrame:
        """A row for each ``move`` of a position, by default the first, with the ``answer`` to it, and ``why``.

        Where the side to move is the one that the certificate plays for, there is its own move alone.
        """
        return frame(self._rows(self.position if where is None else position_of(where)), ("move", "answer", "why"))

    def _rows(self, position: AnyPosition) -> list[tuple[str, str, str]]:
        advice = self.certificate.advise(position)
        own = [(advice.answer.move.text, "", advice.answer.why)] if advice.answer is not None else []
        answered = zip(position.legal_moves, advice.answers, strict=False)
        return own + [
            (move.text, "", "the game is over") if answer is None else (move.text, answer.move.text, answer.why)
            for move, answer in answered
        ]

    @property
    def _html(self) -> str:
        return html_table(("Move", "Answer", "Why"), self._rows(self.position))


def verify(certificate: str | Path) -> Proof:
    """Check a certificate, with nothing of the solver that wrote it; ``NimdeskError`` where it proves nothing."""
    return Proof(read_certificate(path_of(certificate))[0])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grundy(Answer):
    """The Grundy values of the heaps of a take-away game, and their period."""

    rule: HeapRule
    sequence: Sequence

    @property
    def values(self) -> list[int]:
        """Those of the heaps 0, 1, 2, …"""
        found: list[int] = self.sequence.values.tolist()
        return found

    @property
    def period(self) -> Period | None:
        """Its ``length``, from which heap on (``start``), and whether it is ``proven``; None if none is seen."""
        return self.sequence.period

    def nim_sum(self, heaps: int | Iterable[int]) -> int:
        """The exclusive or of the values of these heaps: 0 where whoever is to move loses in normal play."""
        sizes = [whole("heaps", each) for each in several(heaps)]
        if sizes and max(sizes) >= len(self.sequence.values):
            raise OptionError(
                f"The values are known up to heap {len(self.sequence.values) - 1:,}; ask for more of them."
            )
        return self.sequence.nim_sum(sizes)

    @property
    def finding(self) -> str:
        """The rule, the first values and the period."""
        first = " ".join(map(str, self.values[:_FIRST]))
        return f"{self.rule.text}: {first}{' …' * (len(self.values) > _FIRST)} {self.sequence.period_words}"

    def to_pandas(self) -> DataFrame:
        """A row for each ``heap`` with its ``value``, and its ``outcome`` for the side to move, alone on the table."""
        rows = [(heap, value, "win" if value else "loss") for heap, value in enumerate(self.values)]
        return frame(rows, ("heap", "value", "outcome"))

    def plot(self, axes: Axes | None = None) -> Axes:
        """The values over the sizes of heaps."""
        return drawn(lambda: of_grundy(self.rule.text, self.sequence), axes)

    @property
    def _html(self) -> str:
        return html_table(("Heap", "Value"), enumerate(self.values))


_FIRST = 20


def grundy(rule: str, *, to: int = 1_000) -> Grundy:
    """The Grundy values of heaps up to ``to`` under a rule such as ``{1,3,4}`` or an octal code such as ``0.77``."""
    parsed, most = sequence_rule(words_of("rule", rule)), whole("to", to)
    from nimdesk.games.take.grundy import sequence  # lazy: loads numba

    return Grundy(parsed, sequence(parsed, most))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Elo(Answer):
    """How strong one player is against another after counts of games, or of pairs of games."""

    strength: Strength

    @property
    def elo(self) -> float:
        """The difference; infinite where all was won or lost."""
        return self.strength.elo[0]

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95% interval."""
        return self.strength.elo[1:]

    @property
    def los(self) -> float:
        """How sure it is that the difference is above 0 (likelihood of superiority)."""
        return self.strength.los

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the sequential test; None without one."""
        return self.strength.llr

    @property
    def decision(self) -> str | None:
        """``H0`` or ``H1`` if the test accepts it; None if it would play on, or without one."""
        return self.strength.decision

    @property
    def finding(self) -> str:
        """All of it, and how the counts were read."""
        return self.strength.finding

    def to_pandas(self) -> DataFrame:
        """One row with everything."""
        return frame([self.strength.plain])

    def plot(self, axes: Axes | None = None) -> Axes:
        """How likely each difference is."""
        return drawn(lambda: of_strength(self.strength), axes)

    @property
    def _html(self) -> str:
        return html_table(self.strength.plain, [self.strength.plain.values()])


def elo(*counts: int, sprt: tuple[float, float] | None = None, alpha: float = 0.05) -> Elo:
    """The Elo difference after wins, draws and losses; or after pairs of games with 0, ½, 1, 1½ and 2 points.

    ``sprt`` tests two differences, such as ``(0, 5)``, with error rates of ``alpha``.
    """
    numbers = [whole("counts", each) for each in counts]
    return Elo(strength_of(numbers, sprt_of(sprt, alpha, pairs=sprt is not None and len(numbers) != 3)))
