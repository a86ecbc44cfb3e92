"""What can be taken away from the laboratory: each file is opened again and says what the screen said."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from desk import CTRL, HUMAN, WAIT_MS, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageReader, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QProgressDialog
from pytestqt.qtbot import QtBot

from nimdesk.disk.provenance import beside
from nimdesk.figures.drawing import read_panels
from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.search import StopReason
from nimdesk.search.timeline import Cost
from nimdesk.ui.boards import board_for
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.laboratory.export_contents import Film, film_moments
from nimdesk.ui.laboratory.export_pictures import board_sheet, image_of, svg_of
from nimdesk.ui.laboratory.studied import Studied, new_agent
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.look.theme import LIGHT
from nimdesk.ui.plots.frame import View


class Lab:
    """The laboratory of an open window, with what a person does there."""

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self.warnings: list[str] = []
        desk.window.modes.show_mode(LABORATORY)
        self.page, self.model = desk.laboratory, desk.laboratory.model
        self.answer: tuple[str, str] = ("", "")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: self.answer)
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: self.answer)
        monkeypatch.setattr(QMessageBox, "exec", lambda box: self.warnings.append(box.text()))

    def run(self, iterations: int, *studied: tuple[str, int]) -> None:
        self.model.agents.set_all(tuple(Studied(new_agent(name), seed) for name, seed in studied))
        self.model.searches.set_limit(float(iterations))
        self.model.searches.run()
        self.desk.wait(lambda: not self.model.searches.running)

    def take(self, action: str, name: str, filters: str = "") -> Path:
        """Choose this in the menu, and this name in the dialog."""
        path = self.folder / name
        self.answer = (str(path), filters)
        assert self.desk.enabled(action) == [True], f"{action} is disabled"
        self.desk.window.actions_by_name[action].trigger()
        return path

    @property
    def said(self) -> str:
        return self.desk.window.status.currentMessage()


@pytest.fixture
def lab(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    desk = open_desk("nim:3,4,5", HUMAN, HUMAN)
    return Lab(desk, monkeypatch, tmp_path)


def pixels_of(image: QImage) -> np.ndarray:
    """Height, width, and red, green, blue."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width() * 3].reshape(plain.height(), plain.width(), 3).copy()


def rendered(svg: bytes, size: QSize) -> QImage:
    """The drawing in pixels."""
    renderer = QSvgRenderer(svg)
    assert renderer.isValid()
    drawn = QImage(size, QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(drawn.rect()))
    painter.end()
    return drawn


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_nothing_can_be_taken_before_a_search(lab: Lab) -> None:
    names = ["take_picture", "take_data", "take_film", "take_full", "take_command", "take_bundle", "take_repeat"]
    names.append("take_python")
    assert lab.desk.enabled(*names) == [False] * len(names)
    assert lab.desk.enabled("take_board", "take_open") == [True, True]


