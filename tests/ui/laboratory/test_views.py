"""What views are made from: each measure is declared once, and has its place in the laboratory."""

from typing import get_args

from nimdesk.cli.figures import HEAT_MAPS
from nimdesk.figures.measure import MEASURES, MeasureName
from nimdesk.ui.plots.frame import LISTED, Drawn, View


def test_every_name_of_a_measure_has_its_measure() -> None:
    assert tuple(MEASURES) == get_args(MeasureName)


def test_the_laboratory_offers_every_measure() -> None:
    assert {view.measure.name for view in LISTED} == set(MEASURES)


def test_no_two_views_have_a_key_or_a_title_in_common() -> None:
    assert len({view.key for view in View}) == len({view.title for view in View}) == len(View)


def test_every_heat_map_of_the_laboratory_can_be_printed_and_no_other() -> None:
    assert {f"{view.measure.name}-heat" for view in View if view.drawn is Drawn.HEAT_MAP} == set(HEAT_MAPS)


def test_only_curves_have_a_logarithmic_axis() -> None:
    assert [view.key for view in View if view.may_log] == ["share", "visits", "entropy"]
