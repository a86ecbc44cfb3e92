"""What the composition root sets up, in a process like the program's own."""

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import builtins, sys
from nimdesk import app
store = app.SettingsStore
def look_before_the_session():
    from PySide6.QtWidgets import QApplication
    from nimdesk.ui.session import Session
    Session._after_first_paint = lambda self: self.window.close()  # before plots and kernels are loaded
    print(QApplication.style().name(), QApplication.arguments(), builtins.__import__.__name__)
    return store()
app.SettingsStore = look_before_the_session
sys.argv = ["nimdesk"]
sys.exit(app.run_window())
"""


def test_the_window_opens_in_fusion_and_without_the_hook_on_imports(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "NIMDESK_CONFIG_DIR": str(tmp_path)}
    environment["QT_STYLE_OVERRIDE"] = "windows"  # the colours are made for Fusion alone
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    style, arguments, importer = result.stdout.split()
    assert (style, arguments) == ("fusion", "['nimdesk']")
    assert importer != "__feature_import__"
