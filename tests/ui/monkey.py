"""Somebody who does anything at all: random events in the real window, by a seed.

    python tests/ui/monkey.py --seed 3 --events 2000
    python tests/ui/monkey.py --seed 3 --events 2000 --turns

It clicks, drags, turns the wheel, types, pastes, drops files, triggers actions, resizes, changes pages, looks and
players, and answers the dialogs that come of it; files are chosen in a folder of its own alone. Whatever Qt, Python or
the program complain of is a fault, and so is a thread left behind: each is printed once, with the events before it.
Threads go their own way, so the same seed does the same only nearly. ``--turns`` also tells what held the event loop
for longer than 150 ms of processor time, and where. Runs offscreen unless QT_QPA_PLATFORM says otherwise.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from layout_items import deleted_items
from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QMimeData,
    QObject,
    QPoint,
    QPointF,
    QRect,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QGuiApplication, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMenu, QWidget
from shiboken6 import isValid

import nimdesk
from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.play import Human, Player
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.shell.session import Session

LONGEST_MS = 150
_PROGRAM = str(Path(nimdesk.__file__).parent)
_HANGS_S = 300.0
_BEFORE = 12
# What the offscreen platform says of itself.
_OF_OFFSCREEN = ("This plugin does not support",)
_K, _M, _B = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton
_KEYS = (
    *(_K.Key_Tab, _K.Key_Tab, _K.Key_Backtab, _K.Key_Return, _K.Key_Space, _K.Key_Escape, _K.Key_Delete, _K.Key_F2),
    *(_K.Key_Left, _K.Key_Right, _K.Key_Up, _K.Key_Down, _K.Key_Home, _K.Key_End, _K.Key_PageUp, _K.Key_PageDown),
    *(_K.Key_F3, _K.Key_F4, _K.Key_F5, _K.Key_F6, _K.Key_F10, _K.Key_Alt, _K.Key_Menu, _K.Key_Backspace, _K.Key_Plus),
)
_MODIFIERS = (*(_M.NoModifier,) * 7, _M.ShiftModifier, _M.ControlModifier, _M.AltModifier)
_POSITIONS = (
    *("nim:3,4,5", "nim:1", "nim:21:max3:misere", "nim:9,9,9,9 2-3", "mnk:3,3,3", "mnk:3,3,3 b2 a1"),
    *("mnk:7,6,4:gravity", "mnk:5,5,4", "mnk:15,15,5", "mnk:19,19,6 j10"),
)
_TEXTS = (
    *_POSITIONS,
    *("", "0", "1", "-3", "1e9", "0.5", "999999999", "nan", "10,100,1000", "1;2", "3 4 5", "x" * 300, "<b>a</b>"),
    *("&File", "\u200bä\U0001f600", "a\nb", "mcts", "MCTS, UCT", "{}", "%s %d", "../..", "nim:", "mnk:99,99,99"),
)
_AGENTS = ("random", "uct", "mcts", "perfect", "flat", "deepening", "minimax")
# Qt goes through every widget for them: they take as long as a hundred other events.
_DEAR = ("larger_text", "smaller_text", "normal_text", "presenter", "Light", "Dark", "As the system")
# After so many events it looks again what there is to click at.
_GLANCE = 10
_SIZES = ((1280, 860), (1000, 700), (640, 480), (1600, 1000), (820, 1000), (1400, 620))


class Faults:
    """What must not be; the newest events are told with each."""

    def __init__(self) -> None:
        self.events: deque[str] = deque(maxlen=_BEFORE)
        self.found: dict[str, str] = {}
        qInstallMessageHandler(self._on_message)
        sys.excepthook = self._on_exception
        sys.unraisablehook = lambda told: self._on_exception(
            told.exc_type, told.exc_value or RuntimeError(told.err_msg), told.exc_traceback
        )
        threading.excepthook = lambda told: self._on_exception(
            told.exc_type, told.exc_value or RuntimeError(), told.exc_traceback
        )
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_arguments, **_named: self.add(f"warning: {message}", _stack())
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self.add(f"logged: {record.getMessage()}", "")  # type: ignore[method-assign]
        logging.getLogger().addHandler(handler)

    def add(self, what: str, more: str) -> None:
        """Tell of it, once."""
        if what not in self.found:
            self.found[what] = more
            print(f"FAULT {what}\n{more}  after: {' | '.join(self.events)}", flush=True)

    def _on_message(self, kind: QtMsgType, _where: QMessageLogContext, text: str) -> None:
        if not text.startswith(_OF_OFFSCREEN):
            self.add(f"{kind.name}: {text}", _stack())

    def _on_exception(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        lines = traceback.format_exception(kind, error, where)
        self.add(f"{kind.__name__}: {error} at {_place(traceback.extract_tb(where))}", "".join(lines))


def _place(stack: traceback.StackSummary) -> str:
    """The innermost line that is the program's own."""
    own = [each for each in stack if each.filename.startswith(_PROGRAM)] or list(stack)
    return " < ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in own[:-4:-1])


