"""Command lines at random, of words that mean something and words that do not; ``COMMAND_LINE``.

No search, game or proof is begun, and nothing is drawn: what is tried is how a command line is understood.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any
from unittest.mock import patch

from json_mutations import ODD_TEXTS
from kinds import Kind, check_sentence

from nimdesk.__main__ import main
from nimdesk.agents import CATALOGUE, PUBLISHED, Agent
from nimdesk.errors import AgentError
from nimdesk.experiments.store import Store

_BEFORE = Path(__file__).parent.parent / "experiments" / "before"
_COMMANDS = (
    *("play", "lab", "demo", "analyse", "analyze", "solve", "study", "match", "replay", "review", "bench", "games"),
    *("agents", "warm-up", "experiment run", "experiment list", "experiment status", "experiment export", "--version"),
)
_OPTIONS = (
    *("--first", "--second", "--bundle", "--out", "--agent", "--iterations", "--seed", "--time-s", "--exploration"),
    *(
        "--budget",
        "--bundle",
        "--plan",
        "--agent",
        "--trace",
        "--listing",
        "--json",
        "--csv",
        "--exact-s",
        "--exercises",
        "--position",
        "--budgets",
        "--seeds",
    ),
    *("--vary", "--solver-nodes", "--plan", "--save-plan", "--searches", "--threads", "--games", "--swap", "--no-swap"),
    *("--format", "--opening-plies", "--sprt", "--alpha", "--game", "--columns", "--help", "-h", "--", "-x", "--é"),
)
_VALUES = (
    *("nim:3,4,5", "nim:21:max3:misere", "mnk:3,3,3", "mnk:7,6,4:gravity", "2-1", "b2", "d", "000-piles"),
    *("1", "10", "0", "-1", "1e3", "1e999", "nan", "10-100", "100,500", "0,50", "exploration=0.1,1", "uct:seed=3"),
    *("match.db", "study.db", "plan.json", "study.json", "none.json", "game.nimdesk", ".", "..", "/dev/null", "yes"),
    *("uct:iterations=9", "uct:=", "uct:exploration=", "tcp://127.0.0.1:1", "round-robin", "gauntlet", "/proc/x"),
    *(*CATALOGUE, *PUBLISHED),
)


def _files(folder: Path) -> list[Path]:
    """An empty list of words: a command line is spoiled into being."""
    path = folder / "words.json"
    path.write_text("[]")
    return [path]


def _spoil(path: Path, random: Random, huge: int) -> None:
    words = random.choice(_COMMANDS).split() if random.random() < 0.95 else []
    for _ in range(random.choice((0, 1, 1, 2, 3, 5))):
        words += _words(random, huge)
    random.shuffle(words) if random.random() < 0.05 else None
    path.write_text(json.dumps(words))


def _words(random: Random, huge: int) -> list[str]:
    value = random.choice(_VALUES)
    kind = random.random()
    if kind < 0.1:
        # No argument of a program contains a NUL.
        value = random.choice(ODD_TEXTS).replace("\0", "\udcff")
    elif kind < 0.15:
        value = random.choice(("x", "9", "\u200b", "é", "-", "1,", "nim:", "\U0001f600")) * random.randrange(1, huge)
    elif kind < 0.2:
        value = value.replace(random.choice(value), random.choice(("", "\u200b", ":", "\udcff", "9" * 50)))
    option = random.choice(_OPTIONS)
    return random.choice(([value], [value], [option], [option, value], [option, value], [f"{option}={value}"]))


def _use(path: Path) -> None:
    words = json.loads(path.read_text())
    folder = path.parent / "here"
    folder.mkdir()
    for name in ("match.db", "study.db", "study.json"):
        shutil.copy(_BEFORE / name, folder)
    shutil.copy(_BEFORE / "match" / "plan.json", folder)
    (folder / "game.nimdesk").write_text("{}")
    out, err = io.StringIO(), io.StringIO()
    named = patch.object(sys, "argv", ["nimdesk", *words])
    with _nothing_begins(folder), named, redirect_stdout(out), redirect_stderr(err):
        code = main()
    said = err.getvalue()
    assert code in (0, 1, 2), code
    if code == 2:
        assert said.startswith("nimdesk: "), said
        assert said.count("\n") == 1, said
        check_sentence(said.removeprefix("nimdesk: ").rstrip("\n"))
    else:
        assert "Traceback" not in said, said
    for name in ("match.db", "study.db", "study.json"):
        if not any(name in word for word in words):
            assert (folder / name).read_bytes() == (_BEFORE / name).read_bytes(), "another file was changed"


@contextmanager
def _nothing_begins(folder: Path) -> Iterator[None]:
    """In this folder, without a window, a search, a proof or a run."""

    def nothing(*_arguments: object, **_named: object) -> Any:
        raise AgentError("Nothing is begun here.")

    before = Path.cwd()
    with (
        _replaced("nimdesk.app", run_window=lambda *_arguments, **_named: 0),
        _replaced("nimdesk.ui.shell.demo", run_demo=lambda _out, _tell: []),
        _replaced("nimdesk.cli.bench", bench=nothing),
        _replaced("nimdesk.cli.warm_up", warm_up=nothing),
        patch.object(Agent, "new_searcher", nothing),
        patch("nimdesk.cli.analyse.solver_for", nothing),
        patch("nimdesk.play.review.solved", nothing),
        patch("nimdesk.experiments.truth.solver_for", nothing),
        patch("nimdesk.experiments.run.Run.start", _only_open),
    ):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextmanager
def _replaced(name: str, **contents: object) -> Iterator[None]:
    """A module with nothing but this in place of another one."""
    before, sys.modules[name] = sys.modules.get(name), ModuleType(name)
    vars(sys.modules[name]).update(contents)
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


def _only_open(run: Any) -> None:
    """What a run does before it begins: it opens its file."""
    if run.path is not None:
        Store.open_for(run.path, run.schedule.plan).close()
    raise AgentError("Nothing is begun here.")


COMMAND_LINE = Kind("command-line", _files, _spoil, _use)
