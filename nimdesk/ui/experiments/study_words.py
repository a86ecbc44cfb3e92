"""The results of a study in words: its table, its curves, its heat maps."""

from __future__ import annotations

import numpy as np

from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.studies.tables import regret_words, study_cells
from nimdesk.experiments.studies.tally import StudyRow, Variation
from nimdesk.experiments.studies.work import Study
from nimdesk.figures.measure import Unit
from nimdesk.games.base import Game
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.plots.study_plots import StudyCurve, StudyCurves, StudyGrid

HEADERS = ("Agent", "Budget", "Searches", "Optimal", "95% interval", "Regret [95%]", "Visits on optimal")
TIPS = (
    "Who searches, with the options that are not as usual",
    "How long each search was when its choice was read: iterations, or nodes",
    "How many searches there are so far",
    "How many of them would have played an optimal move",
    "Wilson's interval of that share",
    "What the choices gave away on average (win 1, draw 1/2, loss 0), and its 95% interval",
    "The share of all visits that optimal moves got",
)


def letter(agent: int) -> str:
    """The letter of an agent's curve: A, B, …, Z, 27, …"""
    return chr(ord("A") + agent) if agent < 26 else str(agent + 1)


def position_words(frame: Frame, position: int) -> str:
    """The position, and how hard the choice is: how many moves are optimal."""
    regrets, text = frame.results.regrets[position], frame.study.positions[position].text
    optimal, total = regrets.count(0), len(regrets)
    if optimal == total:
        return f"{text}: every one of the {total} moves is optimal, so every choice is."
    verb = "is" if optimal == 1 else "are"
    chance = f"choosing blindly would be right in {optimal / total:.0%}"
    return f"{text}: {optimal} of {total} moves {verb} optimal, so {chance}."


def settled_words(frame: Frame, agent: int, position: int) -> str:
    """When the choice settles, such as "half settled by 63 iterations"."""
    row = next((row for row in frame.rows[agent, position] if row is not None), None)
    if row is None:
        return "no search yet"
    if row.budget is None:
        return OWN_BUDGET
    unit = frame.study.agents[agent].traits.counts
    if row.settled_median is not None:
        return f"half settled by {row.settled_median:,} {unit}"
    last = frame.study.part.words(frame.study.budgets[-1])
    return f"{row.settled / row.searches:.0%} settled by {last}{'' if frame.study.part.unit else f' {unit}'}"


def cells(row: StudyRow, agent: int, study: Study) -> tuple[str, ...]:
    """The cells of a row of the table."""
    return f"{letter(agent)}  {row.agent}", *study_cells(row, study)


def probability_curves(frame: Frame, position: int) -> StudyCurves:
    """The share of optimal choices of every agent, with Wilson's intervals."""
    return _curves(frame, position, "optimal")


def regret_curves(frame: Frame, position: int) -> StudyCurves:
    """The mean regret of every agent, with its 95% interval."""
    return _curves(frame, position, "regret")


def _curves(frame: Frame, position: int, what: str) -> StudyCurves:
    study = frame.study
    curves, top = [], 0.0
    for agent, label in enumerate(study.labels):
        values, low, high, words = _points(frame.rows[agent, position], what)
        if not np.all(np.isnan(high)):
            top = max(top, float(np.nanmax(high)))
        curves.append(StudyCurve(letter(agent), label, agent, values, low, high, words))
    budgets = np.array(study.budgets, dtype=np.float64)
    if what == "optimal":
        chance = frame.results.chance(position)
        return StudyCurves(budgets, tuple(curves), "optimal choices", Unit.SHARE, 1.0, chance, per=study.unit)
    # The regret of a game with two outcomes is 0 to 1; a small one is shown enlarged.
    chance = frame.results.chance_regret(position)
    top = max(top, chance)
    top = 1.0 if top > 0.5 else max(0.05, top)
    return StudyCurves(budgets, tuple(curves), "mean regret", Unit.SCORE, top, chance, per=study.unit)


def _points(rows: tuple[StudyRow | None, ...], what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    values, low, high = (np.full(len(rows), np.nan) for _ in range(3))
    words = []
    for i, row in enumerate(rows):
        own = f", {OWN_BUDGET}" * (row is not None and row.budget is None)
        if row is None:
            words.append("–")
        elif what == "optimal":
            values[i], low[i], high[i] = row.optimal_share, row.low, row.high
            words.append(
                f"{row.optimal:,} of {row.searches:,}: {row.optimal_share:.1%} [{row.low:.1%}, {row.high:.1%}]{own}"
            )
        else:
            values[i], (low[i], high[i]) = row.regret, row.regret_interval
            words.append(f"{regret_words(row)}{own}")
    return values, low, high, tuple(words)


def variation_words(study: Study, variation: Variation) -> str:
    """The varied number, such as "MCTS, textbook: Exploration c", with other options that are not the default."""
    agent = study.agents[variation.agents[0]]
    title = next((field.title for field in agent.info.fields if field.name == variation.option), variation.option)
    rest = [f"{name}={value}" for name, value in agent.character.items() if name != variation.option]
    return f"{', '.join([agent.info.title, *rest])}: {title}"


def grid(frame: Frame, position: int, variation: Variation) -> StudyGrid:
    """The heat map of one varied number."""
    shares = tuple(
        tuple(None if row is None else row.optimal_share for row in frame.rows[agent, position])
        for agent in variation.agents
    )
    title = f"{variation_words(frame.study, variation)} × budget, share of optimal choices"
    return StudyGrid(title, variation.values, frame.study.budgets, shares, frame.study.unit)


def spoken(frame: Frame, position: int, game: Game) -> str:
    """What the plots show, for screen readers."""
    parts = []
    for agent, label in enumerate(frame.study.labels):
        row = frame.rows[agent, position][-1]
        share, settled = "no search yet", settled_words(frame, agent, position)
        if row is not None:
            where = (
                f"with its {OWN_BUDGET}" if row.budget is None else f"at budget {frame.study.part.words(row.budget)}"
            )
            share = f"{row.optimal_share:.0%} optimal {where}"
        parts.append(f"{label}: {share}" if settled == OWN_BUDGET else f"{label}: {share}, {settled}")
    return f"{game.title}. {position_words(frame, position)} {'; '.join(parts)}."
