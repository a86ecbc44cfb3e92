"""What the composition root sets up, and what waits for the first paint, in a process like the program's own."""

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import builtins, sys
from nimdesk import app
store = app.SettingsStore
def look_before_the_session():
    from PySide6.QtWidgets import QApplication, QWidget
    from nimdesk.ui.shell.session import Session
    def after_first_paint(self):  # before plots and kernels are loaded
        print(*sys.modules)
        try:
            self.window.resize("wide")
        except TypeError as error:
            print(error)
        self.window.close()
    Session._after_first_paint = after_first_paint
    print(QApplication.style().name(), QApplication.arguments(), builtins.__import__.__name__, sys.getdlopenflags())
    return store()
app.SettingsStore = look_before_the_session
sys.argv = ["nimdesk"]
print(sys.getdlopenflags())
sys.exit(app.run_window())
"""
_NOT_YET = (
    *("numpy", "numba", "pyqtgraph", "typer", "rich", "importlib.metadata", "asyncio", "sqlite3"),
    *("nimdesk.ui.play.players", "nimdesk.ui.play.moves", "nimdesk.ui.look.forms", "nimdesk.ui.dialogs"),
    *("nimdesk.ui.plots", "nimdesk.ui.laboratory", "nimdesk.ui.experiments.page", "nimdesk.ui.look.motion"),
    *("nimdesk.settings.fields", "nimdesk.play.record", "nimdesk.agents.plugins", "nimdesk.experiments"),
    *("nimdesk.kernels", "nimdesk.encoding", "nimdesk.cli", "nimdesk.ui.boards.mnk", "nimdesk.ui.boards.plain"),
)


def _start(folder: Path) -> list[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "NIMDESK_CONFIG_DIR": str(folder)}
    environment["NIMDESK_CACHE_DIR"] = str(folder / "cache")
    environment["QT_STYLE_OVERRIDE"] = "windows"  # the colours are made for Fusion alone
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_the_window_opens_in_fusion_and_leaves_the_imports_as_they_were(tmp_path: Path) -> None:
    flags_before, set_up, _modules, *_error = _start(tmp_path)
    style, arguments, importer, flags = set_up.split()
    assert (style, arguments) == ("fusion", "['nimdesk']")
    assert importer != "__feature_import__"
    assert flags == flags_before


def test_what_the_first_paint_does_without_is_loaded_later(tmp_path: Path) -> None:
    loaded = _start(tmp_path)[2].split()
    assert "nimdesk.ui.shell.session" in loaded
    assert [name for name in _NOT_YET if name in loaded] == []


def test_pyside_explains_a_wrong_call_as_ever(tmp_path: Path) -> None:
    """With code kept from the start before, and patterns compiled only now."""
    first, second = (" ".join(_start(tmp_path)[3:]) for _ in range(2))
    assert first == second
    assert "called with wrong argument types" in first
    assert "resize(w: int, h: int, /)" in first
    assert list((tmp_path / "cache").glob("pyside6-*.code"))
