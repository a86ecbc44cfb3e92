"""Kernels that tests make are kept from one run of the tests to the next, like those of the program."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fresh_python import COMPILED, PROBE, run

from nimdesk.kernels import CACHE


@pytest.fixture(scope="session", autouse=True)
def _kept_kernels() -> Iterator[None]:
    with CACHE.writing():
        yield


@pytest.fixture(scope="session")
def compiled_search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder into which a fresh Python compiled ``probe``; copy it to change it."""
    folder = tmp_path_factory.mktemp("compiled") / "cache"
    assert run(PROBE, folder)[1:] == COMPILED
    return folder
