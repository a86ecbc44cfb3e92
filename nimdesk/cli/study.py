"""``nimdesk study``: how often, and with how much regret, agents choose as the truth does, budget by budget."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from nimdesk.agents import PUBLISHED, OptionField, agent_info
from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.cli.analyse import interruptible
from nimdesk.cli.options import agent_from_text
from nimdesk.cli.output import console, print_json, table
from nimdesk.errors import OptionError
from nimdesk.experiments.study import (
    MAX_SEEDS,
    OptionValue,
    Study,
    StudyAgent,
    StudyPlan,
    agent_part,
    counts_iterations,
    load_plan,
    plan_json,
    study_of,
    varied,
)
from nimdesk.experiments.study_results import StudyResults, StudyRow, searches_csv, summary_csv, variations
from nimdesk.experiments.study_run import StudyProgress, run_study
from nimdesk.experiments.study_search import prove
from nimdesk.experiments.study_store import StudyStore, stored_plan
from nimdesk.experiments.words import parse_budgets, progress_text

INTERRUPTED = 130
__all__ = ["MAX_SEEDS", "Output", "plan_from_flags", "plan_in", "study"]
DEFAULT_BUDGETS = "10-10000"
DEFAULT_SEEDS = 100
_LOG_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results go: files that may be None, and what is printed."""

    out: Path | None = None
    csv: Path | None = None
    searches: Path | None = None
    plan: Path | None = None
    as_json: bool = False


def plan_from_flags(
    agents: Sequence[str],
    positions: Sequence[str],
    budgets: str,
    seeds: int,
    *,
    seed: int = 0,
    solver_nodes: int | None = None,
    vary: str | None = None,
) -> StudyPlan:
    """The plan that these flags describe; ``OptionError`` for what cannot be read."""
    parts = [_agent_part(text) for text in agents]
    if vary is not None:
        parts = [each for part in parts for each in _varied(part, vary)]
    plan = StudyPlan(
        agents=tuple(parts), positions=tuple(positions), budgets=parse_budgets(budgets), seeds=seeds, seed=seed
    )
    return plan if solver_nodes is None else msgspec.structs.replace(plan, solver_nodes=solver_nodes)


def _agent_part(text: str) -> StudyAgent:
    """``uct`` or ``uct:exploration=0.5``; of a published agent the limits are left out, others may not have one."""
    agent = agent_from_text(text)
    part = agent_part(agent)
    limits = agent.changed_options.keys() - part.options.keys()
    if limits and not _is_published(text):
        raise OptionError(
            f"The agent “{text}” cannot have {', '.join(sorted(limits))} in a study: --budgets and --seed say that."
        )
    return part


def _is_published(text: str) -> bool:
    """Whether the agent is one of those that come with options of their own."""
    return text.partition(":")[0].strip().lower() in PUBLISHED


def _varied(part: StudyAgent, vary: str) -> tuple[StudyAgent, ...]:
    """The agent once for each value in ``exploration=0.1,0.5,1``."""
    option, _, values = vary.partition("=")
    option = option.strip().replace("-", "_")
    field = next((field for field in agent_info(part.agent).fields if field.name == option), None)
    if field is None:
        has = ", ".join(field.name for field in agent_info(part.agent).fields) or "none"
        raise OptionError(f"The agent {part.agent} has no option “{option}” to vary; it has: {has}.")
    return varied(part, option, _values(field, values))


def _values(field: OptionField, texts: str) -> list[OptionValue]:
    values = [field.parse(text) for text in texts.split(",") if text.strip()]
    if not values:
        raise OptionError(f"--vary names no value; write it as {field.name}=value,value,….")
    return values


def plan_in(plan: Path | None, out: Path | None) -> StudyPlan | None:
    """The plan that a file has, be it a plan or begun results; None where neither is there."""
    if plan is not None:
        return load_plan(plan)
    return stored_plan(out) if out is not None and out.exists() else None


def study(plan: StudyPlan, output: Output, *, threads: int | None, arguments: Sequence[str]) -> int:
    """Run the study and print what it found; 0 when all is done, 130 after Ctrl-C, with what there is by then.

    ``arguments`` are the command line, to be shown where the same one goes on.
    """
    for path in (output.csv, output.searches, output.plan):
        _check_folder(path)
    made = study_of(plan)
    _write(output.plan, lambda: plan_json(plan).decode())
    with interruptible() as stop, _store(made, output.out) as store:
        truths = prove(made, stop)
        if truths is None:
            print("Stopped before the truth about all positions was known.", file=sys.stderr)
            return INTERRUPTED
        results = StudyResults(made, truths, keep_visits=output.searches is not None)
        with _progress(made) as show:
            complete = run_study(
                results, stop, threads=threads, store=store, on_results=lambda _batch, progress: show(progress)
            )
    _write(output.csv, lambda: summary_csv(results))
    _write(output.searches, lambda: searches_csv(results))
    if output.as_json:
        print_json(results_json(results))
    else:
        _print(results)
    if complete:
        return 0
    print(_how_to_go_on(results, output.out, arguments), file=sys.stderr)
    return INTERRUPTED


