"""Items of layouts that PySide holds on to, and that Qt may delete meanwhile.

PySide makes an object of each item in a layout that is put into another one, and does not hear that Qt deletes the item
when its widget moves to another layout, or goes. Whatever Qt puts at its address later would be taken for the item.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLayout, QSpacerItem, QWidgetItem
from shiboken6 import getAllValidWrappers, getCppPointer, isValid


def held_items() -> Iterator[tuple[int, QObject]]:
    """The address of each item, and the widget of the layout that holds it."""
    for layout in getAllValidWrappers():
        if isinstance(layout, QLayout) and isValid(layout):
            for item in gc.get_referents(layout):
                if isinstance(item, QWidgetItem | QSpacerItem) and isValid(item):
                    yield getCppPointer(item)[0], layout.parent()


def deleted_items() -> list[str]:
    """The kinds of widgets with items that Qt has deleted. To ask makes an object of every item: do it last."""
    held = list(held_items())
    layouts = [each for each in getAllValidWrappers() if isinstance(each, QLayout) and isValid(each)]
    there = {getCppPointer(each.itemAt(place))[0] for each in layouts for place in range(each.count())}
    return [type(owner).__name__ for address, owner in held if address not in there]
