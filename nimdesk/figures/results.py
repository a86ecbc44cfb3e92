"""The figure of results of any kind, by one of the measures that they have."""

from __future__ import annotations

from typing import cast

from nimdesk.errors import OptionError
from nimdesk.experiments.atlas.tally import AtlasTally, Order
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.figures.atlases import AtlasMeasure, of_atlas
from nimdesk.figures.compared import of_tuning
from nimdesk.figures.content import Content, StudyMeasure, of_study
from nimdesk.figures.matches import MatchMeasure, of_match


def measures_of(found: Found) -> tuple[str, ...]:
    """What these results can be drawn by, the usual measure first; empty for searches alone."""
    if found.of(AtlasTally) is not None:
        return "optimal", "regret", "misled", "worst"
    if found.of(StudyTally) is not None:
        return "optimal", "regret"
    if not found[MatchTally].pairings:
        return ()
    return ("score",) if tuning_of(found[MatchTally]) is not None else ("score", "ratings", "llr")


def of_results(found: Found, measure: str | None = None, *, heat: bool = False, order: Order = "traps") -> Content:
    """The figure by this measure, or by the usual one; ``OptionError`` for one that the results do not have."""
    has = measures_of(found)
    if not has:
        raise OptionError("These results have no curve; their table has what was found.")
    chosen = measure or has[0]
    if chosen not in has:
        raise OptionError(f"These results have no figure of “{chosen}”; they have: {', '.join(has)}.")
    if found.of(AtlasTally) is not None:
        return of_atlas(found, cast(AtlasMeasure, chosen), order)
    if found.of(StudyTally) is not None:
        return of_study(found, cast(StudyMeasure, chosen), heat=heat)
    if tuning_of(found[MatchTally]) is not None:
        return of_tuning(found)
    return of_match(found, cast(MatchMeasure, chosen))
