"""Plots for pictures that are enlarged or made of lines: painted anew, where the screen gets copies of pixels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtWidgets import QGraphicsView

from nimdesk.ui.plots.canvas import PlotCanvas


@contextmanager
def with_x_axis(plot: PlotCanvas[Any]) -> Iterator[None]:
    """While this lasts the plot has an x axis of its own, though on the screen the one below may stand for both."""
    bare = plot.x_axis.bare
    plot.show_x(True)
    try:
        yield
    finally:
        plot.show_x(not bare)


@contextmanager
def drawn_exactly(plot: PlotCanvas[Any]) -> Iterator[None]:
    """While this lasts, symbols and background are painted anew; the cross-hair is hidden, the moment stays."""
    view = plot.view
    items = [item for item in view.scene().items() if hasattr(item, "setExportMode")]
    cached = view.cacheMode()
    view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    for item in items:
        item.setExportMode(True, {"antialias": True})
    plot.hide_cross_hair()
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)
        view.setCacheMode(cached)
