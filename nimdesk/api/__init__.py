"""nimdesk as a library, for scripts and notebooks: ``import nimdesk as nd``.

The functions have the names of the commands, and come to the same numbers:

    import nimdesk as nd

    search = nd.analyse("nim:3,4,5", "uct", iterations=100_000, seed=1)
    search.best_move, search.to_pandas()
    search.plot(truth=nd.solve("nim:3,4,5"))

Nothing here loads Qt. Tables need pandas and curves matplotlib: ``pip install nimdesk[notebook]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nimdesk.agents import DEFAULT_AGENT, Agent, OptionValue
from nimdesk.api.answers import Comparison, Results, Search
from nimdesk.api.arguments import (
    Where,
    Who,
    agent_of,
    agents_of,
    budgets_of,
    path_of,
    position_of,
    positions_of,
    real,
    texts_of,
    whole,
)
from nimdesk.errors import NimdeskError, OptionError, RecordError
from nimdesk.experiments.differences import differences
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.playing import played_game
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan, study_plan
from nimdesk.experiments.run import Event, Run, RunState, StateChanged
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.store import SUFFIX
from nimdesk.experiments.tuning import SETTINGS, VALUES, parse_settings, tuning_plan, with_budget
from nimdesk.games import AnyPosition, solver_for
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.plugins import games as games_of_packages
from nimdesk.search import drive

if TYPE_CHECKING:
    from nimdesk.play import GameInProgress
    from nimdesk.play.bundle import Bundle

games_of_packages.begin()


def position(text: str) -> AnyPosition:
    """The position in this notation, such as ``nim:1,3,5,7 2-3`` or ``mnk:3,3,3 b2``; ``NotationError``."""
    return position_of(text)


def agent(name: str, **options: OptionValue) -> Agent:
    """An agent of the catalogue or a published one, with options; ``OptionError``. ``nimdesk agents`` lists them."""
    return agent_of(name, options)


def analyse(where: Where, who: Who = DEFAULT_AGENT, *, limit: int | None = None, **options: OptionValue) -> Search:
    """Search a position to the agent's own end; ``options`` are the agent's, such as ``iterations`` and ``seed``.

    A ``limit`` ends it after that many iterations in all, or nodes for an agent that does not sample, if that is
    sooner. The same position, options and seed give the same visits on every machine; without a seed each search has
    its own.
    """
    start, searching = position_of(where), agent_of(who, options)
    if start.outcome is not None:
        raise OptionError(f"There is nothing to search in {start.text}: the game is over.")
    end = None if limit is None else searching.counted(whole("limit", limit))
    searcher = searching.new_searcher(start)
    searcher.start(start, searching.new_seed())
    reason, snapshot = drive(searcher, end), searcher.snapshot()
    return Search(searching, snapshot if reason is None else snapshot.ended(reason))


def solve(where: Where, *, time_s: float = 10.0) -> Truth:
    """What can be proven of a position and of each move within ``time_s`` seconds; the rest is ``Value.UNKNOWN``."""
    start, limit = position_of(where), Limit(time_s=real("time_s", time_s))
    if start.outcome is not None:
        raise OptionError(f"There is nothing to solve in {start.text}: the game is over.")
    solver = solver_for(start)
    solver.start(start)
    for part in limit.slices(None):
        if solver.advance(part):
            break
    return solver.truth()


def play_game(
    first: Who, second: Who, where: Where, *, seed: int = 0, file: str | Path | None = None
) -> GameInProgress:
    """Let two agents play one game, with the search behind each move; the seed decides all chance but that of time.

    A ``file``, whose name ends in ``.nimdesk``, gets the game as well: the window and ``open`` read it.
    """
    from nimdesk.play.game import RECORD_SUFFIX  # lazy: as in open
    from nimdesk.play.record import save_game

    path = None if file is None else path_of(file)
    if path is not None and not path.name.endswith(RECORD_SUFFIX):
        raise RecordError(f"A game cannot be saved as “{path.name}”: the name of its file ends in {RECORD_SUFFIX}.")
    game = played_game((agent_of(first), agent_of(second)), position_of(where), whole("seed", seed))
    if path is not None:
        save_game(game, path)
    return game


def match(
    players: Iterable[Who],
    positions: Where | Sequence[Where],
    *,
    games: int = 100,
    swap: bool = True,
    opening_plies: int = 0,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Let agents play: ``games`` from each position in each order, every pair of them.

    With a ``file``, each finished game is stored there, and the same call goes on where it was stopped.
    """
    agents = agents_of(players)
    if len(agents) < 2:
        raise OptionError("A match needs two players or more, such as “uct” and “random”; a name may come twice.")
    # The full labels have the limits, too, which may be all that tells two players apart.
    labels = [each.full_label for each in agents]
    parts = {
        label: PlayerPart(agent=each.name, options=each.changed_options)
        for label, each in zip(labels, agents, strict=True)
    }
    part = MatchPart(
        players=labels,
        positions=[each.text for each in positions_of(positions)],
        games=whole("games", games),
        swap=bool(swap),
        opening_plies=whole("opening_plies", opening_plies),
    )
    title, number = " – ".join(parts), whole("seed", seed)
    return _carried_out(new_plan("match", parts, title=title, matches=[part], seed=number), file, threads)


