"""``nimdesk check-game``: what an author is told of a game before others install it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_games import LOADED
from bad_kernels import UNDONE
from calling import Nimdesk
from example_packages import example_site, installed
from plugin_packages import install

SOUND = LOADED[0].code


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    with installed(str(tmp_path)):
        yield tmp_path


def titles(out: str) -> list[str]:
    """The first words of each line: how it stands, and what with."""
    return [" ".join(line.partition(":")[0].split()) for line in out.splitlines()]


def test_the_example_is_sound(nimdesk: Nimdesk) -> None:
    with installed(example_site("kayles")):
        result = nimdesk("check-game", "kayles")
    assert (result.code, result.err) == (0, "")
    assert titles(result.out) == ["sound Rules", "sound Parts", "sound Solver", "none Compiled rules"]


def test_a_game_of_nimdesk_is_tried_with_its_compiled_rules(nimdesk: Nimdesk) -> None:
    result = nimdesk("check-game", "nim:3,4,5")
    assert result.code == 0
    assert titles(result.out) == ["sound Rules", "sound Parts", "sound Solver", "sound Compiled rules"]


def test_what_is_wrong_is_said_of_each_and_the_exit_code_is_2(site: Path, nimdesk: Nimdesk) -> None:
    solver = (
        "from nimdesk.games.plain_solver import PlainSolver\nclass S(PlainSolver):\n    def truth(self): return 7\n"
    )
    parts = "KIT = GameKit('odd', G, presets=KIT.presets, new_solver=S, group=lambda game: 7)\n"
    code = SOUND.replace("sound", "odd") + solver + parts
    install(site, "acme-odd", {"odd": "odd_module:KIT"}, {"odd_module": code}, "nimdesk.games")
    result = nimdesk("check-game", "odd")
    assert result.code == 2
    assert titles(result.out) == ["sound Rules", "wrong Parts", "wrong Solver", "none Compiled rules"]
    assert "group returned 7, which is no name with a whole number" in result.out


def test_compiled_rules_that_differ_are_said(site: Path, nimdesk: Nimdesk) -> None:
    bad = UNDONE
    install(site, "acme-undone", {bad.name: f"{bad.module}:KIT"}, {bad.module: bad.code}, "nimdesk.games")
    result = nimdesk("check-game", "undone:7")
    assert result.code == 2
    assert f"wrong   Compiled rules: failed: {bad.says}" in result.out


def test_a_fault_that_shows_only_in_a_larger_game_is_found_when_that_is_named(site: Path, nimdesk: Nimdesk) -> None:
    then = "play = P.play\nP.play = lambda s, m: play(s, m) if s.game.n < 6 else 1 / 0\n"
    code = {"late_module": SOUND.replace("sound", "late") + then}
    install(site, "acme-late", {"late": "late_module:KIT"}, code, "nimdesk.games")
    assert nimdesk("check-game", "late").code == 0
    result = nimdesk("check-game", "late:9")
    assert result.code == 2
    assert "wrong   Rules: cannot be played: division by zero (ZeroDivisionError in line" in result.out


def test_one_that_cannot_be_loaded_says_so_once(site: Path, nimdesk: Nimdesk) -> None:
    install(site, "acme-no", {"no": "no_module:KIT"}, {"no_module": "1 / 0"}, "nimdesk.games")
    result = nimdesk("check-game", "no")
    assert result.code == 2
    assert (
        result.out
        == "wrong   Rules: cannot be loaded: division by zero (ZeroDivisionError in line 1 of no_module.py)\n"
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "No installed package brings a game “nowhere” in the group nimdesk.games."),
        ("bare", "The game “bare” has no presets; name one, as in bare:3,4."),
    ],
)
def test_what_cannot_be_tried_is_said_in_a_sentence(name: str, sentence: str, site: Path, nimdesk: Nimdesk) -> None:
    code = {"bare_module": SOUND.replace("sound", "bare")}
    install(site, "acme-bare", {"bare": "bare_module:G"}, code, "nimdesk.games")
    result = nimdesk("check-game", name)
    assert (result.code, result.err) == (2, f"nimdesk: {sentence}\n")
