"""What the functions of the library return: a search, the results of a plan, or two results compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, cast, get_args

from numpy import log

from nimdesk.agents import Agent
from nimdesk.api.arguments import choice
from nimdesk.api.showing import Answer, drawn, frame, html_section, html_table
from nimdesk.errors import OptionError, quoted
from nimdesk.experiments.differences import DIFFERENCE_COLUMNS, Differences, difference_rows, side_by_side
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.rating import RatingList, rating_list
from nimdesk.experiments.matches.tally import MatchTally, PairingTally
from nimdesk.experiments.matches.tuning import Tuning, tuning_of
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import finding, markdown, sections
from nimdesk.figures.compared import Compared, of_comparison
from nimdesk.figures.content import Content, Searched, of_searches, usual_measure
from nimdesk.figures.measure import MEASURES, MeasureName
from nimdesk.figures.results import measures_of, of_results
from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Truth
from nimdesk.play.words import answer_words
from nimdesk.search import MoveStats, Snapshot, Trace, measures
from nimdesk.search.timeline import Recorder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

_MOST_CURVES = 5
_WIDTH, _HEIGHT = 480, 160


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search(Answer):
    """A finished search: what it thinks of each move, and how it came to think so."""

    agent: Agent
    snapshot: Snapshot
    """The search at its end, frozen."""

    @property
    def position(self) -> AnyPosition:
        """What was searched."""
        return self.snapshot.position

    @property
    def best_move(self) -> Move | None:
        """What the agent plays."""
        return self.snapshot.best_move

    @property
    def moves(self) -> tuple[MoveStats, ...]:
        """What it knows of each legal move, in the order of ``position.legal_moves``."""
        return self.snapshot.moves

    @property
    def trace(self) -> Trace | None:
        """The root's visits and values at checkpoints from the first iteration on; None for agents without visits."""
        return self.snapshot.trace

    def to_pandas(self) -> DataFrame:
        """A row for each checkpoint and move.

        The columns are ``iterations``, ``nodes``, ``elapsed_s``, ``move``, ``visits`` and ``mean_value``, which is the
        expected score of the side to move, from 0 to 1, and missing before the first visit. ``nodes`` is missing for a
        search that keeps no tree. An agent that keeps no trace has the rows of its end alone.
        """
        return frame(search_rows(self.snapshot), COLUMNS)

    def plot(self, axes: Axes | None = None, *, measure: MeasureName | None = None, truth: Truth | None = None) -> Axes:
        """The curves over iterations of the move played and its rivals; optimal moves of ``truth`` are marked by ✓.

        ``measure`` is share, visits, mean, bound, entropy, optimal or regret; the last two need ``truth``. By default
        it is what the agent chooses by: the mean for flat Monte Carlo, otherwise the share. Draws into ``axes``, or
        into a new figure, and returns them. ``OptionError`` for an agent without visits.
        """
        if self.trace is None:
            raise OptionError(f"The agent {self.agent.name} plays no simulations, so there are no curves to draw.")
        recorder = Recorder()
        recorder.add(self.snapshot)
        searched = Searched(self.agent, self.position.game, self.snapshot.seed, recorder.timeline(self.snapshot))
        axes = drawn(lambda: content_of_searches(self.position, [searched], measure, truth), axes)
        axes.set_title(f"{self.position.text}: {self.agent.label}, seed {self.snapshot.seed}")
        return axes

    @property
    def finding(self) -> str:
        """What was searched and what the agent plays; ``moves``, ``trace`` and ``to_pandas`` have the rest."""
        return answer_words(self.agent, self.snapshot)

    @property
    def _html(self) -> str:
        end, total = self.snapshot, self.snapshot.total_visits
        rows = []
        for stats in sorted(self.moves, key=lambda each: -each.visits):
            share = f"{end.share(stats):.1%}" if total else ""
            mean = "" if stats.mean_value is None else f"{stats.mean_value:.4f}"
            rows.append((stats.move.text, f"{stats.visits:,}", share, mean, stats.proof))
        return _curves(self.trace) + html_table(("Move", "Visits", "Share", "Mean value", "Proven"), rows)


COLUMNS = ("iterations", "nodes", "elapsed_s", "move", "visits", "mean_value")


def search_rows(end: Snapshot) -> list[tuple[object, ...]]:
    """The rows of ``Search.to_pandas``."""
    trace = end.trace
    if trace is None:
        return [(end.iterations, end.tree_nodes, end.elapsed_s, m.move.text, m.visits, m.mean_value) for m in end.moves]
    rows: list[tuple[object, ...]] = []
    names, means = [move.text for move in trace.moves], measures.means(trace)
    counted = trace.nodes if end.has_nodes else None
    nodes = [None] * len(trace) if counted is None else counted.tolist()
    costs = zip(trace.iterations.tolist(), nodes, trace.elapsed_s.tolist(), strict=True)
    for row, spent in enumerate(costs):
        cells = zip(names, trace.visits[row].tolist(), means[row].tolist(), strict=True)
        rows += [(*spent, *cell) for cell in cells]
    return rows