@contextmanager
def _store(made: Study, path: Path | None) -> Iterator[StudyStore | None]:
    if path is None:
        yield None
        return
    with StudyStore(path, made) as store:
        yield store


def _check_folder(path: Path | None) -> None:
    if path is not None and not os.path.isdir(path.parent):
        # Said before a long study rather than after it.
        raise OptionError(f"“{path}” cannot be written: “{path.parent}” is not a folder.")


def _write(path: Path | None, text: Callable[[], str]) -> None:
    if path is None:
        return
    try:
        write_atomically(path, text().encode())
    except (OSError, ValueError) as error:
        raise OptionError(f"“{path}” cannot be written: {os_error_words(error)}.") from error


def _how_to_go_on(results: StudyResults, out: Path | None, arguments: Sequence[str]) -> str:
    done = f"Stopped after {results.done:,} of {results.study.total:,} searches."
    if out is None:
        return f"{done} With --out FILE they would have been kept, and the same command would go on."
    return f"{done} To go on: {shlex.join(['nimdesk', *arguments])}"


@contextmanager
def _progress(made: Study) -> Iterator[Callable[[StudyProgress], None]]:
    """A bar where a person watches, a line now and then in a log."""
    if not sys.stderr.isatty():
        yield _log_lines()
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("loading the searches…", total=made.total)
        yield lambda progress: bar.update(
            task, description=progress_text(progress, "searches"), completed=progress.done
        )


def _log_lines() -> Callable[[StudyProgress], None]:
    last = time.monotonic()

    def show(progress: StudyProgress) -> None:
        nonlocal last
        if time.monotonic() - last >= _LOG_EVERY_S:
            last = time.monotonic()
            print(progress_text(progress, "searches"), file=sys.stderr, flush=True)

    return show


def results_json(results: StudyResults) -> dict[str, object]:
    """The study as ``--json`` prints it: whether it is complete, its digest, and a row for each point."""
    return {
        "complete": results.complete,
        "digest": results.study.digest,
        "searches": results.done,
        "rows": [_row_json(row) for row in results.rows()],
    }


def _row_json(row: StudyRow) -> dict[str, object]:
    # One search has no standard error; JSON has no word for "not a number".
    return asdict(row) | ({"regret_error": None} if row.regret_error != row.regret_error else {})


def _print(results: StudyResults) -> None:
    out, made = console(), results.study
    for position in range(len(made.positions)):
        out.print(_position_words(results, position))
        if not any(results.regrets[position]):
            continue  # a table of nothing but 100%
        rows = table("Agent")
        for title in ("Budget", "Optimal", "95% interval", "Mean regret", "Visits on optimal"):
            rows.add_column(title, justify="right")
        for agent in range(len(made.agents)):
            for budget in range(len(made.budgets)):
                row = results.row(agent, position, budget)
                if row is not None:
                    rows.add_row(*_cells(row, first=budget == 0))
        out.print(rows)
        for agent in range(len(made.agents)):
            out.print(_settled_words(results, agent, position))
        _print_variations(results, position, out)
        out.print()


def _position_words(results: StudyResults, position: int) -> str:
    regrets, where = results.regrets[position], results.study.positions[position].text
    optimal = regrets.count(0)
    if optimal == len(regrets):
        return f"{where}: every move is optimal here, so every choice is.\n"
    are = "is" if optimal == 1 else "are"
    return f"{where}: {optimal} of {len(regrets)} moves {are} optimal (by chance {results.chance(position):.0%})"


def _cells(row: StudyRow, *, first: bool) -> tuple[str, ...]:
    error = "" if row.regret_error != row.regret_error else f" ± {row.regret_error:.3f}"
    return (
        f"{row.agent} (×{row.searches:,})" if first else "",
        f"{row.budget:,}",
        f"{row.optimal_share:.1%}",
        f"{row.low:.1%} – {row.high:.1%}",
        f"{row.regret:.3f}{error}",
        "–" if row.visit_share is None else f"{row.visit_share:.1%}",
    )


def _settled_words(results: StudyResults, agent: int, position: int) -> str:
    row = results.row(agent, position, 0)
    label = results.study.labels[agent]
    if row is None:
        return f"{label}: no search yet."
    unit = "iteration" if counts_iterations(results.study.agents[agent]) else "node"
    share = f"{row.settled:,} of {row.searches:,} settled on an optimal move"
    if row.settled_median is None:
        last = results.study.budgets[-1]
        return f"{label}: {share}; fewer than half, so the median is beyond {unit} {last:,}."
    return f"{label}: {share}, half of all by {unit} {row.settled_median:,}."


def _print_variations(results: StudyResults, position: int, out: Console) -> None:
    """Share of optimal choices, values of the varied option down, budgets across."""
    for variation in variations(results.study):
        rows = table(variation.option)
        for budget in results.study.budgets:
            rows.add_column(f"{budget:,}", justify="right")
        for agent, value in zip(variation.agents, variation.values, strict=True):
            found = [results.row(agent, position, budget) for budget in range(len(results.study.budgets))]
            rows.add_row(f"{value:g}", *("" if row is None else f"{row.optimal_share:.0%}" for row in found))
        out.print(rows)
