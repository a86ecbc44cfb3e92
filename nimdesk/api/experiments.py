"""Many searches and many games: matches, rating lists, tuning, studies, atlases, and two of them compared."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast, get_args

from msgspec import UNSET

from nimdesk.agents import Agent
from nimdesk.agents.opening_rules import OpeningRule
from nimdesk.api.answers import Comparison, Results
from nimdesk.api.arguments import (
    Where,
    Who,
    agent_of,
    agents_of,
    atlas_sets_of,
    budget_of,
    budgets_of,
    choice,
    file_of,
    opened,
    path_of,
    positions_of,
    real,
    sprt_of,
    texts_of,
    whole,
    yes_or_no,
)
from nimdesk.errors import NimdeskError, OptionError
from nimdesk.experiments.atlas import USUAL_AGENTS, USUAL_BUDGETS
from nimdesk.experiments.differences import differences
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.work import MatchFormat, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, atlas_plan, match_plan, study_plan
from nimdesk.experiments.run import Event, Run, RunState, StateChanged
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.tuning import SETTINGS, VALUES, parse_settings, tuning_plan, with_budget, with_budgets


def match(
    players: Iterable[Who],
    positions: Where | Sequence[Where] | None = None,
    *,
    games: int = 100,
    swap: bool = True,
    format: MatchFormat = "round-robin",
    budget: int | str | None = None,
    openings: str | Path | Iterable[Where] | None = None,
    opening_plies: int = 0,
    opening_rule: OpeningRule | None = None,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    pairs: bool = False,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Let agents play: ``games`` from each position in each order, every pair of them, or the first with the others.

    ``budget`` is that of a move, a number or a time such as ``20ms``, for all players that have none of their own.
    ``openings`` are moves in notation, such as ``["b2 a1", "a1 b2"]``: games begin after each of them; a ``Path`` is a
    file of them, as for the command, and where it has positions none need be given. With ``opening_plies`` so many
    random moves follow, the same for both orders. By an ``opening_rule``, "pie" or "swap2", who begins then places one
    move or three, and the other may change sides. ``sprt`` ends a pairing when one of two Elo differences is accepted
    with error rates of ``alpha``; it counts ``pairs`` of games, or games. With a ``file``, each finished game is stored
    there, and the same call goes on where it was stopped.
    """
    agents = agents_of(players)
    if len(agents) < 2:
        raise OptionError("A match needs two players or more, such as “uct” and “random”; a name may come twice.")
    if budget is not None:
        agents = with_budgets(agents, budget_of(budget))
    # The full labels have the limits, too, which may be all that tells two players apart.
    labels = [each.full_label for each in agents]
    part = MatchPart(
        players=labels,
        format=cast(MatchFormat, choice("format", format, get_args(MatchFormat))),
        positions=opened(positions, openings),
        games=whole("games", games),
        swap=yes_or_no("swap", swap),
        opening_plies=whole("opening_plies", opening_plies),
        opening_rule=UNSET if opening_rule is None else _opening_rule(opening_rule),
        sprt=sprt_of(sprt, alpha, pairs),
    )
    players_of = dict(zip(labels, agents, strict=True))
    return _carried_out(match_plan(players_of, part, whole("seed", seed)), file, threads)


