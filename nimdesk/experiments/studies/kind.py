"""Studies of convergence, as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from nimdesk.disk.paths import RESULTS, results_dir
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.budgets import Milliseconds
from nimdesk.experiments.kind import Kind, Setup
from nimdesk.experiments.parts import (
    MAX_STUDY_POSITIONS,
    Budget,
    Part,
    PlayerPart,
    PositionText,
    Repeats,
    SolverNodes,
    check_budgets,
    check_different,
    study_agent,
    study_position,
)
from nimdesk.experiments.studies.differences import study_differences
from nimdesk.experiments.studies.search import study_search
from nimdesk.experiments.studies.tables import about_study, convergence, study_csv, study_finding
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.experiments.studies.work import Study, StudyPart, StudyResult, StudyTask
from nimdesk.experiments.truth import Regrets
from nimdesk.search.options import MAX_SEED

STUDY_FORMAT: Literal["nimdesk-study"] = "nimdesk-study"


class StudyForm(Part, frozen=True, kw_only=True):
    """A study in its short form: agents of the catalogue with the options that differ from their defaults.

    ``seeds`` says how many searches there are of each position by each agent, ``seed`` is what theirs are derived from.
    """

    format: Literal["nimdesk-study"] = STUDY_FORMAT
    version: Literal[1] = 1
    agents: Annotated[list[PlayerPart], Meta(min_length=1, max_length=100)]
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_STUDY_POSITIONS)]
    budgets: Annotated[list[Budget], Meta(min_length=1, max_length=200)]
    seeds: Repeats
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    solver_nodes: SolverNodes = 5_000_000

    def fields(self) -> dict[str, Any]:
        """The fields of the plan that it stands for."""
        return study_fields(self.agents, self.positions, self.budgets, self.seeds, self.seed, self.solver_nodes)


def study_fields(
    agents: Iterable[PlayerPart],
    positions: Iterable[str],
    budgets: Sequence[int],
    repeats: int,
    seed: int,
    solver_nodes: int,
) -> dict[str, Any]:
    """The fields of a plan of a study; ``PlanError`` as by ``plan.study_plan``."""
    parts = list(agents)
    labels = [study_agent(part, number).label for number, part in enumerate(parts, 1)]
    texts = [study_position(text, number).text for number, text in enumerate(positions, 1)]
    check_different("agent", labels)
    check_different("position", texts)
    unit: Literal["ms"] | UnsetType = "ms" if isinstance(budgets, Milliseconds) else UNSET
    part = StudyPart(positions=texts, budgets=list(budgets), repeats=repeats, solver_nodes=solver_nodes, unit=unit)
    return {"name": "study", "players": dict(zip(labels, parts, strict=True)), "seed": seed, "study": part}


def studies_dir() -> Path:
    """The folder of studies that the window makes."""
    return results_dir().parent / "studies"


def _path(_name: str, digest: str) -> Path:
    return studies_dir() / f"{digest[:16]}{RESULTS}"


def _key(plan: Any) -> object:
    """A label contains all that matters of an agent; this form is older than studies in plans."""
    study: StudyPart = plan.study
    rest = [study.budgets, study.repeats, plan.seed, study.solver_nodes, *([study.unit] if study.unit else [])]
    return [plan.version, list(plan.players), study.positions, rest]


def _work(parts: Sequence[StudyPart], setup: Setup, _first: int) -> Study:
    (part,) = parts
    positions = [study_position(text, number) for number, text in enumerate(part.positions, 1)]
    check_budgets(part.budgets)
    setup.positions.update(zip(part.positions, positions, strict=True))
    return Study(part, list(setup.agents.values()), positions, setup.plan.seed)


def _run(study: Study, task: StudyTask, regrets: Regrets, brakes: Brakes | None) -> StudyResult:
    return study_search(study, task, regrets[task.position], brakes)


def _command(plan: Any) -> list[str]:
    study: StudyPart = plan.study
    words = ["nimdesk", "study"]
    for label in plan.players:
        words += ["--agent", label]
    for position in study.positions:
        words += ["--position", position]
    words += ["--budgets", _budgets(study), "--seeds", str(study.repeats), "--seed", str(plan.seed)]
    words += ["--solver-nodes", str(study.solver_nodes), "--csv", "study.csv"]
    return words


def _budgets(study: StudyPart) -> str:
    return ",".join(f"{budget}{study.unit or ''}" for budget in study.budgets)


def _script(plan: Any, path: Path) -> str:
    study: StudyPart = plan.study
    agents = [
        f"nd.agent({part.agent!r}{''.join(f', {name}={value!r}' for name, value in part.options.items())})"
        for part in plan.players.values()
    ]
    lines = [
        "import nimdesk as nd",
        "",
        "study = nd.study(",
        f"    {list(study.positions)!r},",
        f"    [{', '.join(agents)}],",
        f"    budgets={_budgets(study) if study.unit else list(study.budgets)!r},",
        f"    seeds={study.repeats},",
        f"    seed={plan.seed},",
        f"    solver_nodes={study.solver_nodes},",
        f"    file={str(path)!r},",
        ")",
        "study.plot()",
    ]
    return "\n".join([*lines, ""])


STUDY = Kind(
    name="study",
    words="a study",
    tasks="searches",
    alone=True,
    key=_key,
    path=_path,
    form=(STUDY_FORMAT, StudyForm),
    work=_work,
    run=_run,
    result=StudyResult,
    unreadable="a search in it cannot be read",
    tally=lambda study, in_full: StudyTally(study, keep_visits=in_full),
    finding=study_finding,
    sections=lambda tally: [convergence(tally)],
    differences=study_differences,
    csv={"study": study_csv},
    about=about_study,
    command=_command,
    script=_script,
    data={"study": lambda tally: list(map(asdict, tally.rows()))},
)
