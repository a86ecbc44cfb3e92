"""A run does every task once; it can pause, stop, be killed and go on, and always ends with the same table."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from plugin_packages import install_faulty, watched_processes
from runs import TIMEOUT_S, counted, csv_of, finished, mixed_plan
from studies import ONE_GOOD_MOVE, plan

from nimdesk.disk.provenance import cores
from nimdesk.errors import AgentError, PlanError, ResultsError
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.budgets import Milliseconds
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, atlas_plan, new_plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.report import files_in, write_files
from nimdesk.experiments.run import Event, Run, RunState, StateChanged, TaskFinished
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import SearchesTally, SearchPart
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.store import Store
from nimdesk.experiments.studies.tables import study_searches_csv
from nimdesk.experiments.studies.tally import StudyTally

STUDY = plan("uct", "flat", "alphabeta", positions=("nim:3,4,5", ONE_GOOD_MOVE), budgets=(10, 100, 500), repeats=150)


def searches_of(run: Run) -> str:
    return study_searches_csv(run.found[StudyTally])


@pytest.fixture(scope="module")
def searched() -> str:
    return searches_of(finished(STUDY, None, workers=1, in_full=True))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path = tmp_path_factory.mktemp("undisturbed") / "results.db"
    finished(mixed_plan(), path, workers=1)
    return csv_of(path)


def test_one_thread_and_three_give_the_same_csv(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    finished(mixed_plan(), tmp_path / "three.db", workers=3)
    assert csv_of(tmp_path / "three.db") == undisturbed
    of_games = {"games.csv", "table.csv", "pairings.csv", "pairs.csv"}
    assert set(undisturbed) == of_games | {"searches.csv", "choices.csv", "moves.csv"}


def test_every_task_is_told_once_between_the_changes_of_state(tmp_path: Path) -> None:
    events: list[Event] = []
    run = finished(mixed_plan(2), tmp_path / "x.db", events.append)
    assert events[0] == StateChanged(RunState.RUNNING)
    assert events[-1] == StateChanged(RunState.FINISHED)
    told = [event.result.number for event in events if isinstance(event, TaskFinished)]
    assert sorted(told) == list(range(run.schedule.total))
    assert run.progress().done == run.progress().total == len(told)
    assert run.progress().left_s == 0


def test_who_asks_before_files_are_replaced_knows_all_that_are_written(tmp_path: Path) -> None:
    uct = [PlayerPart(agent="uct")]
    plans = {
        "games": mixed_plan(2),
        "study": STUDY,
        "atlas": atlas_plan("small", uct, [AtlasSet(starts=["nim:1,2"], plies=1)], [10, 20], 2),
        "published": BUILT_IN["002-table-1"].plan.repeated(1),
    }
    for name, each in plans.items():
        found = finished(each, None).found if name != "published" else Found(schedule_of(each))
        written = write_files(found, tmp_path / name)
        assert f"{name}.csv" in [path.name for path in written]
        assert set(written) <= set(files_in(tmp_path / name))


def test_searches_that_the_clock_ends_run_one_at_a_time_unless_more_are_asked_for(tmp_path: Path) -> None:
    timed = plan("uct", budgets=Milliseconds((1, 2)), repeats=2)
    for workers, told in ((None, "by 1 thread"), (2, "by 2 threads")):
        found = finished(timed, tmp_path / f"{workers}.db", workers=workers).found
        assert told in found.made[-1].words
    if cores() > 1:
        found = finished(plan("uct", repeats=2), tmp_path / "counted.db").found
        assert f"by {cores()} threads" in found.made[-1].words


def test_threads_and_interruptions_change_no_digit_of_a_study(tmp_path: Path, searched: str) -> None:
    assert searches_of(finished(STUDY, None, workers=7, in_full=True)) == searched
    for _ in range(2):
        seen = Counting(5)
        run = Run(schedule_of(STUDY), tmp_path / "x.db", workers=2, listener=seen)
        run.start()
        assert seen.reached.wait(TIMEOUT_S)
        run.cancel()
        assert run.wait(TIMEOUT_S)
    rest = Counting(10**9)
    assert searches_of(finished(STUDY, tmp_path / "x.db", rest, in_full=True)) == searched
    assert rest.count < schedule_of(STUDY).total


def test_a_study_rests_in_the_middle_of_a_search_and_goes_on(tmp_path: Path) -> None:
    long = plan(budgets=(10, 100_000_000), positions=("mnk:3,3,3 a1",), repeats=2)
    proving, states = threading.Event(), list[RunState]()

    def listen(event: Event) -> None:
        if isinstance(event, StateChanged):
            states.append(event.state)
            proving.set()

    run = Run(schedule_of(long), tmp_path / "x.db", workers=2, listener=listen)
    run.start()
    assert proving.wait(TIMEOUT_S)
    run.pause()
    assert run.state is RunState.PAUSED
    assert not run.wait(0.3)
    run.resume()
    run.cancel()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.CANCELLED
    assert states[0] is RunState.PROVING


def test_an_agent_that_fails_ends_a_study_and_what_was_done_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("import random", "if random.Random(seed).random() < 0.2: raise RuntimeError('no idea')")
    with watched_processes(monkeypatch):
        install_faulty(tmp_path / "site", *lines, "return position.legal_moves[0]")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        run = Run(schedule_of(plan("clumsy", repeats=40)), None, workers=1)
        run.start()
        assert run.wait(TIMEOUT_S)
    assert run.state is RunState.FAILED
    assert isinstance(run.error, AgentError)
    assert "no idea" in str(run.error)
    assert 0 < run.found.done < 40


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path) -> None:
    finished(mixed_plan(2), tmp_path / "x.db")
    events: list[Event] = []
    finished(mixed_plan(2), tmp_path / "x.db", events.append)
    assert not any(isinstance(event, TaskFinished) for event in events)


def long_plan(games: int = 200) -> Plan:
    players = {"mcts": PlayerPart(agent="uct", options={"iterations": 3_000}), "r": PlayerPart(agent="random")}
    return new_plan("long", players, matches=[MatchPart(players=["mcts", "r"], positions=["nim:3,4,5"], games=games)])


class Counting:
    """Listens, and sets ``reached`` after so many tasks."""

    def __init__(self, wanted: int) -> None:
        self.count, self.wanted, self.reached = 0, wanted, threading.Event()

    def __call__(self, event: Event) -> None:
        self.count += isinstance(event, TaskFinished)
        if self.count >= self.wanted:
            self.reached.set()


def test_cancelling_ends_at_once_and_the_next_run_goes_on(tmp_path: Path) -> None:
    path, seen = tmp_path / "x.db", Counting(5)
    run = Run(schedule_of(long_plan()), path, workers=2, listener=seen)
    run.start()
    assert seen.reached.wait(TIMEOUT_S)
    run.cancel()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.CANCELLED
    with Store.open_to_read(path) as store:
        stored = store.count()
    assert 5 <= stored < 400
    rest = Counting(10**9)
    finished(long_plan(), path, rest)
    assert rest.count == 400 - stored
    finished(long_plan(), tmp_path / "y.db")
    assert csv_of(path) == csv_of(tmp_path / "y.db")


def test_cancelling_in_the_middle_of_one_long_search(tmp_path: Path) -> None:
    players = {"slow": PlayerPart(agent="uct", options={"iterations": 1_000_000_000, "memory_mb": 8})}
    search = SearchPart(players=["slow"], positions=["mnk:15,15,5"], repeats=1)
    plan = new_plan("slow", players, searches=[search])
    running = threading.Event()
    run = Run(schedule_of(plan), tmp_path / "x.db", listener=lambda event: running.set())
    run.start()
    assert running.wait(TIMEOUT_S)
    run.cancel()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.CANCELLED
    assert run.progress().done == 0


def test_a_paused_run_does_nothing_until_it_is_resumed(tmp_path: Path) -> None:
    seen = Counting(3)
    run = Run(schedule_of(long_plan(30)), tmp_path / "x.db", workers=2, listener=seen)
    run.start()
    assert seen.reached.wait(TIMEOUT_S)
    run.pause()
    assert run.state is RunState.PAUSED
    before = -1
    while before != seen.count:  # what is under way is finished
        before = seen.count
        assert not run.wait(0.15)
    elapsed_s = run.progress().elapsed_s
    assert not run.wait(0.2)
    assert seen.count == before < 60
    assert run.progress().elapsed_s == elapsed_s
    run.resume()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.FINISHED
    assert seen.count == 60


def test_a_paused_run_can_be_cancelled(tmp_path: Path) -> None:
    seen = Counting(1)
    run = Run(schedule_of(long_plan()), tmp_path / "x.db", listener=seen)
    run.start()
    assert seen.reached.wait(TIMEOUT_S)
    run.pause()
    run.cancel()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.CANCELLED


KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
from nimdesk.experiments.plan import load_plan
from nimdesk.experiments.run import Run, TaskFinished
from nimdesk.experiments.schedule import schedule_of

plan, path, tasks, wait_s = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
done = []

def die():
    time.sleep(wait_s)
    os.kill(os.getpid(), signal.SIGKILL)

def listen(event):
    done.append(isinstance(event, TaskFinished))
    if done[-1] and sum(done) == tasks:
        threading.Thread(target=die).start()

run = Run(schedule_of(load_plan(plan)), path, workers=2, listener=listen)
run.start()
run.wait()
sys.exit(run.error is not None)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a signal")
def test_killed_again_and_again_it_ends_with_the_same_table(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    plan, path, chance = tmp_path / "plan.json", tmp_path / "results.db", random.Random(1)
    plan.write_bytes(mixed_plan().to_json())
    total, killed = 0, 0
    while killed < 3:
        # A moment after so many further results; a run that is quicker than its killer is begun anew.
        when = [str(chance.randint(1, 6)), str(chance.uniform(0, 0.005))]
        code = subprocess.run([sys.executable, "-c", KILLED, str(plan), str(path), *when], check=False).returncode
        assert code in (0, -signal.SIGKILL)
        now = stored(path)
        assert now >= total, "a stored game is lost"
        total, killed = now, killed + 1
        if code == 0:
            path.unlink()
            total, killed = 0, 0
    finished(mixed_plan(), path)
    assert csv_of(path) == undisturbed


def stored(path: Path) -> int:
    with Store.open_to_read(path) as store:
        return store.count()


def test_a_player_that_cannot_play_the_game_is_named_before_anything_is_played(tmp_path: Path) -> None:
    players = {"zeroing": PlayerPart(agent="uct-000"), "random": PlayerPart(agent="random")}
    match = MatchPart(players=["random", "zeroing"], positions=["nim:1,2", "mnk:3,3,3"], games=2)
    run = Run(schedule_of(new_plan("x", players, matches=[match])), tmp_path / "x.db")
    run.start()
    assert run.wait(TIMEOUT_S)
    assert run.state is RunState.FAILED
    assert isinstance(run.error, PlanError)
    assert "“zeroing” cannot play “mnk:3,3,3”" in str(run.error)
    assert run.progress().done == 0


def test_results_of_another_plan_fail_the_run(tmp_path: Path) -> None:
    finished(mixed_plan(1), tmp_path / "x.db")
    events: list[Event] = []
    run = Run(schedule_of(mixed_plan(2)), tmp_path / "x.db", listener=events.append)
    run.start()
    assert run.wait(TIMEOUT_S)
    assert isinstance(run.error, ResultsError)
    assert events == [StateChanged(RunState.FAILED, run.error)]


def test_a_faulty_player_loses_its_games_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_faulty(tmp_path / "site", "raise RuntimeError('no idea')")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    with watched_processes(monkeypatch):
        players = {"clumsy": PlayerPart(agent="clumsy"), "random": PlayerPart(agent="random")}
        plan = new_plan(
            "x",
            players,
            matches=[MatchPart(players=["clumsy", "random"], positions=["nim:3,4,5"], games=1)],
            searches=[SearchPart(players=["clumsy"], positions=["nim:3,4,5"], repeats=1)],
        )
        finished(plan, tmp_path / "x.db", workers=1)
        found = read(tmp_path / "x.db")
    assert [game.winner for game in found[MatchTally].results] == [1, 0]
    assert all("no idea" in game.forfeit for game in found[MatchTally].results)
    assert found[MatchTally].pairings[0].counts == (0, 0, 2)
    (search,) = found[SearchesTally].results
    assert found.complete, "a search that failed is done"
    assert "no idea" in search.failure
    assert found[SearchesTally].settings[0].searches == 0


def sprt_plan() -> Plan:
    players = {"mcts": PlayerPart(agent="uct", options={"iterations": 200}), "r": PlayerPart(agent="random")}
    test = Sprt(elo0=0, elo1=200)
    match = MatchPart(players=["mcts", "r"], positions=["nim:3,4,5"], games=500, sprt=test)
    return new_plan("sprt", players, matches=[match, MatchPart(players=["r", "r"], positions=["nim:1,2"], games=10)])


def test_a_sequential_test_ends_its_pairing_alone_at_the_same_game_whoever_plays(tmp_path: Path) -> None:
    finished(sprt_plan(), tmp_path / "one.db", workers=1)
    finished(sprt_plan(), tmp_path / "four.db", workers=4)
    assert csv_of(tmp_path / "one.db") == csv_of(tmp_path / "four.db")
    found = read(tmp_path / "four.db")
    tested, other = found[MatchTally].pairings
    assert tested.decision == "H1"
    assert tested.games < 100
    assert tested.pairing.sprt is not None
    assert tested.pairing.sprt.decision(*tested.counts) == "H1"
    assert other.games == 20
    assert found.total == found.done == tested.games + 20
    # Games that were under way when it was decided are stored, and not counted.
    assert len(found[MatchTally].results) >= found.done


def test_what_a_listener_reads_in_a_pause_does_not_change_under_it(tmp_path: Path) -> None:
    match = MatchPart(players=["r", "r"], positions=["nim:1,2"], games=100_000)
    plan = new_plan("quick", {"r": PlayerPart(agent="random")}, matches=[match])
    begun, read_twice = threading.Event(), list[tuple[int, int]]()

    def listen(event: Event) -> None:
        if isinstance(event, TaskFinished):
            begun.set()
        elif event.state is RunState.PAUSED:
            before = len(run.found[MatchTally].results)
            time.sleep(0.1)  # hundreds of games
            read_twice.append((before, len(run.found[MatchTally].results)))

    run = Run(schedule_of(plan), tmp_path / "x.db", workers=2, listener=listen)
    run.start()
    assert begun.wait(TIMEOUT_S)
    run.pause()
    run.cancel()
    assert run.wait(TIMEOUT_S)
    ((before, after),) = read_twice
    assert before == after


def test_a_sequential_test_looks_at_games_in_their_order(tmp_path: Path) -> None:
    finished(sprt_plan(), tmp_path / "x.db")
    found = read(tmp_path / "x.db")
    shuffled = list(found[MatchTally].results)
    random.Random(3).shuffle(shuffled)
    again = counted(found.schedule, shuffled)
    assert again[MatchTally].pairings[0].counts == found[MatchTally].pairings[0].counts


def test_a_test_of_pairs_decides_after_whole_pairs_at_the_same_game_whoever_plays(tmp_path: Path) -> None:
    players = {"mcts": PlayerPart(agent="uct", options={"iterations": 200}), "r": PlayerPart(agent="random")}
    test = Sprt(elo0=0, elo1=200, unit="pairs")
    match = MatchPart(players=["mcts", "r"], positions=["nim:3,4,5", "nim:1,2,4"], games=500, sprt=test)
    plan = new_plan("pairs", players, matches=[match])
    finished(plan, tmp_path / "one.db", workers=1)
    finished(plan, tmp_path / "four.db", workers=4)
    assert csv_of(tmp_path / "one.db") == csv_of(tmp_path / "four.db")
    (tested,) = read(tmp_path / "four.db")[MatchTally].pairings
    assert tested.decision == test.decision(*tested.pairs) == "H1"
    assert sum(tested.pairs) * 2 == tested.games < 200
    # The points of the pairs are those of the games.
    wins, draws, _losses = tested.counts
    assert sum(points * n for points, n in zip((4, 3, 2, 1, 0), tested.pairs, strict=True)) == 2 * wins + draws
    one_role = msgspec.structs.replace(plan, matches=[msgspec.structs.replace(match, swap=False)])
    with pytest.raises(PlanError, match="a test of pairs of games needs “swap”"):
        schedule_of(one_role)


@pytest.mark.parametrize(
    ("frozen", "why"),
    [
        (False, "which is not installed; “pip install nimdesk[cluster]” brings it."),
        (True, "which this package lacks; “pip install nimdesk[cluster]” installs nimdesk with it."),
    ],
)
def test_distributed_is_not_installed(frozen: bool, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    run = Run(schedule_of(mixed_plan(1)), tmp_path / "x.db", cluster="tcp://127.0.0.1:1")
    run.start()
    assert run.wait(TIMEOUT_S)
    assert str(run.error) == f"A cluster needs distributed, {why}"
