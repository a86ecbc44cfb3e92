"""Atlases of convergence, as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from nimdesk.disk.paths import RESULTS, results_dir
from nimdesk.experiments.atlas.search import search_all
from nimdesk.experiments.atlas.tables import atlas_csv, atlas_section
from nimdesk.experiments.atlas.tally import AtlasTally, features, misled
from nimdesk.experiments.atlas.work import Atlas, AtlasPart, AtlasResult, AtlasTask
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.kind import Kind, Setup
from nimdesk.experiments.parts import check_budgets
from nimdesk.experiments.sections import Section


def atlases_dir() -> Path:
    """The folder of atlases."""
    return results_dir().parent / "atlas"


def _path(name: str, digest: str) -> Path:
    return atlases_dir() / f"{name}-{digest[:8]}{RESULTS}"


def _work(parts: Sequence[AtlasPart], setup: Setup, _first: int) -> Atlas:
    (part,) = parts
    check_budgets(part.budgets)
    from nimdesk.experiments.atlas.positions import different_positions  # lazy: loads numba

    return Atlas(part, list(setup.agents.values()), different_positions(part.sets), setup.plan.seed)


def _run(atlas: Atlas, task: AtlasTask, _known: None, brakes: Brakes | None) -> AtlasResult:
    return search_all(atlas, task, bool if brakes is None else brakes.check)


def _sections(tally: AtlasTally) -> Iterator[Section]:
    yield atlas_section(tally, "traps")
    yield atlas_section(tally, "worse")


def _notes(tally: AtlasTally) -> Iterator[str]:
    rows = tally.rows()
    if tally.without_choice:
        yield f"In {tally.without_choice:,} positions all moves are worth the same; they are not searched."
    yield from misled(rows)
    yield from features(rows)


ATLAS = Kind(
    name="atlas",
    words="an atlas",
    alone=True,
    works_out_positions=True,
    path=_path,
    work=_work,
    run=_run,
    result=AtlasResult,
    unreadable="a position of the atlas in it cannot be read",
    tally=lambda atlas, _in_full: AtlasTally(atlas),
    finding=lambda tally: " ".join(misled(tally.rows())),
    sections=_sections,
    notes=_notes,
    csv={"atlas": atlas_csv},
)