def rate(
    players: Iterable[Who],
    positions: Where | Sequence[Where],
    *,
    games: int = 100,
    opening_plies: int = 0,
    seed: int = 0,
    file: str | Path | None = None,
    threads: int | None = None,
) -> Results:
    """Let all play all, each pair in both roles, as ``match`` does; the list is in ``ratings``."""
    return match(players, positions, games=games, opening_plies=opening_plies, seed=seed, file=file, threads=threads)


def tune(
    who: Who,
    ranges: str | Sequence[str],
    positions: Where | Sequence[Where],
    *,
    budget: int | str | None = None,
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
    half a win: where draws are many it takes much to reach one. What was found is in ``tuning`` and ``sentence``. With
    a ``file`` the same call goes on where it was stopped.
    """
    tuned, number = agent_of(who), whole("seed", seed)
    if budget is not None:
        tuned = with_budget(tuned, str(budget))
    texts = texts_of(ranges)
    how = {"values": whole("values", values), "settings": whole("settings", settings)}
    plan = tuning_plan(
        tuned,
        parse_settings(tuned, texts, **how, seed=number),
        [each.text for each in positions_of(positions)],
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
    parts = [PlayerPart(agent=each.name, options=each.character) for each in agents_of(agents)]
    plan = study_plan(
        parts,
        [each.text for each in positions_of(positions)],
        budgets_of(budgets),
        whole("seeds", seeds),
        whole("seed", seed),
        whole("solver_nodes", solver_nodes),
    )
    return _carried_out(plan, file, threads)


def open(path: str | Path) -> GameInProgress | Bundle | Results:
    """What is in a saved game, a bundle of the laboratory, or a file of results, by the ending of its name."""
    path = path_of(path)
    if path.name.endswith(SUFFIX):
        return Results(read(path))
    from nimdesk.play.bundle import SUFFIX as BUNDLE  # lazy: only a script that opens files reads records
    from nimdesk.play.bundle import load_bundle
    from nimdesk.play.game import RECORD_SUFFIX
    from nimdesk.play.record import load_game

    if path.name.endswith(BUNDLE):
        return load_bundle(path)
    if path.name.endswith(RECORD_SUFFIX):
        return load_game(path)
    raise RecordError(f"“{path.name}” is no file of nimdesk: its name ends in {RECORD_SUFFIX}, {BUNDLE} or {SUFFIX}.")


def _carried_out(plan: Plan, file: str | Path | None, threads: int | None) -> Results:
    def listen(event: Event) -> None:
        if isinstance(event, StateChanged) and event.state is RunState.WAITING:
            with suppress(OSError):  # standard error may go to a file on the same full disk
                print(f"nimdesk: {run.waiting_words}", file=sys.stderr)

    workers = None if threads is None else whole("threads", threads)
    run = Run(schedule_of(plan), None if file is None else path_of(file), workers=workers, listener=listen)
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
