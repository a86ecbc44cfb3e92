"""What the program remembers: look, layout, players, games; and what it does when that is broken."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from desk import ENDLESS, HUMAN, QUIET, RANDOM, Desk, K, OpenDesk, mcts, stored
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox

from nimdesk.games import Side, parse_position
from nimdesk.play import GameInProgress, Player, player_to_json
from nimdesk.play.moment import State
from nimdesk.settings import Settings, SettingsStore, choices, switches
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.look import theme as themes
from nimdesk.ui.look.actions import EXPERIMENTS
from nimdesk.ui.look.theme import DARK, LIGHT, Theme
from nimdesk.ui.shell import menus, session


def choice(desk: Desk, menu: str, text: str) -> QAction:
    """The entry of a menu below View."""
    (found,) = (each for each in desk.window.findChildren(QMenu) if each.title() == menu)
    return next(action for action in found.actions() if action.text() == text)


def test_a_change_is_saved_soon_after_it_and_not_only_when_the_window_closes(desk: Desk) -> None:
    preferences = desk.session.preferences
    assert preferences.now.move_delay_ms != 1234
    preferences.change(move_delay_ms=1234)
    desk.wait(lambda: preferences.store.load().move_delay_ms == 1234)


@pytest.mark.parametrize("side", Side)
def test_who_names_one_player_plays_it_also_after_a_game_of_two_computers(open_desk: OpenDesk, side: Side) -> None:
    players: list[Player | None] = [None, None]
    players[side] = RANDOM
    remembered = [player_to_json(mcts()), player_to_json(mcts())]
    desk = open_desk("nim:3,4,5", *players, players=remembered)
    assert desk.controller.game.players[side] == RANDOM
    assert desk.controller.game.players[side.other] == HUMAN


def test_every_setting_that_is_offered_is_obeyed(desk: Desk) -> None:
    assert {*choices(), *switches()} <= desk.session.preferences.obeyed


@pytest.mark.parametrize("name", switches())
def test_a_switch_sets_its_setting_and_nothing_else(desk: Desk, name: str) -> None:
    (switch, _about), preferences = switches()[name], desk.session.preferences
    before = preferences.now
    action = desk.window.actions_by_name[switch.action]
    assert action.isChecked() == (getattr(before, name) != switch.off)
    action.trigger()
    wanted = switch.on if getattr(before, name) == switch.off else switch.off
    assert preferences.now == msgspec.structs.replace(before, **{name: wanted})


def test_what_a_person_sets_is_saved_while_the_window_is_open(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "REMEMBER_MS", 50)
    desk = open_desk()
    desk.window.page.halves.set_share(0.61)
    desk.window.modes.show_mode(EXPERIMENTS)
    desk.wait(lambda: desk.session.experiments.page is not None)
    page = desk.session.experiments.page
    assert page is not None
    page.panel(MatchesPanel).editor.forms[0].title.line.setText("Filled in for an hour")
    saved = desk.session.preferences.store.load
    desk.wait(lambda: "Filled in for an hour" in saved().experiments.get("plan", ""))
    desk.wait(lambda: saved().shares["board"] == 0.61)


def test_settings_that_could_not_be_saved_are_saved_when_that_is_possible_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(menus, "_SAVE_AGAIN_MS", 100)
    preferences = desk.session.preferences
    file = preferences.store.path
    file.unlink()
    file.mkdir()  # as good as a full disk
    desk.window.modes.show_mode(EXPERIMENTS)
    preferences.change(move_delay_ms=1234)
    desk.wait(lambda: "cannot be saved" in desk.window.status.currentMessage())
    file.rmdir()
    desk.wait(lambda: preferences.store.load().move_delay_ms == 1234)


def test_a_plan_that_is_filled_in_is_not_lost_without_a_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answers = list[str](), [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        return answers.pop(0)

    monkeypatch.setattr(QMessageBox, "exec", answer)
    preferences = desk.session.preferences
    preferences.store.path.unlink()
    preferences.store.path.mkdir()  # as good as a full disk
    desk.window.modes.show_mode(EXPERIMENTS)
    desk.wait(lambda: desk.session.experiments.page is not None)
    page = desk.session.experiments.page
    assert page is not None
    preferences.change(move_delay_ms=1234)
    desk.wait(lambda: bool(preferences.failure))
    page.panel(MatchesPanel).editor.forms[0].title.line.setText("Filled in for an hour")
    desk.window.close()
    assert desk.window.isVisible()
    assert len(asked) == 1
    assert asked[0].startswith(preferences.failure)
    assert asked[0].endswith("What is filled in under Experiments is lost if nimdesk ends now. Quit?")
    desk.window.close()
    assert not desk.window.isVisible()
    assert len(asked) == 2


# The look


def colors(image: QImage) -> set[str]:
    rgb = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(rgb.constBits(), np.uint32).reshape(rgb.height(), -1)
    return {QColor(int(pixel)).name() for pixel in np.unique(pixels)}


def wears(desk: Desk, theme: Theme) -> None:
    """Everything is painted in this look, and nothing in the other."""
    other = LIGHT if theme is DARK else DARK
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    desk.wait(lambda: theme.error in desk.window.page.styleSheet() and desk.window.updatesEnabled())
    assert app.palette().color(QPalette.ColorRole.Window).name() == theme.window
    assert desk.panel.plot.view.backgroundBrush().color().name() == theme.plot
    for widget, role in ((desk.board, "board"), (desk.window.moves.table, "base")):
        seen = colors(widget.grab().toImage())
        assert getattr(theme, role) in seen, f"{type(widget).__name__} is not {theme.name}"
        assert getattr(other, role) not in seen, f"a part of {type(widget).__name__} is {other.name}"
    assert theme.window in colors(desk.window.grab().toImage())


@pytest.mark.parametrize("position", ["nim:3,4,5", "mnk:5,5,4"])
def test_the_theme_restyles_everything(open_desk: OpenDesk, position: str) -> None:
    desk = open_desk(position, mcts(200), HUMAN, theme="light")
    desk.wait_for(State.HUMAN)
    wears(desk, LIGHT)
    choice(desk, "&Theme", "&Dark").trigger()
    wears(desk, DARK)
    assert desk.session.preferences.now.theme == "dark"
    desk.session.games.start(parse_position("mnk:3,3,3"))
    wears(desk, DARK)
    choice(desk, "&Theme", "&Light").trigger()
    wears(desk, LIGHT)


def test_the_legend_changes_its_theme_too(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", mcts(200), HUMAN, theme="light")
    desk.wait_for(State.HUMAN)
    for theme in (DARK, LIGHT):
        choice(desk, "&Theme", f"&{theme.name.title()}").trigger()
        wears(desk, theme)
        seen = colors(desk.panel.legend.grab().toImage())
        assert theme.base in seen
        assert (LIGHT if theme is DARK else DARK).base not in seen


def test_the_system_theme_follows_the_system(
    open_desk: OpenDesk, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk(theme="system")
    wears(desk, LIGHT)
    resolve = themes.resolve
    monkeypatch.setattr(themes, "resolve", lambda choice, **how: DARK if choice == "system" else resolve(choice, **how))
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    wears(desk, DARK)
    desk.session.preferences.change(theme="light")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    wears(desk, LIGHT)


# Two runs of the program


def test_the_next_run_begins_where_the_last_one_ended(open_desk: OpenDesk, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    first = open_desk("mnk:5,5,4", HUMAN, mcts(1234, seed=7), store=stored(path))
    first.window.resize(760, 640)
    first.window.page.halves.set_share(0.61)
    first.panel.toolbar.x_axis.action("linear").trigger()
    choice(first, "&Number on the board", "&Visits").trigger()
    choice(first, "&Theme", "&Dark").trigger()
    first.click("c3")
    first.wait_for(State.HUMAN)
    first.press((K.Key_B, Qt.KeyboardModifier.ControlModifier), (K.Key_M, Qt.KeyboardModifier.ControlModifier))
    size, moves = first.window.size(), first.moves
    first.close()
    second = open_desk(None, None, None, store=SettingsStore(path))
    assert second.window.size() == size == QSize(760, 640)
    assert second.window.page.shares()["board"] == 0.61
    assert second.panel.state()["x"] == "linear"
    assert not second.window.actions_by_name["overlay"].isChecked()
    assert second.window.actions_by_name["slow_motion"].isChecked()
    assert second.board.shown.style == "visits"
    wears(second, DARK)
    assert second.controller.game.game.text == "mnk:5,5,4"
    assert second.controller.game.players == (HUMAN, mcts(1234, seed=7))
    assert second.moves == moves


def test_a_game_that_was_opened_is_no_example_for_the_next_one_until_it_is_played_on(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, RANDOM)
    preferences, opened = desk.session.preferences, GameInProgress(parse_position("nim:3,4,5"), (HUMAN, ENDLESS))
    desk.session.remember()
    before = preferences.now
    desk.session.games.show(opened)
    desk.session.remember()
    assert (preferences.now.position, preferences.now.players) == (before.position, before.players)
    desk.click("1-1")
    desk.session.remember()
    assert preferences.now.position == "nim:3,4,5"
    assert preferences.now.players == [player_to_json(HUMAN), player_to_json(ENDLESS)]


def test_reset_layout_puts_everything_back_and_leaves_the_window_as_large_as_it_is(desk: Desk) -> None:
    before = desk.window.page.shares()
    desk.window.resize(1400, 900)
    desk.window.page.halves.set_share(0.3)
    desk.window.actions_by_name["reset_layout"].trigger()
    assert desk.window.page.shares() == before
    assert desk.window.size() == QSize(1400, 900)


@pytest.mark.parametrize("geometry", ["AAAA", "AdnQ", "===="])
def test_a_layout_that_makes_no_sense_changes_nothing(open_desk: OpenDesk, geometry: str) -> None:
    desk = open_desk(window_geometry=geometry)
    assert desk.board.isVisible()


# Broken settings


@pytest.mark.parametrize("garbage", [b"{{{ no json", b"\xff\x00\x01", b"[1, 2]", b""])
def test_a_garbage_file_is_set_aside_and_said(open_desk: OpenDesk, tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(garbage)
    desk = open_desk(None, None, HUMAN, store=SettingsStore(path))
    aside = tmp_path / "settings.broken-1.json"
    assert aside.read_bytes() == garbage
    assert desk.notice.startswith(f"The settings file “{path}” is broken")
    assert str(aside) in desk.notice
    desk.click(desk.board.position.legal_moves[0].text)
    assert "broken" not in desk.notice
    desk.close()
    assert json.loads(path.read_text())["position"] == "mnk:7,6,4:gravity"


def test_a_bad_value_is_said_also_where_the_computer_begins(open_desk: OpenDesk, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    stored(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"theme": "pink"}))
    desk = open_desk("nim:3,4,5", ENDLESS, HUMAN, store=SettingsStore(path))
    assert desk.state is State.THINKING
    assert desk.notice.endswith("left out or replaced by the defaults: Theme (theme).")


def test_settings_that_cannot_be_written_are_one_sentence_on_the_terminal(
    open_desk: OpenDesk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    store = stored(folder / "settings.json")
    desk = open_desk(store=store)
    (folder / "settings.json").unlink()
    folder.rmdir()
    folder.write_text("a file where a folder should be")
    desk.window.close()
    assert not desk.window.isVisible()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"nimdesk: The settings cannot be saved to “{folder / 'settings.json'}”: ")


def test_the_first_run_of_all_has_nothing_to_complain(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk(None, None, None, store=SettingsStore(tmp_path / "new" / "settings.json"))
    assert desk.controller.game.game.text == Settings().position
    assert desk.notice == desk.controller.position.game.hint
    desk.close()
    assert (tmp_path / "new" / "settings.json").is_file()


# Saved games


def test_a_game_comes_back_with_its_players_moves_and_searches(
    open_desk: OpenDesk, tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine"
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(300))
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    saved = desk.controller.game
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    desk.press((K.Key_S, Qt.KeyboardModifier.ControlModifier))
    path = path.with_suffix(".nimdesk")
    assert path.is_file()
    assert desk.window.status.currentMessage() == f"Saved to {path}."
    other = open_desk("nim:3,4,5", HUMAN, RANDOM)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    other.press((K.Key_O, Qt.KeyboardModifier.ControlModifier))
    opened = other.controller.game
    assert opened is not saved
    assert opened.players == saved.players
    assert [ply.move for ply in opened.plies] == [ply.move for ply in saved.plies]
    assert other.panel.title.text() == desk.panel.title.text()
    assert other.panel.legend.model().rowCount() == 8
    other.wait(other.board.hasFocus)
    assert other.field(1, "iterations").text() == "300"
    assert not warnings
    other.click(other.board.position.legal_moves[0].text)
    other.wait(lambda: len(other.moves) == 4)


def test_a_computer_waits_in_a_game_just_opened(open_desk: OpenDesk, tmp_path: Path, warnings: list[str]) -> None:
    path = tmp_path / "game.nimdesk"
    desk = open_desk("mnk:3,3,3", HUMAN, ENDLESS)
    desk.click("b2")
    desk.session.files.save(path)
    desk.session.games.start(parse_position("nim:3"))
    desk.session.files.open(path)
    assert desk.state is State.PAUSED
    assert not desk.service.searching
    assert desk.notice == "Paused. Continue lets the computer go on."
    desk.button("continue")
    assert desk.state is State.THINKING
    assert not warnings


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": "nimdesk game"}', b"\xff\xfe"])
def test_a_broken_file_is_one_sentence_and_changes_nothing(
    desk: Desk, tmp_path: Path, warnings: list[str], content: bytes
) -> None:
    path = tmp_path / "broken.nimdesk"
    path.write_bytes(content)
    desk.click("1-1")
    before = desk.controller.game
    desk.session.files.open(path)
    assert len(warnings) == 1
    assert warnings[0].startswith("The game “broken.nimdesk” cannot be opened: ")
    assert desk.controller.game is before
    assert desk.moves == ["1-1"]


def test_a_missing_file_and_an_unwritable_place_are_said(desk: Desk, tmp_path: Path, warnings: list[str]) -> None:
    desk.session.files.open(tmp_path / "missing.nimdesk")
    desk.session.files.save(tmp_path / "no folder" / "game.nimdesk")
    assert [sentence.rpartition(": ")[2] for sentence in warnings] == ["there is no such file or folder."] * 2


def test_a_name_that_no_file_can_have_is_said_and_no_longer_recent(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    far = tmp_path / f"{'x' * 300}.nimdesk"
    desk = open_desk("nim:3", recent_games=[str(far)])
    (recent,) = (menu for menu in desk.window.findChildren(QMenu) if menu.title() == "Open r&ecent")
    recent.actions()[0].trigger()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(far), ""))
    desk.session.files.ask_save()
    assert [sentence.rpartition(": ")[2] for sentence in warnings] == ["the name is too long."] * 2
    assert desk.session.preferences.now.recent_games == []


def test_cancelling_a_file_dialog_does_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    before = desk.controller.game
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    desk.press((K.Key_S, Qt.KeyboardModifier.ControlModifier), (K.Key_O, Qt.KeyboardModifier.ControlModifier))
    assert desk.controller.game is before
    assert not warnings


def test_slow_motion_is_a_switch_of_the_next_search(open_desk: OpenDesk) -> None:
    assert QUIET.slow_motion_s == 0
    desk = open_desk("nim:3,4,5", HUMAN, mcts(2000))
    assert desk.controller.slow_motion_s == 0
    desk.press((K.Key_M, Qt.KeyboardModifier.ControlModifier))
    assert desk.controller.slow_motion_s == Settings().slow_motion_s > 0
    desk.click("1-1")
    desk.wait_for(State.HUMAN)
    assert desk.moves[0] == "1-1"
