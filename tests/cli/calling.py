"""Calling nimdesk in a test, within this process and as a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

NIM = "nim:1,3,5,7"


@dataclass(frozen=True)
class Result:
    """What one command line did."""

    code: int
    out: str
    err: str


Nimdesk = Callable[..., Result]


def replace_module(monkeypatch: pytest.MonkeyPatch, name: str, **contents: object) -> None:
    module = ModuleType(name)
    vars(module).update(contents)
    monkeypatch.setitem(sys.modules, name, module)


def run_python(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *arguments]
    return run_process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def run_process(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(command, check=False, encoding="utf-8", timeout=120, **options)
    done.stderr = done.stderr and without_compiling(done.stderr)
    return done


def without_compiling(err: str) -> str:
    """The errors without what is said where a kernel is not on disk yet, which depends on the tests run before."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("nimdesk: compiling "))
