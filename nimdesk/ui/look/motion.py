"""Whether the person's desktop asks for less motion.

Qt 6.11 has no hint for it on Linux, so the places where desktops keep that wish are read: the style, GTK's settings
file, and KDE's global settings.
"""

from __future__ import annotations

import configparser
import os
from pathlib import Path

from PySide6.QtWidgets import QApplication, QStyle

_FALSE = ("0", "false", "no")


def reduced_motion() -> bool:
    """True if any of those places asks for less motion."""
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
