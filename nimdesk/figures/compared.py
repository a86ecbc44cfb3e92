"""Figures of two studies over each other, and of the landscape of a tuned option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from nimdesk.errors import OptionError, shown
from nimdesk.experiments.differences import differences
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.studies.differences import agents_in_both
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.experiments.tuning import DEFAULT
from nimdesk.figures.content import STUDY_BANDS, Content, agents_in_full, caption, curves_of_study, panel, study_label

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Plot

Compared = Literal["optimal", "regret", "difference"]


def of_comparison(one: Found, other: Found, names: tuple[str, str], measure: Compared = "optimal") -> Content:
    """Two studies over each other, or the difference of their shares of optimal choices; a panel for each position.

    ``OptionError`` for results of games, and where the two have nothing in common.
    """
    ours, others = one.of(StudyTally), other.of(StudyTally)
    if ours is None or others is None:
        raise OptionError("Only two studies have curves that can be laid over each other.")
    found, names = differences(one, other), (shown(names[0]), shown(names[1]))
    mine, theirs = ours.study, others.study
    positions = list(dict.fromkeys(row.of[1] for row in found.rows))
    numbers = {mine.part.words(budget): float(budget) for budget in mine.budgets}
    places = [{position.text: place for place, position in enumerate(each.positions)} for each in (mine, theirs)]
    pairs, panels = agents_in_both(ours, others), []
    for text in positions:
        curves: list[Curve] = []
        if measure == "difference":
            rows = [row for row in found.rows if row.of[1] == text and row.quantity == "optimal"]
            for label in dict.fromkeys(row.of[0] for row in rows):
                own, x = [row for row in rows if row.of[0] == label], list(numbers.values())
                if own[0].of[2] == OWN_BUDGET:  # a flat line
                    own, shown_label = own * len(x), f"{label} ({OWN_BUDGET})"
                else:
                    x, shown_label = [numbers[row.of[2]] for row in own], label
                curves.append(
                    {
                        "label": shown_label,
                        "x": x,
                        "y": [row.value for row in own],
                        "low": [row.low for row in own],
                        "high": [row.high for row in own],
                        "faint": False,
                    }
                )
        else:
            curves += curves_of_study(ours, places[0][text], measure, [a for a, _ in pairs], f"{names[0]}: ")
            curves += curves_of_study(others, places[1][text], measure, [b for _, b in pairs], f"{names[1]}: ")
        panels.append(panel(text if len(positions) > 1 else "", curves))
    what = study_label("regret" if measure == "regret" else "optimal")
    label = f"difference in {what}" if measure == "difference" else what
    plot: Plot = {
        "x": f"budget ({mine.unit})",
        "y": label,
        "log_x": True,
        "log_y": False,
        "y_range": (0.0, 1.02) if measure == "optimal" else None,
        "steps": False,
        "panels": panels,
    }
    bands = {
        **STUDY_BANDS,
        "difference": "Bands are Newcombe's 95% intervals of the difference.",
    }
    what_is = f"{names[1]} minus {names[0]}" if measure == "difference" else f"{names[0]} and {names[1]}"
    both = [each for a, b in pairs for each in (mine.agents[a], theirs.agents[b])]
    agents = dict.fromkeys(agents_in_full(both))
    notes = [f"{', '.join(positions)}: {label}, {what_is}.", *agents, bands[measure], *found.notes]
    return Content(plot, f"{label.capitalize()}: {what_is}", caption(notes))


def of_tuning(found: Found) -> Content:
    """The landscape: the score of each value against the default, with its interval; ``OptionError`` if values are
    words.
    """
    tuned = tuning_of(found[MatchTally])
    if tuned is None:
        raise OptionError("Only a tuning has a landscape.")
    if len(tuned.options) > 1:
        raise OptionError(f"The landscape of {' and '.join(tuned.options)} is no curve; the table has its values.")
    option, known = tuned.options[0], [each for each in tuned.candidates if each.games]
    points: list[tuple[float, float, float, float]] = []
    for each in known:
        value = each.values[0]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise OptionError(f"A landscape needs numbers; the values of {option} are words.")
        points.append((float(value), each.score, each.low, each.high))
    if not points:
        raise OptionError("There is nothing to draw: no game is played yet.")
    points.sort()
    x, y, low, high = (list(column) for column in zip(*points, strict=True))
    ends = [x[0], x[-1]]
    curves: list[Curve] = [
        {"label": f"score against the {DEFAULT}", "x": x, "y": y, "low": low, "high": high, "faint": False},
        {"label": f"the {DEFAULT} itself", "x": ends, "y": [0.5, 0.5], "low": [], "high": [], "faint": True},
    ]
    plot: Plot = {
        "x": option,
        "y": f"score against the {DEFAULT}",
        "log_x": x[0] > 0 and x[-1] / x[0] >= 4,
        "log_y": False,
        "y_range": None,
        "steps": False,
        "panels": [panel("", curves)],
    }
    notes = [
        f"{found.schedule.plan.title}: mean score of each value against the default, {tuned.default[0]}, over all "
        "rounds.",
        "Bands are 95% intervals by pairs of games; the bad values played fewer of them.",
        tuned.sentence,
    ]
    return Content(plot, f"Landscape of {option}", caption(notes))
