"""``nimdesk doctor`` and safe mode: what a person asks when something is wrong."""

import os
from pathlib import Path
from typing import Any

import pytest
from calling import Nimdesk, replace_module

from nimdesk.cli.command_line import WINDOW_FLAGS
from nimdesk.disk import logs, paths
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library
from nimdesk.plugins import entry_points
from nimdesk.settings import Settings, SettingsStore


def test_a_sound_machine(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    result = nimdesk("doctor")
    assert "found the winning move" in result.out
    assert str(paths.data_dir()) in result.out
    assert (result.code, result.err) == (0, ""), result.out
    assert result.out.endswith("\nNothing is wrong.\n")
    assert not paths.data_dir().exists(), "it changes nothing"


def test_a_broken_set_up(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = paths.settings_dir() / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{ broken")
    (tmp_path / "file").touch()
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "file" / "data"))
    monkeypatch.setenv("DISPLAY", ":987")
    result = nimdesk("doctor")
    assert result.code == 2
    told = result.out.partition(" things are wrong:\n")[2].splitlines()
    assert "is broken" in next(line for line in told if str(settings) in line)
    assert "       nimdesk --safe" in told
    assert any(str(tmp_path / "file") in line and "a file where a folder" in line for line in told)
    assert "       export NIMDESK_DATA_DIR=/a/folder/of/yours" in told
    assert settings.read_text() == "{ broken", "it changes nothing"


def test_the_library_of_games_is_looked_at_and_left_as_it_is(nimdesk: Nimdesk) -> None:
    path = paths.library_file()
    assert "games        none kept yet" in nimdesk("doctor").out
    with Library.open(path) as library:
        position = parse_position("nim:3,4,5")
        game = GameInProgress(position, (Human(), Human()))
        game.play(position.legal_moves[0], by="Human")
        change = KeptGame(game).change()
        assert change is not None
        library.write(change)
    assert "games        1 kept, 0.0 MB" in nimdesk("doctor").out
    path.write_bytes(b"no library of games")
    result = nimdesk("doctor")
    assert result.code == 2
    assert f"Games cannot be kept in “{path}”: it is no database. The window sets the file aside" in result.out
    assert path.read_bytes() == b"no library of games"


def test_a_list_of_engines_that_cannot_be_read_is_told_and_left_as_it_is(nimdesk: Nimdesk) -> None:
    path = paths.engines_file()
    path.parent.mkdir()
    path.write_text("{ broken")
    problem = "cannot be read: it is damaged, or no JSON document"
    assert problem in " ".join(nimdesk("agents").out.split())
    result = nimdesk("doctor")
    assert result.code == 2
    assert f"1. The list of engines “{path}” {problem}" in result.out
    assert f"       mv {path} {path}.broken\n" in result.out
    assert path.read_text() == "{ broken"


def test_folders_that_cannot_be_looked_into(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of another user; for root, of all people, a name that no folder can have stands for them."""
    for name in ("NIMDESK_CONFIG_DIR", "NIMDESK_DATA_DIR"):
        monkeypatch.setenv(name, f"/{name}{'x' * 300}")
    result = nimdesk("doctor")
    assert (result.code, result.err) == (2, "")
    assert "found the winning move" in result.out
    (told,) = (line for line in result.out.splitlines() if "The settings in" in line)
    assert told.endswith("cannot be read: the name is too long.")


def test_a_crash_is_remembered(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    sound = logs.RunLog(folder)
    sound.note("Qt says something")
    sound.close()
    assert logs.crashed(folder) == []
    assert "Qt says something" in logs.all_logs(folder)[0].read_text()
    (folder / "2999-01-01-000000-1.log").write_text("Fatal Python error: Segmentation fault\n")
    after = logs.RunLog(folder)
    after.close()
    assert after.crash_before == folder / "2999-01-01-000000-1.log"
    assert logs.crashed(folder) == [after.crash_before]


@pytest.mark.skipif(os.name != "posix", reason="no pipe has a name there")
def test_a_log_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    os.mkfifo(folder / "2999-1.log")
    log = logs.RunLog(folder)
    log.close()
    with (folder / "2999-2.log").open("wb") as endless:
        endless.truncate(1 << 40)
    assert logs.crashed(folder) == []
    assert log.crash_before is None


def test_a_log_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = logs.RunLog(tmp_path / "file" / "logs")
    log.note("nothing")
    log.close()
    assert log.crash_before is None


@pytest.mark.parametrize("flag", WINDOW_FLAGS)
def test_flags_for_the_window_come_first(flag: str, nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, Any]] = []
    replace_module(monkeypatch, "nimdesk.app", run_window=lambda *_, **how: opened.append(how) or 0)
    wanted = {"--safe": "safe", "--reuse-window": "reuse"}[flag]
    for words in ([], ["play"], ["lab"]):
        assert nimdesk(flag, *words).code == 0
    assert all(how[wanted] for how in opened)
    assert len(opened) == 3
    assert bool(list(entry_points.entry_points("console_scripts"))) == (flag != "--safe")


def test_settings_are_kept_aside(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    assert store.start_anew() is None
    store.save(Settings(text_percent=150))
    assert store.start_anew() == tmp_path / "settings.kept-1.json"
    assert store.load() == Settings()
    assert SettingsStore(tmp_path / "settings.kept-1.json").load().text_percent == 150
