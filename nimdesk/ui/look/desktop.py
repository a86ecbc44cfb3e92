"""What the desktop does for the window: it says whether things may move, shows messages, and asks where to save.

Not needed before the first paint.
"""

from __future__ import annotations

import configparser
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QProgressDialog, QStyle, QWidget
from shiboken6 import isValid

from nimdesk.errors import NimdeskError
from nimdesk.ui.look.widgets import Label

_FALSE = ("0", "false", "no")
_ENDINGS = re.compile(r"\*(\.[\w.-]+)")


def reduced_motion() -> bool:
    """Whether the person's desktop asks for less motion.

    Qt 6.11 does not tell on Linux, so this reads where desktops keep the wish: the style, GTK's settings file, and
    KDE's global settings.
    """
    style = QApplication.style()
    if style is not None and style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0:
        return True
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    for version in ("gtk-4.0", "gtk-3.0"):
        if _value(config / version / "settings.ini", "Settings", "gtk-enable-animations").lower() in _FALSE:
            return True
    factor = _value(config / "kdeglobals", "KDE", "AnimationDurationFactor")
    try:
        return bool(factor) and float(factor) == 0.0
    except ValueError:
        return False


def _value(path: Path, section: str, key: str) -> str:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(path, encoding="utf-8")
        return parser.get(section, key, fallback="")
    except (OSError, UnicodeDecodeError, configparser.Error):
        return ""


def warn(parent: QWidget, sentence: str) -> None:
    """Tell a person what went wrong, and wait until it is read."""
    _answer(parent, QMessageBox.Icon.Warning, "nimdesk", sentence, QMessageBox.StandardButton.Ok)


def ask(parent: QWidget, title: str, question: str) -> bool:
    """Whether a person says Yes to this question; No is what Enter says."""
    buttons = QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No
    return _answer(parent, QMessageBox.Icon.Question, title, question, buttons) == QMessageBox.StandardButton.Yes


def progress_box(parent: QWidget, words: str) -> QProgressDialog:
    """A dialog that names the work under way and can cancel it; it opens once the work has taken a moment."""
    box = QProgressDialog("", "Cancel", 0, 0, parent)
    said = Label(words)
    said.setAlignment(Qt.AlignmentFlag.AlignCenter)
    box.setLabel(said)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setMinimumDuration(300)
    return box


def _answer(parent: QWidget, icon: QMessageBox.Icon, title: str, text: str, buttons: QMessageBox.StandardButton) -> int:
    """The button pressed below this text, which is shown letter by letter; see ``widgets.Label``."""
    box = QMessageBox(parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(icon)
    box.setWindowTitle(title)
    box.setText(text)
    box.setStandardButtons(buttons)
    if buttons & QMessageBox.StandardButton.No:
        box.setDefaultButton(QMessageBox.StandardButton.No)
    answer = box.exec()
    if isValid(box):  # the parent may have been closed meanwhile
        box.deleteLater()
    return answer


def only_itself(path: Path) -> list[Path]:
    """The file alone, which is all that most kinds of files are made of."""
    return [path]


def ask_save_path(
    parent: QWidget, title: str, start: Path, filters: str, files: Callable[[Path], list[Path]] = only_itself
) -> Path | None:
    """Where to write; None if the person changed their mind. ``filters`` are Qt's, such as ``Table (*.csv)``.

    ``files`` are all that will be written for a name: none of them is replaced unasked.
    """
    # Qt's dialog would ask about an existing file, and read its name as HTML. The dialog of macOS asks in any case.
    options = QFileDialog.Option.DontConfirmOverwrite
    while isValid(parent):  # the parent may be closed meanwhile
        chosen, used = QFileDialog.getSaveFileName(parent, title, str(start), filters, "", options)
        if not chosen:
            return None
        path = with_ending(Path(chosen), used, filters)
        asked = sys.platform == "darwin" and path == Path(chosen)
        if may_replace(parent, title, [file for file in files(path) if not asked or file != path]):
            return path
        start = path
    return None


def save_as(parent: QWidget, title: str, start: Path, filters: str, write: Callable[[Path], object]) -> Path | None:
    """Ask where to save, and have it written there; None where it was not, which a message explains if it failed."""
    path = ask_save_path(parent, title, start, filters)
    if path is None:
        return None
    try:
        write(path)
    except NimdeskError as error:
        warn(parent, str(error))
        return None
    return path


def may_replace(parent: QWidget, title: str, files: Iterable[Path]) -> bool:
    """Whether none of these files exists, or a person allows that they are replaced."""
    there = [file for file in files if os.path.exists(file)]
    if not there:
        return True
    more = len(there) - 1
    others = f" and {more} more file{'s' if more > 1 else ''} are" if more else " is"
    return ask(parent, title, f"“{there[0].name}”{others} already there. Replace {'them' if more else 'it'}?")


def with_ending(path: Path, used: str, filters: str) -> Path:
    """The name with an ending of one of the ``filters``: its own if it has one, otherwise that of the filter ``used``.

    Where an ending has two parts (``.nimbundle.json``), the last is enough, and the first is completed.
    """
    endings = _ENDINGS.findall(filters)
    name = path.name.lower()
    if not endings or any(name.endswith(_last_part(ending)) for ending in endings):
        return path
    wanted = next(iter(_ENDINGS.findall(used)), endings[0])
    begun = wanted.removesuffix(_last_part(wanted))
    stem = path.name[: -len(begun)] if begun and name.endswith(begun) else path.name
    return path.with_name(stem.rstrip(".") + wanted)


def _last_part(ending: str) -> str:
    return ending[ending.rindex(".") :]
