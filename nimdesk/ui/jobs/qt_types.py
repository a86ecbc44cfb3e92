"""The types of Qt, made a few at a time, so that nobody waits when pyqtgraph asks for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets

_AT_A_TIME = 12
"""Names in one step: some two milliseconds, at most ten."""


def type_steps() -> Iterator[Callable[[], None]]:
    """Steps for the event loop after which all types of the modules that nimdesk uses most are there.

    PySide6 makes a type when its name is first asked for, a tenth of a second for all of them; pyqtgraph asks for all
    when it is imported.
    """
    for module in (QtCore, QtGui, QtWidgets):
        names = dir(module)
        for first in range(0, len(names), _AT_A_TIME):
            yield partial(_ask_for, module, names[first : first + _AT_A_TIME])


def _ask_for(module: ModuleType, names: list[str]) -> None:
    for name in names:
        getattr(module, name)
