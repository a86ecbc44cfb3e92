"""A disk that is full while the window runs an experiment: it says so, waits, and goes on."""

from __future__ import annotations

from collections.abc import Callable

from experiments_bench import Bench

from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan
from nimdesk.experiments.run import RunState


def test_the_window_says_why_a_run_waits_and_takes_it_back_when_it_goes_on(
    bench: Bench, limit_files: Callable[[int], None]
) -> None:
    panel = bench.show_matches()
    match = MatchPart(players=["a", "a"], positions=["nim:3,4,5"], games=1_500)
    panel.show_plan(new_plan("full", {"a": PlayerPart(agent="random")}, matches=[match]))
    limit_files(120_000)
    try:
        panel.start()
        bench.wait(lambda: panel.runner.state in (RunState.RUNNING, RunState.WAITING))
        while panel.runner.state is RunState.RUNNING:
            panel.runner.resume()  # sees what the run does now, before the run's own word of it is heard
        assert panel.runner.state is RunState.WAITING
        assert "what was stored is kept" in panel.head.problem.text() or "the disk" in panel.head.problem.text()
        assert "[Errno" not in panel.head.problem.text()
        assert "waiting" in panel.head.status.text()
    finally:
        limit_files(-1)
    bench.wait_for_run(RunState.FINISHED)
    assert panel.head.problem.text() == ""
