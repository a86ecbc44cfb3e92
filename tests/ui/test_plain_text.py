"""Text from outside is shown letter by letter: nothing in it is taken for HTML, and no file that it names is opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

import nimdesk.ui
from nimdesk.ui.look.desktop import ask, progress_box, warn
from nimdesk.ui.look.widgets import ElidedLabel, TruthLine, keyless, label, tip
from nimdesk.ui.plots.canvas import Readout, table_row

HOSTILE = "<img src=marker.png> & <b>bold</b>"
UI = Path(nimdesk.ui.__file__).parent
# The only places that may make what Qt would guess about, or show HTML of our own.
LABELS, BOXES = "look/widgets.py", "look/desktop.py"
PAGES = {"dialogs.py", "experiments/run_view.py", "laboratory/board_panel.py", "shell/pages.py"}
MARKUP = {"plots/canvas.py", "dialogs.py", "lessons/panel.py", "paper/document.py"}


# What the window is made with


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kind", [label, ElidedLabel, TruthLine])
def test_a_label_shows_tags_as_they_are(kind: type[QLabel]) -> None:
    made = kind()
    made.setText(HOSTILE)
    assert made.text() == HOSTILE
    assert made.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("text", [HOSTILE, "<b>x</b>", "a <a href=x>", "long " * 100, "two\n\nparagraphs " + "x " * 99])
def test_a_tool_tip_has_no_tag_but_for_lines_and_paragraphs(text: str) -> None:
    shown = tip(text)
    for own in ("<p>", "</p>", "<br>"):
        shown = shown.replace(own, "")
    assert "<" not in shown


def test_a_short_tool_tip_is_read_out_as_it_is_written() -> None:
    for text in ("", "Enter & Space", "more than 3 < 4"):
        assert tip(text) == text


def test_an_ampersand_from_outside_gives_no_key() -> None:
    assert keyless("Black & White") == "Black && White"


@pytest.mark.usefixtures("qapp")
def test_the_read_out_of_a_plot_shows_names_as_they_are() -> None:
    parent = QWidget()
    readout = Readout(parent)
    readout.say("<b>budget 1</b>", [table_row("#000000", [HOSTILE, "50%"])])
    assert "<img" not in readout.text()
    assert readout.words == f"budget 1; {HOSTILE} 50%."


def test_messages_and_questions_show_names_as_they_are(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, boxes = QWidget(), list[tuple[Qt.TextFormat, str]]()
    qtbot.addWidget(parent)

    def answer(box: QMessageBox) -> int:
        boxes.append((box.textFormat(), box.text()))
        return QMessageBox.StandardButton.Yes

    monkeypatch.setattr(QMessageBox, "exec", answer)
    warn(parent, HOSTILE)
    assert ask(parent, "Delete", HOSTILE)
    assert boxes == [(Qt.TextFormat.PlainText, HOSTILE)] * 2


def test_what_is_under_way_is_told_letter_by_letter(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    (shown,) = (found for found in progress_box(parent, HOSTILE).findChildren(QLabel) if found.text())
    assert (shown.text(), shown.textFormat()) == (HOSTILE, Qt.TextFormat.PlainText)


# That everything is made with it


@cache
def modules() -> dict[str, ast.Module]:
    """The source of the window, by its modules."""
    return {path.relative_to(UI).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in UI.rglob("*.py")}


def name_of(node: ast.AST) -> str:
    """The last part of a name such as ``QtWidgets.QLabel``."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Calls of these functions and methods, each with its module."""
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node.func) in names:
                yield module, node


def with_name(*names: str) -> set[str]:
    """The modules in which one of these names stands."""
    return {module for module, tree in modules().items() if any(name_of(node) in names for node in ast.walk(tree))}


def is_safe(text: ast.AST) -> bool:
    """Whether a tool tip is the program's own words, or made by ``tip``."""
    parts = [node.func for node in ast.walk(text) if isinstance(node, ast.Call)]
    return isinstance(text, ast.Constant) or any(name_of(part) in ("tip", "_tip") for part in parts)


def test_no_module_makes_a_label_or_a_message_of_qts_own() -> None:
    assert {module for module, _ in calls("QLabel")} == set()
    assert {module for module, _ in calls("QMessageBox", "QProgressDialog")} == {BOXES}
    assert with_name("QErrorMessage", "QInputDialog", "QWhatsThis", "QSplashScreen", "setWhatsThis") == set()
    classes = [(module, node) for module, tree in modules().items() for node in ast.walk(tree)]
    derived = {
        module for module, node in classes if isinstance(node, ast.ClassDef) if "QLabel" in map(name_of, node.bases)
    }
    assert derived == {LABELS}


def test_html_is_shown_in_few_places() -> None:
    assert {module for module, _ in calls("setHtml")} == PAGES
    assert with_name("RichText", "AutoText", "MarkdownText", "setMarkdown", "insertHtml") == MARKUP


def test_every_tool_tip_is_our_own_words_or_made_by_tip() -> None:
    for module, call in calls("setToolTip", "setTabToolTip"):
        assert is_safe(call.args[-1]) or module == LABELS, f"{module}: {ast.unparse(call)}"
    for module, call in calls("showText"):
        assert is_safe(call.args[1]), f"{module}: {ast.unparse(call)}"
    for module, call in calls("setItemData"):
        assert is_safe(call.args[1]), f"{module}: {ast.unparse(call)}"


def test_every_tool_tip_of_a_table_or_a_list_is_our_own_words_or_made_by_tip() -> None:
    found = 0
    for module, tree in modules().items():
        for node in ast.walk(tree):
            asked = (
                node.test if isinstance(node, ast.If) else node.pattern if isinstance(node, ast.match_case) else None
            )
            if asked is None or "ToolTipRole" not in ast.unparse(asked):
                continue
            for inner in (each for part in node.body for each in ast.walk(part)):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    found += 1
                    assert is_safe(inner.value), f"{module}: {ast.unparse(inner)}"
    assert found > 10
