"""What the window has for each kind of experiment; one without an entry is shown by its tables and written as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from nimdesk.experiments.atlas.kind import ATLAS
from nimdesk.experiments.files import Found
from nimdesk.experiments.kind import Kind
from nimdesk.experiments.matches.kind import MATCHES
from nimdesk.experiments.searches import SEARCHES
from nimdesk.experiments.studies.kind import STUDY
from nimdesk.ui.experiments.charts import match_charts, search_charts
from nimdesk.ui.experiments.figures import Choice, of_chart, study_figures, tuning_figures
from nimdesk.ui.experiments.match_form import MatchForm
from nimdesk.ui.experiments.plan_form import EditedForm
from nimdesk.ui.experiments.tune_form import TuneForm
from nimdesk.ui.plots.bars import BarChart


def _nothing(_found: Found) -> tuple[()]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class InWindow:
    """What the window has for a kind."""

    own_tab: bool = False
    """Whether its plans are made and run in a tab of its own (``page.TABS``)."""
    forms: tuple[tuple[str, Callable[[Callable[[], str]], EditedForm]], ...] = ()
    """Its forms in the editor of plans: a title, and how it is made from what returns the position on the board."""
    charts: Callable[[Found], Iterable[BarChart]] = _nothing
    """Its results as bars."""
    figures: Callable[[Found], Iterable[Choice]] = _nothing
    """Its figures for print, besides the charts."""


_PLAIN = InWindow()
IN_WINDOW: dict[Kind, InWindow] = {
    MATCHES: InWindow(forms=(("&Form", MatchForm), ("&Tuning", TuneForm)), charts=match_charts, figures=tuning_figures),
    SEARCHES: InWindow(charts=search_charts),
    STUDY: InWindow(own_tab=True, figures=study_figures),
    ATLAS: InWindow(own_tab=True),
}


def charts_of(found: Found) -> list[BarChart]:
    """Every chart that these results allow."""
    return [chart for kind in found.tallies for chart in IN_WINDOW.get(kind, _PLAIN).charts(found)]


def figures_of(found: Found, charts: Iterable[BarChart]) -> list[Choice]:
    """All figures for print of these results and their charts, the first one the most telling."""
    figures = [figure for kind in found.tallies for figure in IN_WINDOW.get(kind, _PLAIN).figures(found)]
    return [*figures, *((chart.title, partial(of_chart, chart, found)) for chart in charts)]
