"""The experiments page as a person has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import Desk
from experiments_bench import Bench

from nimdesk.ui.jobs import bridge


@pytest.fixture(autouse=True)
def _own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def _beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs let everything else go first, as on a person's machine: beside other tests they would hardly go on at all.

    ``test_bridge`` tests that they do.
    """
    monkeypatch.setattr(bridge, "step_back", lambda *_: None)


@pytest.fixture
def bench(desk: Desk) -> Bench:
    """The program with the experiments page shown."""
    return Bench(desk)
