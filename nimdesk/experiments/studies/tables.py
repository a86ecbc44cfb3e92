"""The results of a study as CSV, as a section in words, and as a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from msgspec.structs import asdict

from nimdesk.cells import csv_text
from nimdesk.experiments.parts import OWN_BUDGET, set_by_study
from nimdesk.experiments.sections import Section, first_rows, range_words, rate_words
from nimdesk.experiments.studies.tally import StudyRow, StudyTally
from nimdesk.experiments.studies.work import Study
from nimdesk.experiments.tables import Cell, nine_digits

_MOST = 3


def study_csv(study: StudyTally) -> str:
    """All rows of a study, with the columns of ``StudyRow``; shares and errors to nine digits, empty if unknown."""
    names = [each.name for each in fields(StudyRow)]
    return csv_text(names, ([nine_digits(getattr(row, name)) for name in names] for row in study.rows()))


STUDY_SEARCH_COLUMNS = (
    "agent", "position", "number", "seed", "budget", "spent", "choice", "regret", "settled", "visits",
)  # fmt: skip


def study_searches_csv(tally: StudyTally) -> str:
    """Each search of a study at each budget; ``visits`` of all legal moves as move=visits, in their order.

    The tally must keep visits.
    """
    return csv_text(STUDY_SEARCH_COLUMNS, (map(nine_digits, row) for row in _study_searches(tally)))


def _study_searches(tally: StudyTally) -> Iterator[list[Cell]]:
    study = tally.study
    for agent, position in tally.pairs:
        moves = [move.text for move in study.positions[position].legal_moves]
        for result in tally.results(agent, position):
            task = study.task(result.number)
            head = (study.labels[agent], study.positions[position].text, task.repeat, study.seed(task))
            own = study.has_own_budget(agent, position)
            budgets: Sequence[int | None] = [None] if own else study.budgets
            # Of one with a budget of its own all readings are alike.
            for budget, spent, choice, visits in zip(
                budgets, result.spent, result.choices, result.visits, strict=not own
            ):
                shown = " ".join(f"{move}={n}" for move, n in zip(moves, visits, strict=True))
                regret = tally.regrets[position][choice] / 2
                yield [*head, budget, spent, moves[choice], regret, result.settled, shown]


def about_study(study: StudyTally) -> dict[str, object]:
    """What the CSV files of a study are of: its agents with all options, its budgets and its seeds."""
    made = study.study
    # Without those that the study sets itself: the agents' own were not searched with.
    agents = [
        {"agent": agent.name, "options": {name: value for name, value in options.items() if name not in given}}
        for agent, options, given in ((each, asdict(each.options), set_by_study(each)) for each in made.agents)
    ]
    unit = {"budget_unit": "ms"} if made.part.unit else {}
    return {"agents": agents, "budgets": list(made.budgets), **unit, "seeds": made.part.repeats}


def convergence(study: StudyTally) -> Section:
    """How often the searches of a study chose an optimal move, by budget."""
    headers = (
        "Agent",
        "Position",
        "Budget",
        "Searches",
        "Optimal",
        "95% interval",
        "Mean regret [95%]",
        "Visits on optimal",
    )

    def cells(row: StudyRow) -> tuple[str, ...]:
        return row.agent, row.position, *study_cells(row, study.study)

    return first_rows("Convergence", headers, list(study.rows()), cells, 2)


def regret_words(row: StudyRow) -> str:
    """The mean regret and its interval."""
    low, high = row.regret_interval
    return f"{row.regret:.3f} [{low:.2f}, {high:.2f}]"


def study_cells(row: StudyRow, study: Study) -> tuple[str, ...]:
    """Budget, searches, share of optimal choices and its interval, mean regret, visits on optimal moves."""
    return (
        study.part.words(row.budget),
        f"{row.searches:,}",
        f"{row.optimal_share:.1%}",
        range_words((row.low, row.high)),
        regret_words(row),
        rate_words(row.visit_share),
    )


def study_finding(study: StudyTally) -> str:
    """How often the best agents choose an optimal move."""
    made = study.study
    budget = f"{made.part.words(made.budgets[-1])}{'' if made.part.unit else f' {made.unit}'}"
    if len(made.positions) == 1:
        rows = [row for agent in range(len(made.agents)) for row in study.rows_of(agent, 0)[-1:]]
        rows.sort(key=lambda row: -row.optimal_share)
        more = f"; {len(rows) - _MOST} more agents less often" if len(rows) > _MOST else ""
        chosen = ", ".join(map(_chosen, rows[:_MOST]))
        return (
            f"With {budget}, an optimal move of {made.positions[0].text} is chosen by {chosen}{more}." if rows else ""
        )
    parts = []
    for agent, label in enumerate(made.labels):
        rows = [row for place in range(len(made.positions)) for row in study.rows_of(agent, place)[-1:]]
        if rows:
            worst = min(rows, key=lambda row: row.optimal_share)
            mean = sum(row.optimal_share for row in rows) / len(rows)
            own = f" with its {OWN_BUDGET}" * all(row.budget is None for row in rows)
            at_worst = f"at worst {worst.optimal_share:.1%}, on {worst.position}"
            parts.append((mean, f"{label}{own} in {mean:.1%} ({at_worst})"))
    parts.sort(key=lambda each: -each[0])
    chosen = ", ".join(words for _mean, words in parts[:_MOST])
    return f"With {budget}, an optimal move is chosen, on average over {len(made.positions)} positions, by {chosen}."


def _chosen(row: StudyRow) -> str:
    own = f" with its {OWN_BUDGET}" * (row.budget is None)
    share = f"{row.agent}{own} in {row.optimal_share:.1%}"
    return share if row.searches == 1 else f"{share} [{row.low:.1%}, {row.high:.1%}] of {row.searches:,} searches"