def content_of_searches(
    position: AnyPosition, searched: Sequence[Searched], measure: str | None, truth: Truth | None
) -> Content:
    """The curves of these searches by a measure, or by what the first agent chooses by; ``OptionError``."""
    if truth is not None and not isinstance(truth, Truth):
        raise OptionError(f"The argument truth is what nd.solve returns; {quoted(str(truth))} is not.")
    name = choice("measure", measure or usual_measure(searched[0].agent), tuple(MEASURES))
    return of_searches(position, searched, cast(MeasureName, name), truth=truth)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Results(Answer):
    """The results of a match, a study, or any other plan."""

    found: Found

    @property
    def plan(self) -> Plan:
        """What was asked for; it determines every number."""
        return self.found.schedule.plan

    def to_pandas(self) -> DataFrame:
        """The results as a table, with the columns of ``study.csv``, ``table.csv`` or ``choices.csv``, numbers in full.

        A study has a row for each agent, position and budget, a match one for each role and position, searches one for
        each player and position, an atlas one for each position and agent. In an atlas, what depends on the budget is a
        tuple.
        """
        tables = (next(iter(kind.data.values()))(tally) for kind, tally in self.found.tallies.items() if kind.data)
        return frame(next(filter(None, tables), []))

    def plot(self, axes: Axes | None = None, *, measure: str | None = None) -> Axes:
        """Draw the results by one of their ``measures``, the first by default.

        A study is drawn over its budgets: how often agents choose an optimal move, with Wilson's 95% bands; or regret.
        Curves of several positions are told apart by their names. An atlas is drawn by the means over all positions of
        a game, also of ``misled``, the share of positions answered wrongly; or by ``worst``, the positions that mislead
        most. A match is drawn by the score over the games, by its ``ratings``, or by the ``llr`` of its test; a tuning
        by the score of each value.
        """
        name = None if measure is None or not self.measures else choice("measure", measure, self.measures)
        return drawn(lambda: of_results(self.found, name), axes)

    @property
    def measures(self) -> tuple[str, ...]:
        """What the results can be drawn by."""
        return measures_of(self.found)

    @property
    def finding(self) -> str:
        """What was found, for a person."""
        return finding(self.found)

    @property
    def pairings(self) -> tuple[PairingTally, ...]:
        """The games of each two players: ``counts``, ``pairs``, ``elo`` with its interval, and ``los``.

        With a sequential test they also have ``llr``, ``decision``, ``bias``, and the test itself as ``pairing.sprt``.
        """
        return tuple(self.found[MatchTally].played)

    @property
    def ratings(self) -> RatingList | None:
        """One list of all players with Elo and intervals; None without games that link them."""
        return rating_list(self.found[MatchTally])

    @property
    def tuning(self) -> Tuning | None:
        """The settings that were tried, the best of them, and whether it is better; None if this is no tuning."""
        return tuning_of(self.found[MatchTally])

    @property
    def report(self) -> str:
        """All tables and notes, and what made the results, in Markdown."""
        return markdown(self.found)

    @property
    def _html(self) -> str:
        return "".join(map(html_section, sections(self.found)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Answer):
    """What two studies or runs have both measured, with the differences: ``other`` minus ``one``."""

    one: Results
    other: Results
    differences: Differences

    @property
    def finding(self) -> str:
        """What was found, for a person."""
        return self.differences.sentence

    @property
    def _html(self) -> str:
        return html_section(side_by_side(self.differences))

    def to_pandas(self) -> DataFrame:
        """A row for each quantity: ``of`` what, ``quantity``, ``one``, ``other``, ``difference``, ``low`` and ``high``.

        ``of`` says on what it was measured; ``low`` and ``high`` are the 95% interval of the difference. How many games
        or searches the two values are of is in ``one_counted`` and ``other_counted``.
        """
        return frame(list(difference_rows(self.differences)), DIFFERENCE_COLUMNS)

    def plot(self, axes: Axes | None = None, *, measure: Compared = "optimal") -> Axes:
        """Two studies over each other, or by ``measure="difference"`` the difference with its interval."""
        choice("measure", measure, get_args(Compared))
        return drawn(lambda: of_comparison(self.one.found, self.other.found, ("one", "other"), measure), axes)


def _curves(trace: Trace | None) -> str:
    """The shares of the five most visited moves over the logarithm of iterations, as a small picture."""
    if trace is None or len(trace) < 2:
        return ""
    x = log(trace.iterations)
    x = (x - x[0]) / (x[-1] - x[0]) * _WIDTH
    shares, lines = trace.shares(), []
    for rank, column in enumerate(trace.visits[-1].argsort(kind="stable")[::-1][:_MOST_CURVES]):
        points = " ".join(
            f"{at:.1f},{(1 - share) * _HEIGHT:.1f}" for at, share in zip(x, shares[:, column], strict=True)
        )
        name, width = escape(trace.moves[column].text), 1 if rank else 2.5
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="{width}" '
            f'stroke-opacity="{1 - 0.18 * rank:.2f}"><title>{name}</title></polyline>'
        )
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{"".join(lines)}</svg>'
