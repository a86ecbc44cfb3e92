"""Games of other packages that misbehave: each is dropped with its sentence, and no other is disturbed.

``tests/benchmarks/bench_plugins.py`` tries all of ``bad_games`` from the command line; here those of ``LOADED`` that
are of one kind share what takes long.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from bad_games import LOADED, PLAYED, BadGame
from example_packages import example_site, installed
from plugin_packages import install

from nimdesk.agents import BackgroundLoading
from nimdesk.errors import NotationError, RulesError, StillLoadingError
from nimdesk.games import load_plugin_games, parse_game, parse_position, played
from nimdesk.games.check import check_game
from nimdesk.games.kit import KITS, PROBLEMS
from nimdesk.play import GameInProgress, Human

TRIED = ("sound", "raises", "dies", "crashes", "big", "loops", "hangs", "dies_then", "no_end", "number", "prints")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="about limits and signals of Linux")


def install_games(folder: Path, *games: BadGame) -> None:
    for game in games:
        install(
            folder, f"acme-{game.name}", {game.name: f"{game.module}:KIT"}, {game.module: game.code}, "nimdesk.games"
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where they are installed and, as far as they go, loaded."""
    folder = tmp_path_factory.mktemp("site")
    install_games(folder, *(game for game in LOADED if game.name in TRIED))
    with installed(str(folder)):
        load_plugin_games()
        yield folder


@LINUX
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("game", [game for game in LOADED if game.name in TRIED], ids=lambda game: game.name)
def test_what_cannot_be_loaded_is_told_in_a_sentence(game: BadGame, capfd: pytest.CaptureFixture[str]) -> None:
    if not game.says:
        assert parse_position(f"{game.name}:5 2 1").legal_moves[-1].text == "2"
        assert capfd.readouterr().out == ""
        return
    assert game.says in PROBLEMS[game.name]
    assert game.name not in KITS
    with pytest.raises(NotationError) as caught:
        parse_game(f"{game.name}:5")
    sentence = str(caught.value)
    assert sentence == PROBLEMS[game.name]
    assert sentence.startswith(f"The game “{game.name}” of the package acme-{game.name} ")
    assert sentence.endswith(".")
    assert len(sentence) <= 300


@pytest.mark.parametrize("bad", PLAYED, ids=lambda bad: bad.name)
def test_rules_that_break_their_promise_are_found_when_they_are_tried(bad: BadGame) -> None:
    module: dict[str, Any] = {"__name__": bad.module}
    exec(compile(bad.code, f"{bad.module}.py", "exec", dont_inherit=True), module)
    with pytest.raises(RulesError) as caught:
        check_game(module["G"](5), bad.name, module["G"].parse, seconds=2.0, games=5)
    assert bad.says in str(caught.value)
    assert str(caught.value).startswith("The rules of “")
    assert len(str(caught.value)) <= 300


@pytest.mark.parametrize(
    "bad", [bad for bad in PLAYED if bad.name in ("late", "forgets", "title")], ids=lambda bad: bad.name
)
def test_a_game_without_presets_is_tried_when_it_is_named_first(bad: BadGame, tmp_path: Path) -> None:
    bare = {bad.module: bad.code.replace("presets=", "views=None and ")}
    install(tmp_path, f"acme-{bad.name}", {bad.name: f"{bad.module}:G"}, bare, "nimdesk.games")
    with installed(str(tmp_path)), pytest.raises(RulesError) as caught:
        parse_game(f"{bad.name}:5")
    assert bad.says in str(caught.value)


def test_rules_that_fail_late_leave_the_game_as_it_was(tmp_path: Path) -> None:
    code = LOADED[0].code.replace("sound", "tired") + (
        "play = P.play\nP.play = lambda s, m: play(s, m) if s.game.n < 300 or len(s.moves) < 2 else 1 / 0\n"
        "check = P.legal_moves.fget\nP.legal_moves = property(lambda s: check(s) if s.board != 77 else [])\n"
    )
    install(tmp_path, "acme-tired", {"tired": "tired_module:KIT"}, {"tired_module": code}, "nimdesk.games")
    with installed(str(tmp_path)):
        position = parse_position("tired:78")
        game = GameInProgress(position, (Human(), Human()))
        one, two = position.legal_moves
        with pytest.raises(RulesError, match="The rules of “tired:78 1” failed: its legal moves are no tuple of moves"):
            game.play(one, by="Human")
        assert game.plies == ()
        game.play(two, by="Human")
        assert played(position, two) == game.position


def test_a_window_does_not_wait_for_a_game(tmp_path: Path) -> None:
    install_games(tmp_path, BadGame("calm", LOADED[0].code.replace("sound", "calm"), ""))
    with installed(str(tmp_path)):
        loading = BackgroundLoading()
        try:
            load_plugin_games()
            with pytest.raises(
                StillLoadingError, match="The game “calm” of the package acme-calm is still being loaded"
            ):
                parse_position("calm:5")
            assert parse_position("nim:5").text == "nim:5"
            while "calm" not in KITS:
                loading.poll()
            assert parse_position("calm:5").text == "calm:5"
        finally:
            loading.close()


@pytest.mark.parametrize("text", ["kayles:3,4", "nim:3,4,5", "mnk:3,3,3"])
def test_sound_games_pass(text: str) -> None:
    with installed(example_site("kayles")) if text.startswith("kayles") else nullcontext():
        game = parse_game(text)
        check_game(game, text.partition(":")[0], type(game).parse, seconds=1.0, games=3)
