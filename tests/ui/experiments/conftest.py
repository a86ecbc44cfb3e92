"""The experiments page as a person has it."""

from __future__ import annotations

import pytest
from desk import Desk
from experiments_bench import Bench


@pytest.fixture
def bench(desk: Desk) -> Bench:
    """The program with the experiments page shown."""
    return Bench(desk)
