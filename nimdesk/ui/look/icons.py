"""The program's own icons: SVG files drawn in ``currentColor``, coloured to suit the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from nimdesk.paths import resources_dir
from nimdesk.ui.look.theme import Theme

_SIZES = (20, 40)  # as drawn, and on a screen of twice the density


@lru_cache(maxsize=64)
def icon(name: str, theme: Theme) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in the theme's text colour, muted where disabled."""
    return _drawn(name, {QIcon.Mode.Normal: theme.text, QIcon.Mode.Disabled: theme.border})


def icon_now(name: str, theme: Theme, *, enabled: bool) -> QIcon:
    """The same icon, drawn in half the time: it is right only while what it stands for is enabled, or is not."""
    if enabled:
        return _drawn(name, {QIcon.Mode.Normal: theme.text})
    return _drawn(name, {QIcon.Mode.Disabled: theme.border})


def _drawn(name: str, colors: dict[QIcon.Mode, str]) -> QIcon:
    made = QIcon()
    source = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    for mode, color in colors.items():
        renderer = QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))
        for size in _SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter, QRectF(0, 0, size, size))
            painter.end()
            made.addPixmap(pixmap, mode)
    return made


def app_icon() -> QIcon:
    """The program's own icon."""
    return QIcon(str(resources_dir() / "icons" / "nimdesk.svg"))
