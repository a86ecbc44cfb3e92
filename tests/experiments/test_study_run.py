"""However a study is run, stopped, killed and taken up again, it ends with the same results."""

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from studies import ONE_GOOD_MOVE, begun, finished, study

from nimdesk.errors import AgentError
from nimdesk.experiments import study_run
from nimdesk.experiments.study import plan_json
from nimdesk.experiments.study_results import searches_csv, summary_csv
from nimdesk.experiments.study_run import StudyProgress, default_threads, run_study
from nimdesk.experiments.study_search import CellResult
from nimdesk.experiments.study_store import StudyStore

MADE = study("uct", "flat", "alphabeta", positions=("nim:3,4,5", ONE_GOOD_MOVE), budgets=(10, 100, 500), seeds=20)


@pytest.fixture(scope="module")
def expected() -> str:
    return searches_csv(finished(MADE, keep_visits=True))


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_change_no_digit(threads: int, expected: str) -> None:
    assert searches_csv(finished(MADE, threads=threads, keep_visits=True)) == expected


def test_results_come_while_it_runs(expected: str) -> None:
    results, seen, last = begun(MADE), [], []

    def on_results(batch: Sequence[CellResult], progress: StudyProgress) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert all(result.cell in results for result in batch)
        seen.extend(result.cell for result in batch)
        last.append(progress)

    assert run_study(results, threading.Event(), threads=2, on_results=on_results)
    assert sorted(seen) == sorted(MADE.cells())
    assert [progress.done for progress in last] == sorted(progress.done for progress in last)
    assert last[-1].done == last[-1].total == last[-1].fresh == MADE.total
    assert last[-1].left_s == 0
    assert all(progress.rate > 0 for progress in last)


def test_a_stopped_study_goes_on(expected: str) -> None:
    results = begun(MADE, keep_visits=True)
    runs = 0
    while not results.complete:
        stop = threading.Event()
        # Each run ends after its first batch.
        run_study(results, stop, threads=2, on_results=lambda _batch, _progress, stop=stop: stop.set())
        runs += 1
        assert runs < 1_000
    assert searches_csv(results) == expected


def test_a_long_search_is_given_up_at_once() -> None:
    results, stop = begun(study(budgets=(100_000_000,), seeds=8)), threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    assert not run_study(results, stop, threads=2)
    timer.join()
    assert results.done == 0


def test_what_is_in_the_file_is_not_searched_again(tmp_path: Path, expected: str) -> None:
    fresh: list[int] = []
    for _ in range(3):
        stop = threading.Event()

        def on_results(batch: Sequence[CellResult], progress: StudyProgress, stop: threading.Event = stop) -> None:
            fresh.extend(result.number for result in batch)
            if len(fresh) < MADE.total // 2:
                stop.set()

        results = begun(MADE, keep_visits=True)
        with StudyStore(tmp_path / "study.db", MADE) as store:
            run_study(results, stop, threads=1, store=store, on_results=on_results)
    while not results.complete:
        with StudyStore(tmp_path / "study.db", MADE) as store:
            run_study(results, threading.Event(), threads=1, store=store)
    assert searches_csv(results) == expected
    assert len(fresh) <= MADE.total


_RUN_AND_TELL = """
import sys, threading
from pathlib import Path
from nimdesk.experiments.study import plan_from_json, study_of
from nimdesk.experiments.study_results import StudyResults
from nimdesk.experiments.study_run import run_study
from nimdesk.experiments.study_search import prove
from nimdesk.experiments.study_store import StudyStore
made = study_of(plan_from_json(Path(sys.argv[1]).read_bytes()))
with StudyStore(Path(sys.argv[2]), made) as store:
    results = StudyResults(made, prove(made))
    show = lambda batch, progress: print(progress.done, flush=True)
    run_study(results, threading.Event(), threads=2, store=store, on_results=show)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    made = study("uct", budgets=(10, 100, 5_000), seeds=400)
    plan, path = tmp_path / "plan.json", tmp_path / "study.db"
    plan.write_bytes(plan_json(made.plan))
    command = [sys.executable, "-c", _RUN_AND_TELL, str(plan), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        shown = [int(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGKILL)
    with StudyStore(path, made) as store:
        assert shown[-1] <= len(list(store.results())) < made.total
    results = begun(made)
    with StudyStore(path, made) as store:
        assert run_study(results, threading.Event(), store=store)
    assert summary_csv(results) == summary_csv(finished(made, threads=2))


def test_an_agents_failure_ends_it_and_what_was_done_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    real = study_run.run_cell

    def failing(made, truth, cell, stop):  # type: ignore[no-untyped-def]
        if cell.number == 7:
            raise AgentError("The agent “x” is gone.")
        return real(made, truth, cell, stop)

    monkeypatch.setattr(study_run, "run_cell", failing)
    results = begun(study(seeds=20))
    with pytest.raises(AgentError, match="is gone"):
        run_study(results, threading.Event(), threads=2)
    assert 6 <= results.done < 20


def test_a_failure_of_the_listener_ends_the_threads() -> None:
    results = begun(study(budgets=(10, 20, 1_000_000), seeds=50))
    before = threading.active_count()

    def on_results(_batch: Sequence[CellResult], _progress: StudyProgress) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more") as caught:
        run_study(results, threading.Event(), threads=3, on_results=on_results)
    assert threading.active_count() == before
    assert caught.value.__traceback__ is not None  # which keeps the frames, and in them the generator, alive
    assert 0 < results.done < 50


def test_there_is_a_thread_for_each_core() -> None:
    assert default_threads() >= 1


def test_progress_says_how_long_it_will_take() -> None:
    assert StudyProgress(done=60, total=100, fresh=20, elapsed_s=10, rate=2.0).left_s == 20
    assert StudyProgress(done=60, total=100, fresh=0, elapsed_s=10, rate=0.0).left_s is None


def test_the_rate_forgets_a_slow_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(study_run.time, "perf_counter", lambda: now)
    clock = study_run._Clock(done=50, total=1_000)
    rates = {}
    for second in range(10, 20):  # ten seconds of loading, then ten searches each second
        now = 100.0 + second
        progress = clock.progress(50 + 10 * (second - 9))
        rates[second] = progress.rate
    assert rates[10] == 1
    assert rates[19] == 10
    assert (progress.done, progress.fresh, progress.elapsed_s, progress.left_s) == (150, 100, 19, 85)