def rate(
    players: Iterable[Who],
    positions: Where | Sequence[Where] | None = None,
    *,
    games: int = 100,
    budget: int | str | None = None,
    openings: str | Path | Iterable[Where] | None = None,
    opening_plies: int = 0,
    opening_rule: OpeningRule | None = None,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Let all play all, each pair in both roles, as ``match`` does; the list is in ``ratings``."""
    return match(
        players,
        positions,
        games=games,
        budget=budget,
        openings=openings,
        opening_plies=opening_plies,
        opening_rule=opening_rule,
        seed=seed,
        file=file,
        threads=threads,
    )


def tune(
    who: Who,
    ranges: str | Sequence[str],
    positions: Where | Sequence[Where] | None = None,
    *,
    budget: int | str | None = None,
    openings: str | Path | Iterable[Where] | None = None,
    values: int = VALUES,
    settings: int = SETTINGS,
    games: int = 50,
    confirm: int = 5_000,
    elo1: float = 30.0,
    alpha: float = 0.05,
    opening_plies: int = 0,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Find the best values of options by successive halving, and test the best of them against the default.

    ``ranges`` are as for the command: ``exploration=0.1..3`` (``values`` of them) or ``final=mean,secure``; of several
    options all combinations are tried, or ``settings`` of them, drawn at random. ``budget`` is that of a move: a
    number, or a time such as ``20ms``. The test is of 0 against ``elo1``, an Elo of the mean score in which a draw is
    half a win: where draws are many it takes much to reach one. ``openings`` are as for ``match``. What was found is in
    ``tuning`` and ``finding``. With a ``file`` the same call goes on where it was stopped.
    """
    tuned, number = agent_of(who), whole("seed", seed)
    if budget is not None:
        tuned = with_budget(tuned, budget_of(budget))
    texts = texts_of(ranges)
    how = {"values": whole("values", values), "settings": whole("settings", settings)}
    plan = tuning_plan(
        tuned,
        parse_settings(tuned, texts, **how, seed=number),
        opened(positions, openings),
        games=whole("games", games),
        confirm=whole("confirm", confirm),
        elo1=real("elo1", elo1),
        alpha=real("alpha", alpha),
        opening_plies=whole("opening_plies", opening_plies),
        seed=number,
    )
    return _carried_out(plan, file, threads)


def compare(one: Results | str | Path, other: Results | str | Path) -> Comparison:
    """Compare two studies or runs, or files of them: what both measured, the difference, and its 95% interval.

    ``OptionError`` where they have nothing in common.
    """
    both = [each if isinstance(each, Results) else Results(read(path_of(each))) for each in (one, other)]
    return Comparison(both[0], both[1], differences(both[0].found, both[1].found))


def study(
    positions: Where | Sequence[Where],
    agents: Who | Sequence[Who] = "uct",
    *,
    budgets: str | int | Iterable[int] = "10-10000",
    seeds: int = 100,
    seed: int = 0,
    solver_nodes: int = 5_000_000,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Measure how fast searches converge to the truth: each agent searches each position once for each of the seeds.

    ``budgets`` are iterations (nodes for agents that do not sample), as numbers or as the command line has them.
    ``solver_nodes`` bounds the proof of a position.
    """
    plan = study_plan(
        _parts(agents_of(agents)),
        [each.text for each in positions_of(positions)],
        budgets_of(budgets),
        whole("seeds", seeds),
        whole("seed", seed),
        whole("solver_nodes", solver_nodes),
    )
    return _carried_out(plan, file, threads)


def atlas(
    games: Where | Sequence[Where],
    agents: Who | Sequence[Who] = USUAL_AGENTS,
    *,
    plies: int | None = None,
    budgets: str | int | Iterable[int] = USUAL_BUDGETS,
    seeds: int = 1_000,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Search every essentially different position of small games, and say which mislead a search.

    ``games`` are names such as ``3,3,3``, ``connect-4x4`` or ``nim-3x5``, or positions, of which all up to ``plies``
    moves later are searched. The defaults are work for hours: choose few ``budgets`` and ``seeds``.
    """
    depth = None if plies is None else whole("plies", plies)
    plan = atlas_plan(
        "atlas",
        _parts(agents_of(agents)),
        atlas_sets_of(games, depth),
        budgets_of(budgets),
        whole("seeds", seeds),
        whole("seed", seed),
    )
    return _carried_out(plan, file, threads)


def _opening_rule(name: str) -> OpeningRule:
    return cast(OpeningRule, choice("opening_rule", name, get_args(OpeningRule)))


def _parts(agents: Iterable[Agent]) -> list[PlayerPart]:
    """The agents without their limits and seeds, which the plan sets."""
    return [PlayerPart(agent=each.name, options=each.character) for each in agents]


def _carried_out(plan: Plan, file: str | Path | None, threads: int | None) -> Results:
    def listen(event: Event) -> None:
        if isinstance(event, StateChanged) and event.state is RunState.WAITING:
            with suppress(OSError):  # standard error may go to a file on the same full disk
                print(f"nimdesk: {run.waiting_words}", file=sys.stderr)

    workers = None if threads is None else whole("threads", threads)
    run = Run(schedule_of(plan), file_of(file), workers=workers, listener=listen)
    run.start()
    try:
        run.wait()
    except KeyboardInterrupt:
        run.cancel()
        run.wait()
        raise
    if run.error is not None:
        raise run.error
    if run.state is not RunState.FINISHED:
        raise NimdeskError("The run was ended before it was complete.")
    return Results(run.found)
