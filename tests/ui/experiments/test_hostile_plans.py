"""Names that look like HTML in plans, results and the fields of a study: none is taken for HTML."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desk import K
from experiments_bench import Bench, answer_dialogs
from hostile import HOSTILE, look_around

from nimdesk.disk.paths import results_dir
from nimdesk.experiments.run import RunState


def plan(path: Path) -> Path:
    """A plan in which everything that may be a text is hostile."""
    players = {HOSTILE: {"agent": "random"}, f"{HOSTILE} 2": {"agent": "random"}}
    match = {"players": list(players), "positions": ["nim:1,2"], "games": 2}
    about = {"format": "nimdesk-plan", "version": 1, "name": "x", "title": HOSTILE, "about": HOSTILE}
    path.write_text(json.dumps(about | {"players": players, "matches": [match]}))
    return path


def test_a_plan_its_results_and_broken_results(
    bench: Bench, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results_dir().mkdir(parents=True)
    (results_dir() / f"{HOSTILE}.db").write_bytes(b"no results")
    panel = bench.show_matches()
    answer_dialogs(monkeypatch, plan(tmp_path / "plan.json"))
    bench.desk.window.actions_by_name["exp_open"].trigger()
    bench.wait(lambda: panel.name.text() == HOSTILE)
    bench.wait(lambda: any(HOSTILE in item.text(0) for item in panel.runs.list.items()))
    look_around(marker, 3)
    bench.desk.press(K.Key_F5)
    bench.wait_for_run(RunState.FINISHED)
    for page in range(panel.view.count()):
        panel.view.setCurrentIndex(page)
        look_around(marker, 3)
    panel.runs.list.setCurrentItem(next(item for item in panel.runs.list.items() if HOSTILE in item.text(0)))
    look_around(marker, 4)


def test_what_is_typed_into_a_study(bench: Bench, marker: Path) -> None:
    form = bench.study.form
    form.positions.set_texts([HOSTILE])
    bench.desk.type_into(form.budgets.line, HOSTILE)
    bench.desk.type_into(form.seeds, HOSTILE)
    look_around(marker, 2)
