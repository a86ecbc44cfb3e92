"""Only the UI thread has PySide6 make types of Qt, a few at a time: two threads at once end the program at times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STARTED = """
import importlib.abc, sys, threading
from pathlib import Path
from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtWidgets import QApplication

def unmade():
    return sum(name not in vars(module) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))

class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "pyqtgraph":
            print("then", unmade(), threading.current_thread() is threading.main_thread())

app = QApplication([])
from nimdesk.settings import SettingsStore
from nimdesk.ui.shell.session import Session
session = Session(app, SettingsStore(Path("settings.json")))
sys.meta_path.insert(0, Watch())
session.window.area.first_painted.connect(lambda: print("first", unmade() > 0))
session.completed.connect(session.window.close)
session.show()
app.exec()
session.close()
"""


def test_pyqtgraph_is_loaded_in_the_ui_thread_when_all_types_are_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["first", "True", "then", "0", "True"]
