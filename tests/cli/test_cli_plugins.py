"""Plug-ins on the command line: one that misbehaves is named in the list with its fault, and disturbs no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_plugins import DECLARED, LOADED, install_bad
from calling import Nimdesk
from plugin_packages import Processes, install_from_tutorial, watched_processes

from nimdesk.agents.plugin_options import TAKEN
from nimdesk.cli.command_line import commands
from nimdesk.cli.options import option_names

BAD = ("number", "options-none", "brackets", "option-agent", "option-board", "option-position", "option-umlaut")


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    """The processes of plug-ins, of which a good one and bad ones are installed."""
    site = tmp_path / "site"
    install_bad(site, [bad for bad in (*LOADED, *DECLARED) if bad.name in BAD])
    install_from_tutorial(site)
    monkeypatch.syspath_prepend(str(site))
    with watched_processes(monkeypatch) as started:
        yield started


def test_all_are_listed_with_what_is_wrong_with_them(processes: Processes, nimdesk: Nimdesk) -> None:
    listed = nimdesk("agents")
    assert (listed.code, listed.err) == (0, "")
    words = " ".join(listed.out.split())
    for bad in (*LOADED, *DECLARED):
        assert bad.name not in BAD or bad.says in words
    assert "--attention 0.9 a number from 0 to 1" in words
    assert not processes.running


def test_only_the_one_that_is_named_is_loaded(processes: Processes, nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "nim:3,4,5", "--agent", "sprinter", "--attention", "0.5")
    assert (result.code, result.err) == (0, "")
    assert "best move: " in result.out
    assert len(processes) == 2, "one that said what it is, one that chose"


def test_it_plays_a_match(processes: Processes, nimdesk: Nimdesk) -> None:
    result = nimdesk("match", "sprinter", "random", "--position", "nim:3,4,5", "--games", "1")
    assert result.code == 0
    assert "won, 0 drawn, 1 lost by sprinter." in " ".join(result.out.split())


def test_a_study_gives_it_no_budgets_that_it_did_not_have(processes: Processes, nimdesk: Nimdesk) -> None:
    asked = ("--position", "nim:3,4,5", "--budgets", "10,100,1000", "--seeds", "2", "--json")
    document = json.loads(nimdesk("study", "--agent", "sprinter", "--agent", "uct", *asked).out)
    rows = [(row["agent"], row["budget"]) for row in document["rows"]]
    assert rows == [("sprinter", None), ("uct", 10), ("uct", 100), ("uct", 1000)]
    assert document["finding"].startswith("With 1,000 iterations, an optimal move")
    assert "sprinter with its own budget in" in document["finding"]


@pytest.mark.parametrize("words", [("analyse", "nim:3,4,5", "--agent", "random"), ("solve", "nim:3,4,5"), ("games",)])
def test_a_command_that_uses_none_starts_none(processes: Processes, nimdesk: Nimdesk, words: tuple[str, ...]) -> None:
    result = nimdesk(*words)
    assert (result.code, result.err) == (0, "")
    assert processes == []


def test_a_bad_one_that_is_named_gets_its_sentence(processes: Processes, nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "nim:3,4,5", "--agent", "number")
    assert result.code == 2
    assert result.err == "nimdesk: The agent “number” answered with something that is no answer.\n"
    assert not processes.running


def test_no_option_of_a_plugin_can_have_the_name_of_a_flag_of_a_command() -> None:
    options = set(option_names())
    takers = [
        command
        for command in commands(lambda *_, **__: 0, lambda _: []).commands.values()
        if options <= {parameter.name for parameter in command.params}
    ]
    assert {command.name for command in takers} == {"analyse"}
    own = {"help"}
    for command in takers:
        for parameter in command.params:
            if parameter.name not in options:
                words = {word.removeprefix("--").replace("-", "_") for word in parameter.opts}
                own |= {parameter.name or "", *words}
    assert own == TAKEN


def test_an_option_with_the_name_of_a_flag_is_refused_in_a_sentence(processes: Processes, nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "nim:3,4,5", "--agent", "option-board", "--board", "x.png")
    assert result.code == 2
    assert "has an option “board” whose name nimdesk needs itself." in result.err
