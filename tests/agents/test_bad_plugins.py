"""Agents of other packages that misbehave: each gets its sentence, no other is disturbed, and nothing is left behind.

``tests/benchmarks/bench_plugins.py`` tries all of ``bad_plugins``; here are those that once broke something, and one of
each kind. They share what takes long: the processes of each table run side by side.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from bad_plugins import ASKED, DECLARED, LOADED, Bad, install_bad
from plugin_packages import install_from_tutorial, leave_catalogue

from nimdesk.agents import CATALOGUE, BackgroundLoading, load_plugins, make_agent
from nimdesk.agents.fields import option_fields
from nimdesk.agents.plugin_options import declared, options_class
from nimdesk.errors import AgentError, OptionError, StillLoadingError
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.play import Human, player_from_json, player_to_json

NIM = parse_position("nim:3,4,5")
PROTOCOL = (
    "number",
    "ready-7",
    "brackets",
    "deep-words",
    "options-none",
    "options-7",
    "answers-early",
    "begins-again",
    "no-line",
)
TRIED_LOADED = (
    *PROTOCOL, "raises", "needs-module", "no-python", "looks-up", "reads", "dies", "crashes", "kills-group", "sleeps",
    "big", "prints", "forks", "daemon", "breaks-json", "long-title",
    "title-5", "empty",
)  # fmt: skip
TRIED_ASKED = (
    "chooses", "raises-then", "looks-up-then", "illegal", "nonsense", "none", "dies-then", "closes-then", "hangs",
    "eats", "eats-at-once", "crashes-then", "changes", "changes-game", "changes-rules", "answers-ahead", "ready-again",
    "answers-twice", "prints-then", "many-children",
)  # fmt: skip
TRIED = [bad for bad in (*LOADED, *ASKED) if bad.name in (*TRIED_LOADED, *TRIED_ASKED)]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="about limits, signals and forks of Linux")


def chosen(bad: Bad) -> str:
    """The move that it plays, or what is said of it."""
    options = {"time_s": 0.5 if "within" in bad.says else 20.0, "memory_mb": 256}
    try:
        searcher = make_agent(bad.name, options).new_searcher()
        searcher.start(NIM, 1)
        while searcher.advance(Limit(time_s=1e9)) is None:
            pass
    except AgentError as error:
        return str(error)
    best = searcher.snapshot().best_move
    assert best is not None
    return best.text


def marked(mark: str) -> list[str]:
    """The processes that were started, by whatever else, with this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text())
        except OSError:  # it has ended
            continue
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where all of them are installed, and a good one."""
    folder = tmp_path_factory.mktemp("site")
    install_bad(folder, TRIED)
    install_from_tutorial(folder)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def said(site: Path) -> Iterator[dict[str, str]]:
    """What is said of each: where it is listed, or else when it is asked for a move."""
    before = set(CATALOGUE)
    os.environ["NIMDESK_TEST_MARK"] = str(site)
    load_plugins()
    listed = {bad.name: CATALOGUE[bad.name].about for bad in TRIED}
    asked = [bad for bad in TRIED if not listed[bad.name].startswith("This plug-in of ")]
    with ThreadPoolExecutor(4) as pool:
        yield listed | dict(zip((bad.name for bad in asked), pool.map(chosen, asked), strict=True))
    leave_catalogue(but=before)
    del os.environ["NIMDESK_TEST_MARK"]


@LINUX
@pytest.mark.parametrize("bad", TRIED, ids=lambda bad: bad.name)
def test_each_gets_its_sentence_or_plays(said: dict[str, str], bad: Bad) -> None:
    sentence = said[bad.name]
    if not bad.says:
        assert sentence == NIM.legal_moves[0].text
        return
    assert bad.says in sentence
    assert sentence.startswith((f"The agent “{bad.name}” ", f"This plug-in of acme-{bad.name} "))
    assert sentence.endswith(".")
    assert len(sentence) <= 300
    assert sentence.isprintable()


@LINUX
def test_a_good_one_among_them_is_whole(said: dict[str, str]) -> None:
    assert said
    assert [field.name for field in CATALOGUE["sprinter"].fields] == ["time_s", "memory_mb", "seed", "attention"]
    assert chosen(Bad("sprinter", "", "")) in [move.text for move in NIM.legal_moves]


@LINUX
def test_nothing_that_they_started_is_left(said: dict[str, str], site: Path) -> None:
    assert said
    for info in CATALOGUE.values():
        if info.name in said or info.name == "sprinter":
            info.make_searcher.__self__.hosts.close()  # type: ignore[attr-defined]
    assert marked(str(site)) == []


@pytest.mark.parametrize("bad", DECLARED, ids=lambda bad: bad.name)
def test_options_that_no_form_could_show_are_refused(bad: Bad) -> None:
    module: dict[str, Any] = {}
    with nullcontext() if not bad.says else pytest.raises((OptionError, ValueError), match=re.escape(bad.says)):
        exec(compile(bad.code, f"{bad.module}.py", "exec", dont_inherit=True), module)
        parts = declared(module["options_type"])
    if not bad.says:
        assert len(option_fields(options_class(parts))) == 64


def test_a_window_does_not_wait_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_from_tutorial(tmp_path)
    install_bad(tmp_path, [bad for bad in LOADED if bad.name == "sleeps"])
    monkeypatch.syspath_prepend(str(tmp_path))
    leave_catalogue(but=set(CATALOGUE) - {"sprinter", "sleeps"})
    before, player = set(CATALOGUE), {"agent": "sprinter", "options": {"attention": 0.5}}
    loading = BackgroundLoading()
    try:
        with pytest.raises(StillLoadingError, match="The agent “sprinter” is a plug-in that is still being loaded"):
            make_agent("sprinter")
        awaited = player_from_json(player)
        assert isinstance(awaited, Human), "a person may move in its place"
        assert player_to_json(awaited) == player, "it is not forgotten"
        with pytest.raises(OptionError, match="There is no agent “nobody”"):
            make_agent("nobody")
        while "sprinter" not in CATALOGUE:
            assert not loading.poll(0.05)
        assert player_from_json(player) == make_agent("sprinter", {"attention": 0.5})
    finally:
        loading.close()
        leave_catalogue(but=before)
