"""Plans and results as a command line names them: by flags, by a file, by the name of a published table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal, cast, get_args

import msgspec
from msgspec import UNSET, UnsetType
from rich.progress import MofNCompleteColumn

from nimdesk.agents import PUBLISHED, OptionValue, agent_info
from nimdesk.agents.naming import agent_from_text
from nimdesk.agents.opening_rules import OpeningRule
from nimdesk.cli.file_types import check_unnamed
from nimdesk.cli.flags import typed_for_plan
from nimdesk.cli.options import progress_bar, say, write_text
from nimdesk.errors import OptionError, PlanError
from nimdesk.experiments.budgets import parse_budgets, real
from nimdesk.experiments.files import Found, default_path, read
from nimdesk.experiments.matches.work import Clock, MatchFormat, MatchPart
from nimdesk.experiments.openings import openings as read_openings
from nimdesk.experiments.parts import PlayerPart, varied
from nimdesk.experiments.plan import Plan, load_plan, match_plan, study_plan
from nimdesk.experiments.published import BUILT_IN, built_in
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.store import SUFFIX, Store
from nimdesk.experiments.tuning import with_budgets
from nimdesk.search.options import MAX_TIME_S


def study_of_flags(
    position: Sequence[str] = (),
    agent: Sequence[str] = ("uct",),
    budgets: str = "10-10000",
    seeds: int = 100,
    seed: int = 0,
    solver_nodes: int = 5_000_000,
    vary: str = "",
) -> Plan:
    """The plan that these flags of ``nimdesk study`` describe; ``OptionError`` for unreadable ones."""
    if not position:
        raise OptionError("Say what to search, such as nim:3,4,5; “nimdesk study --help” has examples.")
    parts = [agent_part(text) for text in agent]
    if vary:
        parts = [each for part in parts for each in _varied(part, vary)]
    return study_plan(parts, position, parse_budgets(budgets), seeds, seed, solver_nodes)


def agent_part(text: str) -> PlayerPart:
    """``uct`` or ``uct:exploration=0.5``. A published agent loses its limits; others may not have any."""
    agent = agent_from_text(text)
    limits = agent.changed_options.keys() - agent.character.keys()
    if limits and text.partition(":")[0].strip().lower() not in PUBLISHED:
        raise OptionError(
            f"The agent “{text}” cannot have {', '.join(sorted(limits))} in a study: --budgets and --seed say that."
        )
    return PlayerPart(agent=agent.name, options=agent.character)


def _varied(part: PlayerPart, vary: str) -> list[PlayerPart]:
    """The agent once for each value in ``exploration=0.1,0.5,1``."""
    option, _, texts = vary.partition("=")
    option = option.strip().replace("-", "_")
    field = next((field for field in agent_info(part.agent).fields if field.name == option), None)
    if field is None:
        has = ", ".join(field.name for field in agent_info(part.agent).fields) or "none"
        raise OptionError(f"The agent {part.agent} has no option “{option}” to vary; it has: {has}.")
    values: list[OptionValue] = [field.parse(text) for text in texts.split(",") if text.strip()]
    if not values:
        raise OptionError(f"--vary names no value; write it as {field.name}=value,value,….")
    return varied(part, option, values)


def _is_tuning(plan: Plan) -> bool:
    return any(part.best for part in plan.matches)


_KINDS: dict[str, Callable[[Plan], bool]] = {
    "a study": lambda plan: bool(plan.study),
    "an atlas": lambda plan: bool(plan.atlas),
    "a match": lambda plan: bool(plan.matches) and not plan.searches and not _is_tuning(plan),
    "a tuning": _is_tuning,
}
"""What commands make plans of, and how such a plan is told."""


def wanted_plan(plan: Path | None, kind: str, make: Callable[[], Plan]) -> Plan:
    """The plan in this file, which must be of this kind, or else the one that ``make`` makes of the flags."""
    if plan is None:
        return make()
    if typed := typed_for_plan():
        raise OptionError(f"--plan says everything that {typed} would say; give one of them.")
    return of_kind(load_plan(plan), plan, kind)


def of_kind(plan: Plan, where: Path, kind: str) -> Plan:
    """The plan that was read there, if it is one of this kind; ``OptionError``."""
    if not _KINDS[kind](plan):
        raise OptionError(f"The plan “{where}” is not one of {kind}; “nimdesk experiment run” runs it.")
    return plan


def begun(out: Path | None) -> Plan | None:
    """The study whose results are in this file; None if there is none yet."""
    if out is None or not out.exists():
        return None
    with Store.open_to_read(out) as store:
        return of_kind(store.plan, out, "a study")


def save_plan_to(file: Path | None, plan: Plan) -> None:
    """Write the plan to the file that ``--save-plan`` names, if it names one."""
    if file is not None:
        write_text(file, plan.to_json().decode())


def match_of_flags(
    players: Sequence[str],
    position: Sequence[str],
    *,
    games: int,
    seed: int,
    swap: bool = True,
    format: str = "round-robin",
    budget: str | None = None,
    openings: Path | None = None,
    opening_plies: int = 0,
    opening_rule: str | None = None,
    sprt: str | None = None,
    alpha: str = "0.05",
    pairs: bool = False,
    adjudicate: int | None = None,
    clock: str | None = None,
) -> Plan:
    """The plan that these arguments and flags of ``nimdesk match`` describe; ``OptionError`` for wrong ones."""
    if len(players) < 2:
        raise OptionError(
            "A match needs two players or more, such as “nimdesk match uct random”; a name may come twice."
        )
    if pairs and sprt is None:
        raise OptionError("--pairs says what --sprt counts; it goes with --sprt ELO0,ELO1.")
    if format not in get_args(MatchFormat):
        raise OptionError(f"The format is “{format}”; it must be round-robin or gauntlet.")
    if opening_rule is not None and opening_rule not in get_args(OpeningRule):
        raise OptionError(f"The opening rule is “{opening_rule}”; it must be {' or '.join(get_args(OpeningRule))}.")
    names, texts = zip(*map(_named, players), strict=True)
    agents = [agent_from_text(text) for text in texts]
    if budget is not None:
        with_it = with_budgets(agents, budget)
        each = zip(names, texts, agents, with_it, strict=True)
        names = tuple(name if own is given or name != text else given.full_label for name, text, own, given in each)
        agents = with_it
    called = dict(zip(names, agents, strict=True))
    if twice := next((name for name, agent in zip(names, agents, strict=True) if called[name] != agent), None):
        raise OptionError(f"Two players are called “{twice}”; give each its own name, NAME=AGENT.")
    part = MatchPart(
        players=list(names),
        format=cast(MatchFormat, format),
        positions=some_positions(position, openings),
        games=games,
        swap=swap,
        opening_plies=opening_plies,
        opening_rule=UNSET if opening_rule is None else cast(OpeningRule, opening_rule),
        sprt=None if sprt is None else sprt_of_flags(sprt, alpha, pairs=pairs),
        adjudicate=UNSET if adjudicate is None else adjudicate,
        clock=UNSET if clock is None else _clock(clock),
    )
    return match_plan(called, part, seed)


def _named(text: str) -> tuple[str, str]:
    """The name of a player and its agent: of ``NAME=AGENT``, or of the agent alone."""
    name, equals, agent = text.partition("=")
    return (name, agent) if equals and name and ":" not in name else (text, text)


def some_positions(position: Sequence[str], openings: Path | None = None) -> list[str]:
    """The start positions of games, or those that a file of openings has; ``OptionError`` if none is named."""
    if openings is not None:
        found, told = read_openings(openings, position)
        for sentence in told:
            say(sentence)
        return found
    if not position:
        raise OptionError("Say where the games start, such as nim:3,4,5; “nimdesk games” lists positions.")
    return list(position)


def _clock(text: str) -> Clock:
    time_s, plus, increment_s = text.partition("+")
    increment = real("Increment", increment_s, 0.0, MAX_TIME_S) if plus else 0.0
    return Clock(time_s=real("Clock", time_s, 0.1, MAX_TIME_S), increment_s=increment)


def sprt_of_flags(text: str, alpha: str, *, pairs: bool) -> Sprt:
    """The test in words such as ``0,50``; ``OptionError``."""
    errors = real("Alpha", alpha, 0.0, 0.5)
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        unit: Literal["pairs"] | UnsetType = "pairs" if pairs else UNSET
        return Sprt(elo0=elo0, elo1=elo1, alpha=errors, beta=errors, unit=unit)
    except ValueError as error:
        why = str(error) if "elo" in str(error) or "alpha" in str(error) else "write two numbers like 0,50"
        raise OptionError(f"--sprt {text} (--alpha {alpha}) is not understood: {why}.") from None


def plan_named(name: str, games: int | None, seed: int | None) -> Plan:
    """A published table or the plan in a file, with the given number of games and seed, if any."""
    if name in BUILT_IN or not (name.endswith(".json") or Path(name).exists()):
        plan = built_in(name).plan
    elif name.endswith(SUFFIX):
        with Store.open_to_read(Path(name)) as store:
            plan = store.plan
    else:
        plan = load_plan(Path(name))
    if games is not None:
        plan = plan.repeated(games)
    return plan if seed is None else msgspec.structs.replace(plan, seed=seed)


def results_path(plan: Plan, out: Path | None) -> Path:
    """The file of this plan's results; ``OptionError`` where the command would write over that in the data folder."""
    if out is not None:
        return out
    path = default_path(plan)
    check_unnamed(path)
    return path


def results_named(name: str, games: int | None, seed: int | None) -> Path:
    """The results file of a published table or a plan, or the file of that name."""
    path = Path(name)
    if name not in BUILT_IN and not name.endswith(".json"):
        if not path.exists() and path.suffix != SUFFIX:
            built_in(name)  # raises an error that lists the tables
        return path
    path = results_path(plan_named(name, games, seed), None)
    if not path.exists():
        raise PlanError(f"“{name}” has not been run here yet; “nimdesk experiment run {name}” does.")
    return path


def found_in(path: Path) -> Found:
    """The results in a file; of a large one a bar on a terminal says how far it is read."""
    with ExitStack() as shown:
        update: Callable[..., object] | None = None

        def tell(read: int, stored: int) -> None:
            nonlocal update
            if update is None:
                bar, task = shown.enter_context(progress_bar("reading results", MofNCompleteColumn()))
                update = partial(bar.update, task)
            update(completed=read, total=stored)

        return read(path, tell)
