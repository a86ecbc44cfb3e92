"""The experiments page as a person has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import Desk
from experiments_bench import Bench


@pytest.fixture(autouse=True)
def _own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def bench(desk: Desk) -> Bench:
    """The program with the experiments page shown."""
    return Bench(desk)
