"""The commands that open or draw the window; the window itself is replaced."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import NIM, Nimdesk, Result, replace_module

from nimdesk.agents import RandomOptions, make_agent
from nimdesk.errors import DisplayError
from nimdesk.games import MnkMove, NimMove, parse_position
from nimdesk.play import Human, opponent


def test_no_arguments_open_the_window(nimdesk: Nimdesk, window: list[Any]) -> None:
    assert nimdesk().code == 0
    assert window == [(None, (None, None))]


def test_play(nimdesk: Nimdesk, window: list[Any]) -> None:
    assert nimdesk("play").code == 0
    assert nimdesk("play", "nim:3,4,5", "2-3", "--first", "human", "--second", "uct").code == 0
    assert nimdesk("play", "mnk:3,3,3 b2", "--second", "random").code == 0
    assert window[0] == (None, (None, None))
    assert window[1] == (parse_position("nim:3,4,5 2-3"), (Human(), opponent("uct")))
    assert window[1][0].moves == (NimMove(1, 3),)
    assert window[2] == (parse_position("mnk:3,3,3 b2"), (None, make_agent("random")))
    assert window[2][0].moves == (MnkMove(1, 1),)
    assert isinstance(window[2][1][1].options, RandomOptions)


def test_a_saved_game_is_opened_by_its_name(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = tmp_path / "a game.nimdesk"
    game.touch()
    opened: list[object] = []

    def run_window(position: object, players: object, *, laboratory: bool, file: Path, **_: bool) -> int:
        opened.append((position, players, laboratory, file))
        return 0

    replace_module(monkeypatch, "nimdesk.app", run_window=run_window)
    assert nimdesk(str(game)).code == 0
    assert nimdesk("play", str(game)).code == 0
    assert opened == [(None, (None, None), False, game)] * 2
    for arguments in (("missing.nimdesk",), ("play", "missing.nimdesk")):
        assert nimdesk(*arguments) == Result(
            2, "", "nimdesk: “missing.nimdesk” cannot be opened: there is no such file or folder.\n"
        )
    for arguments in ((f"{'x' * 300}.nimdesk",), ("play", f"{'x' * 300}.cert")):
        told = nimdesk(*arguments)
        assert (told.code, told.err.count("\n")) == (2, 1)
        assert told.err.endswith("” cannot be opened: the name is too long.\n")
    assert "own players" in nimdesk("play", str(game), "--first", "uct").err


def test_the_windows_exit_code_is_ours(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_module(monkeypatch, "nimdesk.app", run_window=lambda *_, **__: 3)
    assert nimdesk().code == 3
    assert nimdesk("play").code == 3


@pytest.mark.parametrize("arguments", [[], ["play", NIM]])
def test_without_a_screen(arguments: list[str], nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_window(*_: object, **__: object) -> int:
        raise DisplayError("There is no screen here.\n  apt-get install x")

    replace_module(monkeypatch, "nimdesk.app", run_window=run_window)
    assert nimdesk(*arguments) == Result(2, "", "nimdesk: There is no screen here.\n  apt-get install x\n")


@pytest.mark.parametrize("arguments", [[], ["play"], ["demo"]])
def test_ctrl_c_is_quiet(arguments: list[str], nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    replace_module(monkeypatch, "nimdesk.app", run_window=interrupted)
    replace_module(monkeypatch, "nimdesk.ui.shell.demo", run_demo=interrupted)
    assert nimdesk(*arguments) == Result(130, "", "")


def test_demo(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []

    def run_demo(out: Path, tell: Callable[[str], object]) -> list[Path]:
        folders.append(out)
        tell("game 1 of 2: move 1 is played")
        return [out / "a.png", out / "b.csv"]

    replace_module(monkeypatch, "nimdesk.ui.shell.demo", run_demo=run_demo)
    assert nimdesk("demo") == Result(
        0, f"{Path('nimdesk-demo/a.png')}\n{Path('nimdesk-demo/b.csv')}\n", "nimdesk: game 1 of 2: move 1 is played\n"
    )
    assert nimdesk("demo", "--out", "x").out.startswith("x")
    assert folders == [Path("nimdesk-demo"), Path("x")]


def test_a_demo_that_cannot_write(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    replace_module(monkeypatch, "nimdesk.ui.shell.demo", run_demo=lambda out, _tell: out.mkdir(parents=True))
    result = nimdesk("demo", "--out", str(file / "below"))
    assert result.code == 2
    expected = f"Reading or writing “{file / 'below'}” failed: part of that path is a file, not a folder."
    assert result.err == f"nimdesk: {expected}\n"


@pytest.mark.parametrize(("position", "kind"), [("nim:3,4,5 1-2", ".svg"), ("mnk:3,3,3 b2", ".pdf")])
def test_a_board_is_drawn_with_the_search_on_it(nimdesk: Nimdesk, tmp_path: Path, position: str, kind: str) -> None:
    drawn, bare = tmp_path / f"board{kind}", tmp_path / f"bare{kind}"
    searched = nimdesk("analyse", *position.split(), "--iterations", "200", "--seed", "1", "--board", str(drawn))
    assert (searched.code, searched.err) == (0, f"{drawn}\n")
    assert "iterations" in searched.out
    nimdesk("analyse", *position.split(), "--agent", "random", "--board", str(bare))
    assert drawn.read_bytes().startswith(b"%PDF" if kind == ".pdf" else b"<?xml")
    assert len(drawn.read_bytes()) > len(bare.read_bytes())


def test_a_board_in_a_file_of_another_kind_is_refused_before_the_search(nimdesk: Nimdesk) -> None:
    assert "ends in .pdf, .svg, .png" in nimdesk("analyse", "nim:3", "--board", "board.gif").err