def _stack() -> str:
    """The lines of the program that are under way."""
    lines = traceback.extract_stack()
    return "".join(
        f"    {Path(each.filename).name}:{each.lineno} {each.name}\n"
        for each in lines
        if each.filename.startswith(_PROGRAM)
    )


class Turns(QObject):
    """Tells of each turn of the event loop that takes longer than ``LONGEST_MS`` of this thread's processor time."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self._faults, self._over = faults, threading.Event()
        self._main = threading.main_thread().ident or 0
        self._last, self._where = time.thread_time(), Counter[str]()
        self._timer = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _on_tick(self) -> None:
        now = time.thread_time()
        took_ms = 1000 * (now - self._last)
        if took_ms > LONGEST_MS:
            event = self._faults.events[-1] if self._faults.events else "the start"
            places = ", ".join(f"{place} ({times})" for place, times in self._where.most_common(5))
            print(f"TURN {took_ms:.0f} ms after {event}, in {places}", flush=True)
        self._last, self._where = time.thread_time(), Counter()

    def _look(self) -> None:
        while not self._over.wait(0.01):
            where = _place(traceback.extract_stack(sys._current_frames()[self._main]))
            self._where[where] += 1

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self._thread.join()


class Monkey(QObject):
    """Does so many events in the window of a session, in all dialogs that it opens, and then ends the event loop."""

    def __init__(self, session: Session, seed: int, events: int, folder: Path, faults: Faults) -> None:
        super().__init__()
        self.session, self.window, self.folder, self.faults = session, session.window, folder, faults
        self.random, self.left = Random(seed), events
        self._before: QWidget | None = None
        self._patience = 0
        self._looked_at: QWidget | None = None
        self._parts: list[QWidget] = []
        self._acts: tuple[tuple[Callable[[QWidget], str], int], ...] = (
            (self.press, 340),
            (self.click, 260),
            (self.move, 140),
            (self.wheel, 90),
            (self.drag, 50),
            (self.type_text, 50),
            (self.trigger, 40),
            (self.rest, 10),
            (self.page, 10),
            (self.paste, 8),
            (self.game, 6),
            (self.study, 5),
            (self.resize, 5),
            (self.drop, 4),
        )
        self.window.installEventFilter(self)
        for scheme in ("file", "http", "https"):
            QDesktopServices.setUrlHandler(scheme, self, "nothing")

    @Slot(QUrl)
    def nothing(self, _url: QUrl) -> None:
        """In place of what the desktop would open."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Close and self.left > 0:
            event.ignore()
            return True
        return False

    def begin(self) -> None:
        """Do the first event soon."""
        QTimer.singleShot(0, self._next)

    def _next(self) -> None:
        if self.left <= 0:
            self._end()
            return
        self.left -= 1
        # Before the event, which may open a dialog with an event loop of its own.
        QTimer.singleShot(0, self._next)
        if self.left % 50 == 0:
            faulthandler.dump_traceback_later(_HANGS_S, exit=True)
        top = _top(self.window)
        if QApplication.activeWindow() is None:
            top.activateWindow()  # what a window manager does
        self._patience = self._patience + 1 if top is self._before else 0
        self._before = top
        self.faults.events.append(f"in {type(top).__name__}")
        if top is not self.window and self._answered(top):
            return
        acts, weights = zip(*self._acts, strict=True)
        (act,) = self.random.choices(acts, weights)
        self.faults.events[-1] = f"{act.__name__}"  # should it never come back
        told = act(top)
        self.faults.events[-1] = told if top is self.window else f"{type(top).__name__}: {told}"

    def _end(self) -> None:
        """Close whatever is open, one after the other, and then leave the event loop."""
        top = _top(self.window)
        if top is not self.window:
            top.reject() if isinstance(top, QDialog) else top.close()
            QTimer.singleShot(0, self._next)
        else:
            faulthandler.cancel_dump_traceback_later()
            QApplication.exit(0)

    def _answered(self, top: QWidget) -> bool:
        """Whether a menu or dialog was answered in a way that lets it end; a file is chosen in our folder alone."""
        if isinstance(top, QFileDialog):
            if self._patience > 1 or self.random.random() < 0.3:
                top.reject()
            else:
                self._choose_file(top)
            return True
        if self._patience > (8 if top.windowType() is Qt.WindowType.Popup else 25):
            top.reject() if isinstance(top, QDialog) else top.close()
            return True
        return False

    def _choose_file(self, dialog: QFileDialog) -> None:
        name = dialog.findChild(QLineEdit, "fileNameEdit")
        if not isinstance(name, QLineEdit):
            dialog.reject()
            return
        names = [each.name for each in self.folder.iterdir()] or ["none"]
        names += ["new", "new.json", "new.nimdesk", "a/b", "new.svg", "new.csv", "", "x" * 300]
        name.setText(str(self.folder / self.random.choice(names)))
        QTest.keyClick(name, _K.Key_Return)

    # The events: each does one in the window on top, and returns what it did

    def _part(self, top: QWidget) -> tuple[QWidget, QPoint] | None:
        """Some part of the window that is seen, and a place in it."""
        if top is not self._looked_at or self.left % _GLANCE == 0:
            self._looked_at = top
            self._parts = [each for each in top.findChildren(QWidget) if each.isVisible() and each.window() is top]
        for _ in range(5):
            part = self.random.choice(self._parts or [top])
            if not isValid(part) or part.window() is not top:
                continue
            region = part.visibleRegion()
            if not region.isEmpty():
                box = region.boundingRect()
                at = QPoint(self.random.randint(box.left(), box.right()), self.random.randint(box.top(), box.bottom()))
                if top.rect().contains(part.mapTo(top, at) if part is not top else at):
                    return part, at
        return None

    def _at(self, top: QWidget) -> tuple[QWindow, QPoint, str] | None:
        """The same as a place in the window."""
        found, handle = self._part(top), top.windowHandle()
        if found is None or handle is None:
            return None
        part, at = found
        place = part.mapTo(top, at) if part is not top else at
        if not _reaches(handle, place):
            return None
        name = part.objectName() or part.accessibleName()
        return handle, place, f"{type(part).__name__}{f' “{name}”' if name else ''} at {at.x()},{at.y()}"

    def click(self, top: QWidget) -> str:
        if (found := self._at(top)) is None:
            return "nothing to click"
        handle, at, name = found
        button = self.random.choices((_B.LeftButton, _B.RightButton, _B.MiddleButton), (12, 2, 1))[0]
        modifiers = self.random.choice(_MODIFIERS)
        twice = self.random.random() < 0.1
        self.faults.events[-1] = f"click {name}"
        for _ in range(1 + twice):
            for act in (QTest.mousePress, QTest.mouseRelease):
                if _reaches(handle, at):
                    act(handle, button, modifiers, at)
        return f"{'double ' * twice}click {button.name} {name}"

    def move(self, top: QWidget) -> str:
        if (found := self._at(top)) is None:
            return "nowhere to move"
        QTest.mouseMove(found[0], found[1])
        return f"move to {found[2]}"

    def drag(self, top: QWidget) -> str:
        if (found := self._at(top)) is None:
            return "nothing to drag"
        handle, at, name = found
        self.faults.events[-1] = f"drag {name}"
        QTest.mousePress(handle, _B.LeftButton, _M.NoModifier, at)
        for _ in range(3):
            to = at + QPoint(self.random.randint(-60, 60), self.random.randint(-60, 60))
            if _reaches(handle, to):
                QTest.mouseMove(handle, to)
                at = to
        if _reaches(handle, at):
            QTest.mouseRelease(handle, _B.LeftButton, _M.NoModifier, at)
        return f"drag {name}"

    def wheel(self, top: QWidget) -> str:
        if (found := self._part(top)) is None:
            return "nothing to turn at"
        part, at = found
        modifiers = self.random.choice(_MODIFIERS)
        turned = QPoint(0, self.random.choice((-120, 120, -15, 360)))
        globally = QPointF(part.mapToGlobal(at))
        event = QWheelEvent(
            QPointF(at), globally, QPoint(), turned, _B.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(part, event)
        return f"wheel {turned.y()} {modifiers.name} on {type(part).__name__}"

    def press(self, top: QWidget) -> str:
        key, modifiers = self.random.choice(_KEYS), self.random.choice(_MODIFIERS)
        if self.random.random() < 0.2:
            key = Qt.Key(self.random.randrange(_K.Key_0, _K.Key_Z))
        focus = QApplication.focusWidget()
        target = focus if focus is not None and focus.window() is top else top
        self.faults.events[-1] = f"press {modifiers.name} {key.name} in {type(target).__name__}"
        QTest.keyClick(target, key, modifiers)
        return f"press {modifiers.name} {key.name} in {type(target).__name__}"

    def type_text(self, top: QWidget) -> str:
        fields = [each for each in top.findChildren(QLineEdit) if each.isVisible() and each.isEnabled()]
        if not fields:
            return self.press(top)
        field, text = self.random.choice(fields), self.random.choice(_TEXTS)[:30]
        field.setFocus()
        field.selectAll()
        self.faults.events[-1] = f"type {text!r}"
        for letter in text.replace("\n", ""):
            if not isValid(field) or not field.isVisible():
                break
            if letter.isascii():
                QTest.keyClicks(field, letter)
            else:
                field.insert(letter)
        if isValid(field) and self.random.random() < 0.6:
            QTest.keyClick(field, _K.Key_Return)
        return f"type {text!r} into {type(field).__name__ if isValid(field) else 'a field'}"

    def paste(self, top: QWidget) -> str:
        text = self.random.choice(_TEXTS)
        QGuiApplication.clipboard().setText(text)
        self.faults.events[-1] = f"paste {text!r}"
        focus = QApplication.focusWidget()
        QTest.keyClick(focus if focus is not None and focus.window() is top else top, _K.Key_V, _M.ControlModifier)
        return f"paste {text!r}"

    def trigger(self, _top: QWidget) -> str:
        able = [each for each in self.window.actions() if each.isEnabled() and each.isVisible()]
        for menu in self.window.menuBar().findChildren(QMenu):
            able += [each for each in menu.actions() if each.isEnabled() and each.isVisible() and each.menu() is None]
        if QApplication.activeModalWidget() is not None:
            return "no menu behind a dialog"
        action = self.random.choice(able)
        name = action.objectName() or action.text().replace("&", "")
        if name in _DEAR and self.random.random() < 0.8:
            return f"no {name} this time"
        self.faults.events[-1] = f"trigger {name}"
        action.trigger()
        return f"trigger {name}"

    def resize(self, _top: QWidget) -> str:
        width, height = self.random.choice(_SIZES)
        self.window.resize(width, height)
        return f"resize to {width}x{height}"

    def page(self, top: QWidget) -> str:
        if top is not self.window:
            return "no page behind a dialog"
        name = self.random.choice((PLAY, LABORATORY, EXPERIMENTS))
        self.faults.events[-1] = f"show {name}"
        self.window.modes.open(name)
        return f"show {name}"

    def game(self, top: QWidget) -> str:
        if top is not self.window:
            return "no game behind a dialog"
        position, players = self.random.choice(_POSITIONS), (self._player(), self._player())
        self.faults.events[-1] = f"play {position}"
        self.session.games.start(parse_position(position), players)
        return f"play {position}: {players}"

    def _player(self) -> Player:
        name = self.random.choice(_AGENTS)
        return Human() if self.random.random() < 0.4 else make_agent(name, {"seed": 1} if name == "uct" else {})

    def study(self, top: QWidget) -> str:
        if top is not self.window:
            return "no laboratory behind a dialog"
        position = self.random.choice(_POSITIONS)
        self.faults.events[-1] = f"study {position}"
        self.session.laboratory.study(parse_position(position))
        return f"study {position}"

    def drop(self, top: QWidget) -> str:
        if top is not self.window:
            return "nothing is dropped behind a dialog"
        files = sorted(self.folder.iterdir())
        if not files:
            return "nothing to drop"
        data, path = QMimeData(), self.random.choice(files)
        data.setUrls([QUrl.fromLocalFile(str(path))])
        self.faults.events[-1] = f"drop {path.name}"
        with_it = Qt.DropAction.CopyAction, data, _B.LeftButton, _M.NoModifier
        QApplication.sendEvent(self.window, QDragEnterEvent(QPoint(300, 300), *with_it))
        QApplication.sendEvent(self.window, QDropEvent(QPointF(300, 300), *with_it))
        return f"drop {path.name}"

    def rest(self, _top: QWidget) -> str:
        ms = self.random.choice((1, 5, 20, 60))
        QTest.qWait(ms)
        return f"rest {ms} ms"


def _top(window: QWidget) -> QWidget:
    """The menu, list, dialog or window that has the mouse and the keyboard."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or window


def _reaches(handle: QWindow, at: QPoint) -> bool:
    """Whether the mouse can be there in this window: it may have closed or shrunk since."""
    return isValid(handle) and handle.isVisible() and QRect(QPoint(), handle.size()).contains(at)


def run(seed: int, events: int, folder: Path, *, turns: bool) -> int:
    """Do it with files and settings in this folder; how many faults were found."""
    (files := folder / "files").mkdir()
    (files / "wrong.nimdesk").write_text("{")
    (files / "large.json").write_bytes(b"[" * 100_000)
    os.chdir(files)
    faults = Faults()
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    app.setQuitOnLastWindowClosed(False)
    store = SettingsStore(folder / "settings.json")
    store.save(Settings(tour_seen=seed % 4 > 0, animations="off" if seed % 2 else "on", games_folder=str(files)))
    session = Session(app, store, parse_position("nim:3,4,5"))
    monkey = Monkey(session, seed, events, files, faults)
    session.completed.connect(monkey.begin)
    watch = Turns(faults) if turns else None
    session.show()
    session.window.activateWindow()
    app.exec()
    for owner in deleted_items():
        faults.add(f"an item of a layout is deleted and still held in {owner}", "")
    session.close()
    if watch is not None:
        watch.end()
    threads = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    if threads:
        faults.add(f"threads left: {', '.join(threads)}", "")
    print(f"done {events - max(0, monkey.left)} {len(faults.found)}", flush=True)
    return len(faults.found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--turns", action="store_true")
    given = parser.parse_args()
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as text:
        for name in ("HOME", "NIMDESK_DATA_DIR", "NIMDESK_CONFIG_DIR"):
            folder = Path(text) / name.lower()
            folder.mkdir()
            os.environ[name] = str(folder)
        found = run(given.seed, given.events, Path(text), turns=given.turns)
        with suppress(OSError):
            os.chdir("/")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