def test_a_table_and_what_stands_beside_it_are_of_one_moment_of_a_search_that_goes_on(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.model.agents.set_all((Studied(new_agent("uct"), 1),))
    lab.model.searches.set_limit(None)
    lab.model.searches.run()
    lab.desk.wait(lambda: lab.desk.enabled("take_full") == [True])

    def name_it(*_: object) -> tuple[str, str]:
        before = lab.model.searches.focused.snapshot
        lab.desk.wait(lambda: lab.model.searches.focused.snapshot is not before)
        return lab.answer

    monkeypatch.setattr(QFileDialog, "getSaveFileName", name_it)
    path = lab.take("take_full", "all.csv")
    (agent,) = json.loads(beside(path).read_text())["agents"]
    assert int(rows_of(path)[-1]["iteration"]) == agent["iterations"]
    lab.model.searches.stop()


def test_a_png_has_twice_the_pixels_of_the_plot_and_the_svg_looks_the_same(lab: Lab) -> None:
    lab.run(2_000, ("uct", 1))
    png, svg = lab.take("take_picture", "share.png"), lab.take("take_picture", "share.svg")
    image, plot = QImage(str(png)), lab.page.views.panes[0].plot
    assert image.width() > 2 * plot.width()
    assert image.height() > 2 * plot.height()
    assert len({image.pixel(x, image.height() // 2) for x in range(0, image.width(), 3)}) > 5
    drawn = rendered(svg.read_bytes(), image.size())
    # Text and smooth edges differ by a shade; a missing plot would differ everywhere, lines of half the width a little.
    differing = (np.abs(pixels_of(image).astype(int) - pixels_of(drawn)).max(axis=2) > 90).mean()
    assert differing < 0.015
    # One image: the coloured strip of the leaders; curves, symbols and text are lines.
    assert svg.read_text().count("<image") == 1


def test_the_picture_of_the_upper_of_two_views_has_an_x_axis(lab: Lab) -> None:
    lab.run(500, ("uct", 1))
    lab.desk.window.actions_by_name["lab_two"].trigger()
    lab.page.display.draw_now()
    plot = lab.page.views.panes[0].plot
    assert plot.x_axis.bare
    texts = re.findall(r"<text[^>]*>\s*([^<]*?)\s*</text>", lab.take("take_picture", "share.svg").read_text())
    assert {"iterations", "100"} <= set(texts)
    assert plot.x_axis.bare, "on the screen nothing has changed"


def test_the_svg_of_a_plot_asks_nothing_unusual_of_the_program_that_draws_it(lab: Lab) -> None:
    lab.run(2_000, ("uct", 1))
    lab.model.clock.set_moment(500.0)
    text = lab.take("take_picture", "share.svg").read_text()
    assert "vector-effect" not in text
    name = "{http://www.w3.org/2000/svg}"
    lines = [line for tag in ("path", "polyline") for line in ElementTree.fromstring(text).iter(f"{name}{tag}")]
    assert len(lines) > 12, "one for each move, and the axes"
    groups = (group for group in ElementTree.fromstring(text).iter(f"{name}g") if len(group))
    for group in groups:
        a, b, c, d = re.findall(r"-?[\d.]+", group.get("transform", "matrix(1,0,0,1,0,0)"))[:4]
        assert {abs(float(a)) + abs(float(b)), abs(float(c)) + abs(float(d))} == {1.0}, "nothing is stretched"
    assert all(family.endswith(", sans-serif") for family in re.findall(r'font-family="([^"]*)"', text))


def test_the_board_is_drawn_in_lines(lab: Lab) -> None:
    for number, position in enumerate(("nim:3,4,5 1-1", "mnk:3,3,3 b2 a1")):
        lab.model.place.go_to(parse_position(position))
        lab.run(500, ("uct", 1))
        svg = lab.take("take_board", f"board-{number}.svg").read_text()
        assert "<image" not in svg
        image = QImage(str(lab.take("take_board", f"board-{number}.png")))
        drawn = rendered(svg.encode(), image.size())
        differing = (np.abs(pixels_of(image).astype(int) - pixels_of(drawn)).max(axis=2) > 90).mean()
        assert differing < 0.01, "with the wood of its sticks, too"


def test_the_data_of_a_view_are_the_numbers_of_the_trace(lab: Lab) -> None:
    lab.run(1_500, ("uct", 2))
    trace = lab.model.searches.focused.snapshot
    assert trace is not None
    assert trace.trace is not None
    rows = rows_of(lab.take("take_data", "share.csv"))
    assert [int(row["iterations"]) for row in rows] == trace.trace.iterations.tolist()
    shares = trace.trace.shares()
    for column, move in enumerate(trace.trace.moves):
        assert np.allclose([float(row[move.text]) for row in rows], shares[:, column])


def test_every_view_has_data_and_a_picture(lab: Lab) -> None:
    lab.run(300, ("uct", 1), ("mcts", 1))
    lab.desk.wait(lambda: lab.model.proof.truth is not None)
    for view in View:
        lab.page.views.panes[0].set_view(view)
        rows = rows_of(lab.take("take_data", f"{view.key}.csv"))
        assert len(rows) > 20
        assert "iterations" in rows[0]
        assert any(value for row in rows for name, value in row.items() if name != "iterations")
        assert not QImage(str(lab.take("take_picture", f"{view.key}.png"))).isNull()


def test_what_made_a_table_says_how_far_each_search_went(lab: Lab) -> None:
    lab.run(250, ("uct", 3), ("flat", 4), ("deepening", 1))
    about = json.loads(beside(lab.take("take_data", "share.csv")).read_text())
    uct, flat, deepening = about["agents"]
    nodes = [run.snapshot.tree_nodes for run in lab.model.searches.runs if run.snapshot is not None]
    assert (uct["options"]["iterations"], uct["iterations"], uct["nodes"], uct["seed"]) == (250, 250, nodes[0], 3)
    # Flat Monte Carlo is asked for whole rounds; what it made is said beside it.
    assert (flat["options"]["playouts"], flat["iterations"], flat["nodes"]) == (21, 250, None)
    assert (deepening["options"]["nodes"], deepening["nodes"]) == (nodes[2], nodes[2])


def test_all_data_hold_every_search(lab: Lab) -> None:
    lab.run(300, ("uct", 1), ("flat", 7), ("alphabeta", 1))
    rows = rows_of(lab.take("take_full", "all.csv"))
    for name, run in zip("ABC", lab.model.searches.runs, strict=True):
        line = run.timeline
        assert line is not None
        own = [row for row in rows if row["run"] == name]
        assert [int(row["iteration"]) for row in own] == line.iterations.tolist()
        assert (own[-1]["visits:1-1"] != "") == (line.trace is not None)


def test_the_animation_shows_the_search_from_its_first_row_to_its_last(lab: Lab) -> None:
    lab.run(1_000, ("uct", 1))
    lab.model.clock.set_moment(40.0)
    expected, path = len(film_moments(lab.model.moment(), 12)), lab.folder / "search.gif"
    lab.desk.session.laboratory.take_away.make_film(path, 12)
    lab.desk.wait(path.exists)
    assert lab.model.clock.moment == 40.0
    reader, images = QImageReader(str(path)), []
    while not (image := reader.read()).isNull():
        images.append(image)
    assert len(images) == expected > 8
    assert pixels_of(images[0]).tobytes() != pixels_of(images[-1]).tobytes()
    # The line of the moment stands in every picture but the last, which shows the newest state.
    accent = np.array(LIGHT.color("accent").getRgb()[:3])
    lines = [int((np.abs(pixels_of(image).astype(int) - accent).max(axis=2) < 8).sum()) for image in images]
    assert min(lines[1:-1]) > 200 > 2 * lines[-1]


def test_a_film_shows_why_a_view_has_nothing_to_draw(lab: Lab) -> None:
    lab.run(300, ("uct", 1))
    lab.desk.window.actions_by_name["lab_two"].trigger()
    second = lab.page.views.panes[1]
    lab.desk.wait(lambda: second.draws)
    film = Film(lab.page, animated=True, parent=lab.page)

    def ribbons() -> int:
        """Pixels of a film's picture, right of the board, in the colour of a choice that is optimal."""
        pixels = pixels_of(image_of(film.sheet()))[:, lab.page.board_panel.width() :]
        return int((np.abs(pixels.astype(int) - LIGHT.color("win").getRgb()[:3]).max(axis=2) < 4).sum())

    assert ribbons() > 100
    lab.page.set_truth_shown(False)
    lab.desk.wait(lambda: not second.draws)
    assert ribbons() == 0, "what the plot drew before is gone"


def test_the_search_that_play_shows_can_be_filmed(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(_parent: object, title: str, *_: object) -> tuple[str, str]:
        asked.append(title)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    desk = open_desk("nim:3,4", mcts(4), HUMAN)
    desk.wait_for(State.HUMAN)
    desk.press((K.Key_A, CTRL | Qt.KeyboardModifier.ShiftModifier))
    desk.wait(lambda: asked == ["Save the search as it happened"])
    assert desk.laboratory.model.place.position.text == "nim:3,4", "that of the search, before the move"
    searched, shown = desk.controller.game.plies[0].snapshot, desk.laboratory.model.clock.shown()
    assert searched is not None
    assert shown is not None
    assert shown.moves == searched.moves


def test_while_a_film_is_made_nothing_else_can_be_taken_and_the_menu_says_why(lab: Lab) -> None:
    lab.run(12, ("uct", 1))
    actions = lab.desk.window.actions_by_name
    names = [action.objectName() for action in actions.of_menu("Take away")]
    before = [(actions[name].isEnabled(), actions[name].toolTip()) for name in names]
    path = lab.take("take_film", "search.gif")
    assert lab.desk.enabled(*names) == [False] * len(names)
    assert {actions[name].toolTip() for name in names} == {
        "An animation is being made; this can be had when it is done, or cancelled."
    }
    lab.desk.wait(path.exists)
    assert [(actions[name].isEnabled(), actions[name].toolTip()) for name in names] == before


def test_a_film_that_cannot_be_made_says_why(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_image: object) -> None:
        raise MemoryError

    monkeypatch.setattr("nimdesk.ui.laboratory.export_contents.reduced", fail)
    lab.run(12, ("uct", 1))
    path = lab.take("take_film", "search.gif")
    lab.desk.wait(lambda: lab.said.startswith("No animation was saved. "))
    assert "memory" in lab.said
    assert not path.exists()


def test_of_an_agent_without_results_no_film_is_begun(lab: Lab) -> None:
    lab.run(12, ("uct", 1))
    lab.model.agents.add()
    lab.model.agents.set_focus(1)
    path = lab.folder / "search.gif"
    lab.desk.session.laboratory.take_away.make_film(path)
    assert lab.said.startswith("There is nothing to animate")
    assert QApplication.activeModalWidget() is None
    assert lab.desk.enabled("take_film") == [True]
    assert not path.exists()


def test_ctrl_q_closes_the_window_while_a_film_is_made(lab: Lab) -> None:
    lab.run(1_000, ("uct", 1))
    path = lab.take("take_film", "search.gif")
    lab.desk.wait(lambda: isinstance(QApplication.activeModalWidget(), QProgressDialog))
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    # Keys come to the active window, which it becomes a moment after it is shown.
    lab.desk.wait(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not lab.desk.window.isVisible()
    assert not path.exists()


def test_a_film_ends_without_a_result_when_its_window_is_hidden(lab: Lab) -> None:
    lab.run(1_000, ("uct", 1))
    made: list[object] = []
    film = Film(lab.page, animated=True, parent=lab.page)
    film.ended.connect(made.append)
    film.start()
    lab.desk.window.hide()
    lab.desk.wait(lambda: bool(made))
    assert made == [None]


def test_a_film_under_way_ends_with_the_session(lab: Lab) -> None:
    lab.run(1_000, ("uct", 1))
    path = lab.take("take_film", "search.gif")
    lab.desk.wait(lambda: "nimdesk-film" in {thread.name for thread in threading.enumerate()})
    lab.desk.session.close()
    assert "nimdesk-film" not in {thread.name for thread in threading.enumerate()}
    assert not path.exists()


def test_a_film_of_single_pictures_is_numbered(lab: Lab) -> None:
    lab.run(60, ("uct", 1))
    expected = len(film_moments(lab.model.moment()))
    path = lab.take("take_film", "step.png")
    lab.desk.wait((path.parent / f"step-{expected:03}.png").exists)
    assert len(list(path.parent.glob("step-*.png"))) == expected


def test_no_picture_of_an_earlier_film_is_replaced_unasked(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.run(60, ("uct", 1))
    earlier = [lab.folder / f"step-{number:03}.png" for number in (2, 9)]
    for each in earlier:
        each.write_text("mine")
    answers = iter([(str(lab.folder / "step.png"), ""), ("", "")])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: next(answers))
    lab.desk.window.actions_by_name["take_film"].trigger()
    assert lab.warnings == ["“step-002.png” and 1 more file are already there. Replace them?"]
    assert [each.read_text() for each in earlier] == ["mine", "mine"]
    assert not list(answers), "after No, another name can be chosen"


def test_the_copied_command_is_one_line_for_each_search(lab: Lab) -> None:
    lab.run(250, ("uct", 3), ("mcts", 4))
    lab.desk.window.actions_by_name["take_command"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert [shlex.split(line)[:5] for line in lines] == [
        ["nimdesk", "analyse", "nim:3,4,5", "--agent", name] for name in ("uct", "mcts")
    ]
    assert "--seed 3" in lines[0]
    assert "--iterations 250" in lines[0]


def test_a_figure_for_print_shows_the_view_of_all_agents(lab: Lab) -> None:
    lab.run(250, ("uct", 3), ("mcts", 4))
    lab.answer = (str(lab.folder / "shares.svg"), "")
    lab.desk.window.actions_by_name["take_figure"].trigger()
    dialog = lab.desk.window.findChild(FigureDialog)
    assert dialog is not None
    assert [dialog.shown.itemText(index) for index in range(dialog.shown.count())] == [
        "All agents",
        "Agent A",
        "Agent B",
    ]
    caption = dialog.caption.toPlainText()
    assert "A: MCTS, textbook (iterations = 250, exploration = " in caption
    assert "seed 3" in caption
    dialog.width_mm.setValue(174)
    QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    lab.desk.wait(lambda: "the caption was copied" in lab.said, timeout=WAIT_MS * 10)
    assert QGuiApplication.clipboard().text() == caption
    drawn = (lab.folder / "shares.svg").read_text()
    assert 'width="493.2' in drawn
    (first, second) = read_panels(lab.folder / "shares.figure.csv")
    assert [panel["title"][:2] for panel in (first, second)] == ["A:", "B:"]
    run = lab.model.searches.runs[0].snapshot
    assert run is not None
    assert first["curves"][0]["label"].startswith(run.best_move.text if run.best_move else "?")


def test_the_copied_script_comes_to_the_same_visits(lab: Lab) -> None:
    lab.run(250, ("uct", 3), ("flat", 4))
    lab.desk.window.actions_by_name["take_python"].trigger()
    script = QGuiApplication.clipboard().text()
    assert script.startswith("import nimdesk as nd\n\na = nd.analyse('nim:3,4,5', 'uct', iterations=250, seed=3")
    found: dict[str, Any] = {}
    exec(script, found)
    uct, flat = (run.snapshot for run in lab.model.searches.runs)
    assert uct is not None
    assert flat is not None
    assert found["a"].moves == uct.moves
    assert (found["b"].moves, found["b"].snapshot.iterations) == (flat.moves, 250)


def test_a_bundle_opens_to_the_identical_curves(lab: Lab) -> None:
    lab.run(700, ("uct", 5), ("mcts", 5), ("alphabeta", 5))
    lab.page.views.panes[0].set_view(View.MEAN)
    before = lab.take("take_data", "1.csv").read_bytes()
    full = lab.take("take_full", "1-full.csv").read_bytes()
    bundle = lab.take("take_bundle", "story")
    bundle = bundle.with_name("story.nimbundle.json") if not bundle.exists() else bundle
    assert json.loads(bundle.read_text())["format"] == "nimdesk-bundle"
    lab.model.place.go_to(parse_position("mnk:3,3,3"))
    lab.run(50, ("uct", 1))
    lab.page.views.panes[0].set_view(View.HEAT)
    lab.answer = (str(bundle), "")
    lab.desk.window.actions_by_name["take_open"].trigger()
    assert lab.warnings == []
    assert lab.model.place.position.text == "nim:3,4,5"
    assert [(each.agent.name, each.seed) for each in lab.model.agents.studied] == [
        ("uct", 5),
        ("mcts", 5),
        ("alphabeta", 5),
    ]
    assert lab.take("take_data", "2.csv").read_bytes() == before
    assert lab.take("take_full", "2-full.csv").read_bytes() == full


def test_an_opened_bundle_runs_again_to_the_same_numbers_and_goes_on(lab: Lab) -> None:
    lab.run(400, ("uct", 5))
    lab.take("take_bundle", "a.nimbundle.json")
    lab.model.searches.start_over()
    lab.desk.window.actions_by_name["take_open"].trigger()
    lab.desk.window.actions_by_name["take_repeat"].trigger()
    lab.desk.wait(lambda: "Run again" in lab.said)
    assert "A: the same numbers" in lab.said
    lab.model.searches.run()
    lab.desk.wait(lambda: not lab.model.searches.running)
    assert lab.model.searches.focused.spent(Cost.ITERATIONS) == 800


def test_a_bundle_of_another_version_says_that_its_numbers_may_be_others(lab: Lab) -> None:
    lab.run(50, ("uct", 5))
    bundle = lab.take("take_bundle", "old.nimbundle.json")
    lab.desk.window.actions_by_name["take_open"].trigger()
    assert lab.said.endswith("runs its searches again.")
    bundle.write_text(json.dumps(json.loads(bundle.read_text()) | {"program": "0.1.0"}))
    lab.desk.window.actions_by_name["take_open"].trigger()
    assert "again. Their numbers may be others: it was saved by nimdesk 0.1.0, and this is " in lab.said


def test_a_broken_bundle_is_one_sentence_and_changes_nothing(lab: Lab) -> None:
    lab.run(50, ("uct", 1))
    (lab.folder / "x.json").write_text('{"format": "nimdesk-game", "version": 1}')
    before = (lab.model.place.position, lab.model.agents.studied, lab.model.searches.runs)
    lab.take("take_open", "x.json")
    assert len(lab.warnings) == 1
    assert "is not a bundle of nimdesk" in lab.warnings[0]
    assert (lab.model.place.position, lab.model.agents.studied, lab.model.searches.runs) == before


def test_a_file_that_cannot_be_written_is_one_sentence(lab: Lab) -> None:
    lab.run(50, ("uct", 1))
    for action in ("take_picture", "take_data", "take_full", "take_board", "take_bundle", "take_film"):
        lab.warnings.clear()
        lab.take(action, "missing/file.gif")
        lab.desk.wait(lambda: bool(lab.warnings), timeout=WAIT_MS)
        assert "missing" in lab.warnings[0]
        assert lab.warnings[0].endswith(".")


def test_a_dialog_that_is_cancelled_writes_nothing(lab: Lab) -> None:
    lab.run(50, ("uct", 1))
    lab.answer = ("", "")
    actions: list[Callable[[], None]] = [
        lab.desk.window.actions_by_name[name].trigger
        for name in ("take_picture", "take_data", "take_full", "take_board", "take_bundle", "take_film", "take_open")
    ]
    before = list(lab.folder.iterdir())
    for trigger in actions:
        trigger()
    assert list(lab.folder.iterdir()) == before


def test_the_board_as_pdf_is_a_page_of_its_size_with_letters(lab: Lab) -> None:
    data = lab.take("take_board", "board.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    wide, high = map(float, box)
    twin = lab.page.board_panel.board.twin()
    shown = board_sheet(twin).size
    twin.deleteLater()
    assert wide / high == pytest.approx(shown.width() / shown.height(), rel=0.01)
    assert b"/Font" in data


@pytest.mark.parametrize("position", ["nim:3,4,5", "nim:21:max3", "mnk:3,3,3 b2 a1", "mnk:7,6,4:gravity", "mnk:9,3,3"])
@pytest.mark.parametrize("size", [(420, 900), (1000, 420)])
def test_the_picture_of_a_board_has_a_small_margin_on_each_side(
    qtbot: QtBot, position: str, size: tuple[int, int]
) -> None:
    board = board_for(parse_position(position).game)
    qtbot.addWidget(board)
    board.set_position(parse_position(position))
    board.resize(*size)
    sheet = board_sheet(board)
    image = image_of(sheet, 1.0)
    pixels = pixels_of(image)
    inked = (pixels != pixels[0, 0]).any(axis=2)
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    margins = (rows[0], columns[0], image.height() - 1 - rows[-1], image.width() - 1 - columns[-1])
    assert all(0 <= margin <= 12 for margin in margins), margins
    # No band of nothing within the picture either, beyond the room for bars between piles and the words below them.
    assert np.diff(rows).max() <= 0.4 * image.height()
    assert svg_of(sheet).count(f'viewBox="0 0 {image.width()} {image.height()}"'.encode()) == 1


def test_a_command_that_may_come_to_other_numbers_says_why(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:7,6,4:gravity"))
    lab.model.agents.set_all((Studied(new_agent("deepening"), 1), Studied(new_agent("uct"), 1)))
    lab.model.searches.set_limit(None)
    lab.model.searches.run()
    lab.desk.wait(lambda: all(run.snapshot is not None for run in lab.model.searches.runs))
    lab.model.searches.stop()
    lab.desk.wait(lambda: lab.model.searches.runs[0].snapshot.stopped is StopReason.STOPPED)
    for action in ("take_command", "take_python"):
        lab.desk.window.actions_by_name[action].trigger()
        assert lab.said.startswith("It may come to other numbers: A (the clock or a person stopped it"), lab.said
