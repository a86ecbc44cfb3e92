"""Games of other packages that misbehave: each is dropped with its sentence, and no other is disturbed.

``tests/benchmarks/bench_plugins.py`` tries all of ``bad_games`` from the command line; here those of ``LOADED`` that
are of one kind share what takes long.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bad_games import LOADED, PLAYED, BadGame
from example_packages import example_site, installed
from plugin_packages import install

import nimdesk as nd
from nimdesk.agents import BackgroundLoading, make_agent
from nimdesk.errors import NimdeskError, NotationError, StillLoadingError
from nimdesk.games import GameKit, kit_of, load_plugin_games, parse_game, parse_position
from nimdesk.games.kit import KITS, PROBLEMS
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.plugins.check import check_game, check_parts, check_solver, fault_of
from nimdesk.plugins.games import blamed

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
    game = module["G"]
    found = fault_of(lambda: check_game(game(5), bad.name, game.parse, seconds=2.0, games=5))
    assert bad.says in found
    assert len(found) <= 300


def test_ctrl_c_within_the_rules_is_no_fault_of_theirs() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fault_of(interrupt)


NIM = parse_position("nim:1,2").game


@pytest.mark.parametrize(
    ("part", "returned", "says"),
    [
        ("by_formula", 1, "by_formula returned 1, which is neither True nor False"),
        ("solver_pace", "fast", "solver_pace returned 'fast', which is no whole number"),
        ("published", "won", "published returned 'won', which is neither Published nor None"),
        ("fewest_nodes", None, "fewest_nodes returned None, which is no number"),
        ("preferences", (1,), "preferences returned (1,), which is no number for each legal move"),
        ("preferences", (1, 2, float("nan")), "which is no number for each legal move"),
        ("group", ("piles", "3"), "group returned ('piles', '3'), which is no name with a whole number"),
        ("views", (), "views returned (), which is no tuple of games and functions"),
        ("views", ((NIM, lambda move: None),), "a view turned 1-1 into no move"),
    ],
)
def test_parts_that_break_their_promise_are_found(part: str, returned: object, says: str) -> None:
    kit = GameKit("acme", type(NIM), **{part: lambda _asked: returned})  # type: ignore[arg-type]
    assert says in fault_of(lambda: check_parts(kit, NIM))


def test_a_notation_that_the_rules_take_for_no_number_is_refused_in_a_sentence(late: str) -> None:
    with pytest.raises(NotationError, match=r"^“late:x” is not understood; write late:…\.$"):
        parse_position("late:x")


def test_a_part_that_raises_and_a_board_that_is_not_there_are_found() -> None:
    failing = GameKit("acme", type(NIM), group=lambda game: 1 // 0)  # type: ignore[arg-type, return-value]
    assert "by zero (ZeroDivisionError in line" in fault_of(lambda: check_parts(failing, NIM))
    boarded = GameKit("acme", type(NIM), board="nowhere_to_be_found:KIT")
    assert fault_of(lambda: check_parts(boarded, NIM)) == "there is no board “nowhere_to_be_found:KIT”"


def test_a_solver_that_tells_no_truth_is_found() -> None:
    class Odd(PlainSolver):
        def truth(self) -> Truth:
            return msgspec.structs.replace(super().truth(), moves=())

    kit = GameKit("acme", type(NIM), new_solver=Odd)
    assert fault_of(lambda: check_solver(kit, NIM)).startswith("the truth of its solver is no Truth")


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


@pytest.mark.parametrize("text", ["kayles:3,4", "nim:3,4,5", "mnk:3,3,3", "take:0.77:5,3"])
def test_sound_games_pass(text: str) -> None:
    with installed(example_site("kayles")) if text.startswith("kayles") else nullcontext():
        game = parse_game(text)
        kit = kit_of(game)
        check_game(game, kit.name, kit.game_type.parse, seconds=1.0, games=3)
        check_parts(kit, game)
        check_solver(kit, game)


@pytest.fixture
def late(tmp_path: Path) -> Iterator[str]:
    """A game that is sound as long as it is tried, and divides by zero after three moves of a larger one."""
    then = "play = P.play\nP.play = lambda s, m: play(s, m) if s.game.n < 6 or len(s.moves) < 3 else 1 / 0\n"
    install_games(tmp_path, BadGame("late", LOADED[0].code.replace("sound", "late") + then, ""))
    with installed(str(tmp_path)):
        yield "The game “late” of the package acme-late failed: division by zero (ZeroDivisionError in line "


def test_a_fault_that_shows_later_is_blamed_on_its_package(late: str) -> None:
    position = parse_position("late:9")
    searcher = make_agent("uct").new_searcher(position)
    searcher.start(position, seed=1)
    with pytest.raises(ZeroDivisionError) as caught:
        searcher.advance(Limit(iterations=100))
    assert blamed(caught.value).startswith(late)


def test_a_fault_of_nimdesk_is_blamed_on_nobody(late: str) -> None:
    assert parse_position("late:9").legal_moves
    with pytest.raises(AttributeError) as caught:
        GameInProgress(None, (Human(), Human()))  # type: ignore[arg-type]
    assert blamed(caught.value) == ""


def test_a_run_of_many_games_says_whose_fault_ended_it(late: str) -> None:
    with pytest.raises(NimdeskError, match=re.escape(late)):
        nd.match(["random", nd.agent("random", seed=1)], ["late:9"], games=2)


def test_a_move_that_fails_leaves_the_game_as_it_was(late: str) -> None:
    game = GameInProgress(parse_position("late:9 1 1 1"), (Human(), Human()))
    with pytest.raises(ZeroDivisionError):
        game.play(game.position.legal_moves[0], by="Human")
    assert game.position.text == "late:9 1 1 1"
