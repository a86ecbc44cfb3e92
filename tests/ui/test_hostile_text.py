"""Names that look like HTML, from files, packages and keyboards, walked through the window: none is taken for HTML.

Each test brings the names in by one way, looks at every label, list, tip, header, page and message that there is then,
and at whether the picture that the names tell Qt to load was opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import HUMAN, RANDOM, Desk, OpenDesk
from hostile import HOSTILE, PICTURE, html_in, look_around
from plugin_packages import install, watched_processes
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from nimdesk.agents import CATALOGUE, load_plugins, make_agent
from nimdesk.games import load_plugin_games, parse_position
from nimdesk.games.kit import KITS
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress
from nimdesk.play.moment import State
from nimdesk.play.record import save_game
from nimdesk.plugins import games as plugin_games
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.play.library import LibraryDialog
from nimdesk.ui.plots.canvas import Readout

KAYLES = Path(__file__).parents[2] / "resources" / "examples" / "kayles" / "kayles.py"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where packages are installed; at the end their agents and games are gone."""
    folder, games = tmp_path / "site", set(KITS)
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    with watched_processes(monkeypatch):
        yield folder
    for name in set(KITS) - games:
        del KITS[name]
        plugin_games.LOADED.pop(name, None)


def test_the_walk_finds_what_it_is_for(marker: Path, qtbot: QtBot) -> None:
    label = QLabel(HOSTILE)
    qtbot.addWidget(label)
    label.setToolTip(HOSTILE)
    assert list(html_in(label)) == [HOSTILE, HOSTILE]
    label.grab()
    if marker.stat().st_atime == 0:
        marker.read_bytes()
        assert marker.stat().st_atime == 0, "Qt reads no picture any more: this walk proves less than it says"


# Saved games


def hostile_game(path: Path) -> Path:
    """A saved game in which everything that is a text is hostile."""
    game = GameInProgress(parse_position("nim:3,4,5"), (HUMAN, RANDOM))
    searcher = RANDOM.new_searcher(game.position)
    searcher.start(game.position, 1)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    for move in ("1-1", "2-2"):
        game.play(game.position.parse_move(move), by="x", snapshot=snapshot if move == "1-1" else None)
    save_game(game, path)
    document = json.loads(path.read_text())
    document["program"] = HOSTILE
    for ply in document["plies"]:
        ply["by"] = HOSTILE
    document["plies"][0]["search"] |= {"agent": HOSTILE, "comment": HOSTILE}
    path.write_text(json.dumps(document))
    return path


def test_a_saved_game(desk: Desk, tmp_path: Path, marker: Path) -> None:
    desk.session.files.open(hostile_game(tmp_path / f"{HOSTILE}.nimdesk"))
    assert desk.window.windowTitle().startswith(HOSTILE)
    for cursor in range(3):
        desk.controller.jump(cursor)
        look_around(marker, 2)
    (recent,) = (menu for menu in desk.window.findChildren(QMenu) if menu.title() == "Open r&ecent")
    recent.aboutToShow.emit()
    assert [action.text() for action in recent.actions()] == [f"&1 {PICTURE} && co.nimdesk"]
    desk.wait(lambda: desk.session.keeper.kept.change() is None)
    desk.session.games.show_library()
    (library,) = desk.window.findChildren(LibraryDialog)
    desk.wait(lambda: library.table.model().rowCount() > 0)
    look_around(marker, 3)
    library.close()


@pytest.mark.parametrize("content", [b"{", b'{"format": "nimdesk-game", "version": 2, "<img src=marker.png>": 1}'])
def test_a_broken_file_is_told_of(
    desk: Desk, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    boxes: list[str] = []

    def look(box: QMessageBox) -> int:
        boxes.append(box.text())
        look_around(marker, 1)
        return 0

    monkeypatch.setattr(QMessageBox, "exec", look)
    desk.window.modes.show_mode(LABORATORY)
    for name in (f"{HOSTILE}.nimdesk", f"{HOSTILE}.nimbundle.json"):
        (tmp_path / name).write_bytes(content)
        desk.session.files.open(tmp_path / name)
    assert [HOSTILE in text for text in boxes] == [True, True]


# Packages

_AGENT = f"""
from typing import Annotated
from msgspec import Meta
from nimdesk.agents import PluginOptions

class Options(PluginOptions, frozen=True):
    depth: Annotated[int, Meta(title="{HOSTILE}", description="{HOSTILE}", ge=0, le=9)] = 1

class Agent:
    title, about, options_type = "{HOSTILE}", "{HOSTILE}", Options

    def choose(self, position, options, seed):
        raise ValueError("{HOSTILE}")
"""
_GAME = f"""
from nimdesk.games.kit import GameKit, Preset

class HostileGame(KaylesGame, frozen=True):
    title = property(lambda self: "{HOSTILE}")
    rules_text = property(lambda self: "{HOSTILE}")

    def side_name(self, side):
        return "{HOSTILE}"

KIT = GameKit("hostile", HostileGame, "{HOSTILE}", (Preset("{HOSTILE}", HostileGame((1, 2)), "{HOSTILE}"),))
"""


@pytest.fixture
def _packages(site: Path) -> None:
    """A game and an agent whose every word is hostile."""
    install(site, "hostile-agent", {"hostile": "hostile_agent:Agent"}, {"hostile_agent": _AGENT})
    rules = KAYLES.read_text(encoding="utf-8").replace("kayles:", "hostile:")
    install(site, "hostile-game", {"hostile": "hostile_game:KIT"}, {"hostile_game": rules + _GAME}, "nimdesk.games")
    plugin_games.begin()
    load_plugins()
    load_plugin_games()
    assert (CATALOGUE["hostile"].title, KITS["hostile"].notation) == (HOSTILE, HOSTILE)


@pytest.mark.usefixtures("_packages")
def test_a_game_and_an_agent_of_other_packages(open_desk: OpenDesk, marker: Path) -> None:
    desk = open_desk("hostile:1,2", HUMAN, make_agent("hostile"))
    desk.box(1)
    look_around(marker, 10)
    assert desk.field(1, "depth").toolTip().count("&lt;img") == 2
    desk.type_into(desk.field(1, "depth"), "99")
    look_around(marker, 11)
    desk.click("1-1")
    desk.wait_for(State.OVER)
    assert f"while it chose a move: {HOSTILE} (ValueError" in f"{desk.headline} {desk.notice}"
    look_around(marker, 11)
    desk.in_dialog(desk.session.games.ask_new, lambda _dialog: look_around(marker, 15))


@pytest.mark.usefixtures("_packages")
def test_the_laboratory(open_desk: OpenDesk, marker: Path) -> None:
    desk = open_desk("hostile:1,2")
    page = desk.analyse()
    page.model.searches.set_limit(50.0)
    page.model.searches.run()
    desk.wait(lambda: not page.model.searches.running)
    for tab in range(page.tabs.count()):
        page.tabs.setCurrentIndex(tab)
        look_around(marker, 3)
    desk.type_into(page.position_bar.text, HOSTILE)
    look_around(marker, 3)


def test_read_outs_are_the_only_labels_with_html(desk: Desk) -> None:
    desk.panel.plot.setFocus()
    desk.window.modes.show_mode(LABORATORY)
    rich = [label for label in desk.window.findChildren(QLabel) if label.textFormat() != Qt.TextFormat.PlainText]
    assert {type(label) for label in rich} == {Readout}
