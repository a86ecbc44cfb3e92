"""Fixtures for the command line."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from calling import Nimdesk, Result, replace_module, without_compiling

from nimdesk.__main__ import main
from nimdesk.plugins import entry_points


@pytest.fixture
def nimdesk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Nimdesk]:
    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["nimdesk", *arguments])
        code = main()
        captured = capsys.readouterr()
        return Result(code, captured.out, without_compiling(captured.err))

    yield call
    entry_points.allow()  # what --safe refuses, other tests need


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that would have opened a window."""
    calls: list[Any] = []

    def run_window(position: object = None, players: object = (None, None), **_: object) -> int:
        calls.append((position, players))
        return 0

    replace_module(monkeypatch, "nimdesk.app", run_window=run_window)
    return calls
