"""What the composition root sets up, and what waits for the first paint, in a process like the program's own."""

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import gc, sys
from nimdesk import app
store = app.SettingsStore
def look_before_the_session():
    from PySide6.QtWidgets import QApplication, QWidget
    from nimdesk.ui.shell.session import Session
    def after_first_paint(self):  # before plots and kernels are loaded
        print(*sys.modules)
        self.window.close()
    Session._after_first_paint = after_first_paint
    print(QApplication.style().name(), QApplication.arguments())
    return store()
app.SettingsStore = look_before_the_session
sys.argv = ["nimdesk"]
code = app.run_window()
print(len(gc.get_objects()))
sys.exit(code)
"""
_NOT_YET = (
    *("numpy", "numba", "pyqtgraph", "click", "rich", "importlib.metadata", "asyncio", "sqlite3"),
    *("nimdesk.ui.play.players", "nimdesk.ui.play.moves", "nimdesk.ui.look.forms", "nimdesk.ui.dialogs"),
    *("nimdesk.ui.plots", "nimdesk.ui.laboratory", "nimdesk.ui.experiments.page", "nimdesk.ui.look.desktop"),
    *("nimdesk.play.record", "nimdesk.agents.plugins", "nimdesk.experiments"),
    *("nimdesk.kernels", "nimdesk.games.kernel_kit", "nimdesk.cli"),
    *("nimdesk.ui.boards.nim", "nimdesk.ui.boards.plain"),
)


def _start(folder: Path) -> list[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "NIMDESK_CONFIG_DIR": str(folder)}
    environment["QT_STYLE_OVERRIDE"] = "windows"  # the colours are made for Fusion alone
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_the_window_opens_in_fusion(tmp_path: Path) -> None:
    assert _start(tmp_path)[0] == "fusion ['nimdesk']"


def test_what_the_first_paint_does_without_is_loaded_later(tmp_path: Path) -> None:
    loaded = _start(tmp_path)[1].split()
    assert "nimdesk.ui.shell.session" in loaded
    assert [name for name in _NOT_YET if name in loaded] == []


def test_the_end_of_the_program_has_nothing_to_look_through(tmp_path: Path) -> None:
    assert int(_start(tmp_path)[2]) < 1_000, "garbage is no longer looked for, which takes a busy machine seconds"
