"""Atlases of convergence, as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nimdesk.disk.paths import RESULTS, results_dir
from nimdesk.errors import PlanError
from nimdesk.experiments.atlas.search import search_all
from nimdesk.experiments.atlas.tables import atlas_csv, atlas_section
from nimdesk.experiments.atlas.tally import AtlasTally, features, misled
from nimdesk.experiments.atlas.work import Atlas, AtlasPart, AtlasResult, AtlasSet, AtlasTask
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.kind import Kind, Setup
from nimdesk.experiments.parts import PlayerPart, check_budgets, check_different, position_of, study_agent
from nimdesk.experiments.sections import Section


def atlas_fields(
    agents: Iterable[PlayerPart], sets: Sequence[AtlasSet], budgets: Sequence[int], repeats: int, seed: int
) -> dict[str, Any]:
    """The fields of a plan of an atlas; ``PlanError`` as by ``plan.atlas_plan``."""
    parts = list(agents)
    searching = [study_agent(part, number) for number, part in enumerate(parts, 1)]
    labels = [agent.label for agent in searching]
    starts = list(map(position_of, dict.fromkeys(each.starts[0] for each in sets)))
    if own := next((agent.label for agent in searching if not all(map(agent.takes_budget, starts))), ""):
        raise PlanError(f"The agent {own} has a budget of its own; an atlas reads each search at the atlas's budgets.")
    check_different("agent", labels)
    part = AtlasPart(sets=list(sets), budgets=list(budgets), repeats=repeats)
    return {"players": dict(zip(labels, parts, strict=True)), "seed": seed, "atlas": part}


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
    tasks="pairs of position and agent",
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
    about=lambda tally: {"done": tally.done, "total": tally.total},
    data={"atlas": lambda tally: list(map(asdict, tally.rows()))},
)
