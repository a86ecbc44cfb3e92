"""An atlas: every essentially different position once, searched as a study searches it, and its sums told rightly."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from nimdesk.agents import make_agent
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError, PlanError, ResultsError
from nimdesk.experiments.atlas import positions
from nimdesk.experiments.atlas.positions import different_positions
from nimdesk.experiments.atlas.search import search_all
from nimdesk.experiments.atlas.tally import AtlasTally, misled
from nimdesk.experiments.atlas.work import Atlas, AtlasResult, AtlasSet
from nimdesk.experiments.files import default_path, earlier_atlases, read
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, atlas_plan, plan_from_json, study_plan
from nimdesk.experiments.report import sections
from nimdesk.experiments.run import Run, RunState, StateChanged, TaskFinished
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.store import Store
from nimdesk.experiments.studies.search import study_search
from nimdesk.experiments.studies.work import Study
from nimdesk.experiments.truth import prove, regret_half_points
from nimdesk.games import kit_of, parse_position
from nimdesk.limit import Limit
from nimdesk.search import RepeatedSearcher

BUDGETS = [10, 20, 100]
AGENTS = [PlayerPart(agent="uct", options={"exploration": 0.5}), PlayerPart(agent="mcts")]


def small(starts: Sequence[str] = ("mnk:3,3,3 a1 b2 c3", "nim:1,2,4", "nim:1,1"), plies: int = 0) -> Plan:
    return atlas_plan("small", AGENTS, [AtlasSet(starts=list(starts), plies=plies)], BUDGETS, 20)


def atlas_of(plan: Plan) -> Atlas:
    atlas = schedule_of(plan)[Atlas]
    assert atlas is not None
    return atlas


@pytest.mark.parametrize(
    ("start", "plies", "number"),
    # 765 positions of tic-tac-toe differ, of which 138 are finished; all piles up to 3, three at most: 3 + 6 + 10.
    [("mnk:3,3,3", 9, 627), ("nim:3,3,3", 9, 19), ("mnk:3,3,3", 1, 4)],
)
def test_of_all_positions_that_are_the_same_there_is_one(start: str, plies: int, number: int) -> None:
    found = different_positions([AtlasSet(starts=[start], plies=plies)])
    assert len(found) == number
    assert all(position.outcome is None for position in found)
    views = kit_of(found[0]).views
    assert views is not None
    openings = {position.moves for position in found if position.ply == 1}
    for _, turn in views(parse_position("mnk:3,3,3").game) if start.startswith("mnk") else ():
        assert sum((turn(moves[0]),) in openings for moves in openings) <= len(openings)


@pytest.mark.parametrize("start", ["mnk:19,19,5", "mnk:4,4,4", "nim:64,64,64,64"])
def test_an_atlas_of_more_positions_than_anybody_could_search_is_refused(
    start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "MOST_POSITIONS", 50)
    with pytest.raises(PlanError, match=f"^The atlas has more than 50 positions, .* let fewer moves follow {start}"):
        different_positions([AtlasSet(starts=[start], plies=100)])


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("uct", {}, "nim:1,3,5,7"),
        ("uct", {}, "mnk:3,3,3 b2"),
        ("uct", {}, "mnk:4,4,4:gravity d1"),
        ("uct", {"log_n": "root", "expansion": "first"}, "nim:1,3,5,7"),
        ("variants", {"growth": "all"}, "nim:1,3,5,7"),
        ("variants", {"growth": "all"}, "mnk:3,3,3 b2"),
    ],
)
def test_many_searches_in_one_call_choose_what_each_chooses_alone(
    name: str, options: dict[str, object], text: str
) -> None:
    position, budgets, seeds = parse_position(text), (1, 5, 40, 600), [0, 7, 2**63 - 1]
    searcher = make_agent(name, {"iterations": 600, **options}).new_searcher()
    searcher.start(position, 0)
    assert isinstance(searcher, RepeatedSearcher)
    many = searcher.repeated(budgets)
    assert many is not None
    together = many(seeds).tolist()
    for seed, chosen in zip(seeds, together, strict=True):
        searcher.start(position, seed)
        for budget, column in zip(budgets, chosen, strict=True):
            searcher.advance(Limit(budget))
            assert searcher.snapshot().best_move == position.legal_moves[column]
    by_mean = make_agent(name, {"iterations": 600, "final": "mean", **options}).new_searcher()
    by_mean.start(position, 0)
    assert isinstance(by_mean, RepeatedSearcher)
    assert by_mean.repeated(budgets) is None, "it would play another move"


def test_its_sums_are_those_of_a_study_with_the_same_seeds() -> None:
    plan = small()
    atlas = atlas_of(plan)
    study = schedule_of(study_plan(AGENTS, plan.atlas.sets[0].starts, BUDGETS, 20))[Study]  # type: ignore[union-attr]
    assert study is not None
    regrets = [regret_half_points(truth) for truth in prove(study.positions, 10**6)]
    for number in range(atlas.tasks):
        task = atlas.task(number)
        result = search_all(atlas, task, bool)
        own = regrets[task.position]
        if not any(own):
            assert not result.searches
            continue
        single = [
            study_search(study, study.task(study.number(task.agent, task.position, repeat)), own)
            for repeat in range(20)
        ]
        lost = [[own[each.choices[budget]] for each in single] for budget in range(len(BUDGETS))]
        assert result.searches == 20
        assert result.optimal == tuple(row.count(0) for row in lost)
        assert result.regret == tuple(map(sum, lost))
        assert result.settled == tuple(
            sum(not any(row[i] for row in lost[budget:]) for i in range(20)) for budget in range(len(BUDGETS))
        )
        assert result.best == own.count(0)
        if any(map(any, lost)):
            assert result.wrong in [move.text for move, regret in _moves(atlas, task.position, own) if regret]


def _moves(atlas: Atlas, position: int, regrets: Sequence[int]) -> list[tuple[object, int]]:
    return list(zip(atlas.positions[position].legal_moves, regrets, strict=True))


def test_a_run_that_is_cancelled_goes_on_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    plan = plan_from_json(small().to_json())

    def stored(path: Path, stop_after: int | None = None) -> dict[int, AtlasResult]:
        counted = []

        def hear(event: TaskFinished | StateChanged) -> None:
            if isinstance(event, TaskFinished):
                counted.append(event.result)
                if len(counted) == stop_after:
                    run.cancel()

        run = Run(schedule_of(plan), path, workers=1, listener=hear)
        run.start()
        run.wait()
        assert run.error is None
        assert run.state is (RunState.FINISHED if stop_after is None else RunState.CANCELLED)
        with Store.open_to_read(path) as store:
            return {result.number: result for result in store.results()}  # type: ignore[misc]

    whole = stored(tmp_path / "whole.db")
    assert len(whole) == 6
    begun = stored(tmp_path / "parts.db", 1)
    assert 0 < len(begun) < 6
    assert stored(tmp_path / "parts.db") == whole
    found = read(tmp_path / "parts.db")
    assert found.complete
    assert found[AtlasTally].without_choice == 1
    assert [section.title for section in sections(found)] == ["The worst traps", "Where more simulations make it worse"]


def test_atlases_made_here_are_listed_the_newest_first() -> None:
    plans = [small(), small(plies=1), small(plies=2)]
    for second, plan in enumerate(plans):
        Store.open_for(default_path(plan), plan).close()
        os.utime(default_path(plan), (second, second))
    assert [(entry.path, entry.plan) for entry in earlier_atlases(2)] == [
        (default_path(plan), plan) for plan in plans[:0:-1]
    ]


def counted(*results: AtlasResult) -> AtlasTally:
    tally = AtlasTally(atlas_of(small()))
    for result in results:
        assert tally.fits(result)
        tally.add(result)
    return tally


def result(number: int, optimal: tuple[int, ...], n: int = 1_000, moves: int = 1) -> AtlasResult:
    regret = tuple(2 * (n - each) for each in optimal)
    return AtlasResult(
        number=number, value="win", moves=moves, best=1, searches=n, optimal=optimal, regret=regret, settled=optimal
    )


def test_rows_come_with_the_worst_traps_first_or_with_the_largest_falls() -> None:
    tally = counted(result(0, (400, 500, 1_000)), result(1, (100, 150, 120)), result(2, (900, 300, 700)))
    assert [row.number for row in tally.rows()] == [0, 1, 2]
    assert [row.number for row in tally.rows("traps")] == [1, 0, 2]
    worse = tally.rows("worse")
    assert [(row.number, row.worse_from, row.worse_to, round(row.fall, 3)) for row in worse] == [
        (2, 10, 20, 0.6),
        (1, None, None, 0.0),  # 3 % of 1,000 searches is no more than chance
        (0, None, None, 0.0),
    ]
    tied = counted(result(2, (900, 300, 700), moves=2)).rows()[0]
    assert not tied.fall, "10 simulations of two moves are decided by which comes first"
    assert worse[0].regret == pytest.approx((0.1, 0.7, 0.3))
    assert [row.settled_median for row in tally.rows()] == [20, None, 10]
    said = " ".join(misled(tally.rows()))
    assert "of 2 positions with a choice, 0 are answered wrongly" in said
    assert "by up to 60% of the searches" in said


def test_a_damaged_result_and_an_impossible_plan_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path, plan = tmp_path / "damaged.db", small()
    with Store.open_for(path, plan) as store:
        store.add(msgspec.structs.replace(result(0, (1, 1, 1)), optimal=(1,)))
    with pytest.raises(ResultsError, match="a position of the atlas in it cannot be read"):
        read(path)
    with pytest.raises(NimdeskError, match="there twice"):
        atlas_plan("twice", [AGENTS[0], AGENTS[0]], [AtlasSet(starts=["nim:1,2"])], BUDGETS, 5)
    with pytest.raises(NimdeskError, match="the game is over"):
        schedule_of(small(["nim:1 1-1"]))
    with pytest.raises(NimdeskError, match="must increase"):
        schedule_of(atlas_plan("falls", AGENTS, [AtlasSet(starts=["nim:1,2"])], [10, 5], 5))


def test_the_label_of_each_agent_is_its_name_in_the_plan() -> None:
    assert atlas_of(small()).labels == ("uct:exploration=0.5", "mcts")
    assert make_agent("mcts").label == "mcts"


def test_the_reference_run_is_what_the_program_makes() -> None:
    found = read(resources_dir() / "atlas.db")
    assert found.complete
    atlas = found[AtlasTally].atlas
    rows = {(row.position, row.agent): row for row in found[AtlasTally].rows()}
    for position, agent in (("mnk:3,3,3 b1 a2 c2", "uct"), ("nim:1,2,4", "uct:exploration=0.5")):
        row = rows[position, agent]
        again = AtlasTally(atlas)
        again.add(search_all(atlas, atlas.task(row.number), bool))
        assert again.rows() == [row]


def test_the_page_of_the_reference_run_says_what_is_in_it() -> None:
    found = read(resources_dir() / "atlas.db")
    rows = found[AtlasTally].rows()
    games = ("mnk:3,3,3", "mnk:4,4,4:gravity", "nim:")
    page = (resources_dir() / "atlas.md").read_text(encoding="utf-8").splitlines()
    names = ("`uct`, c = 0.5", "`uct`, c = 1", "`uct`, c = √2", "`mcts`")
    for name, agent in zip(names, found[AtlasTally].atlas.labels, strict=True):
        of = [[row for row in rows if row.agent == agent and row.position.startswith(game)] for game in games]
        wrong = [sum(row.optimal_share[-1] < 0.5 for row in each) for each in of]
        worse = [sum(row.fall > 0 for row in each) for each in of]
        assert f"| {name} | {' | '.join(map(str, wrong + worse))} |" in page
        assert [len(each) for each in of] == [232, 164, 278]
    assert min(row.optimal_share[-1] for row in rows if row.agent == "mcts") == 1
