"""The row of buttons under the board: what a person may do now, where the hand is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from nimdesk.ui.look.actions import ActionSet

ROW = (
    *("undo", "redo", "suggest", "move_now", "pause", "continue", "step", "stop"),
    *("truth", "try_again", "restart", "swap"),
)
"""The actions that may stand in the row, by name, in order."""
_WORDED = ("try_again", "continue", "suggest", "move_now", "stop", "undo", "restart", "truth", "pause", "swap")
"""Which of them have words beside their icons first, where not all can."""
# What stays to be seen while it cannot be used: a row of which everything goes and comes would jump about.
_ALWAYS = frozenset({"undo", "truth", "restart", "swap"})
_ICON, _PAD, _GAP, _APART = 18, 10, 10, 2


class ActionRow(QWidget):
    """Buttons for the actions of ``ROW`` that apply, with words as far as there is room, else with icons alone."""

    def __init__(self, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._buttons: dict[str, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_APART)
        for name in ROW:
            button = QToolButton()
            button.setDefaultAction(actions[name])
            button.setAutoRaise(True)
            button.setIconSize(QSize(_ICON, _ICON))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self._buttons[name] = button
            layout.addWidget(button)
        layout.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_applying()

    def button(self, name: str) -> QToolButton:
        """The button of this action."""
        return self._buttons[name]

    def show_applying(self) -> None:
        """Show the buttons of what can be done now."""
        for name, button in self._buttons.items():
            action: QAction = self._actions[name]
            button.setVisible(action.isEnabled() or name in _ALWAYS)
        self._fit()

    def _shown(self) -> list[QToolButton]:
        return [button for button in self._buttons.values() if not button.isHidden()]

    def _fit(self) -> None:
        """Words beside the icons of as many as have room, the most important first."""
        style = Qt.ToolButtonStyle
        metrics = self.fontMetrics()
        # As large as the words beside it.
        icon = max(_ICON, round(1.2 * metrics.height()))
        shown = self._shown()
        room = self.width() - len(shown) * (icon + _PAD + _APART)
        for name in (*_WORDED, *(each for each in ROW if each not in _WORDED)):
            button = self._buttons[name]
            needed = metrics.horizontalAdvance(button.text()) + _GAP if button in shown else 0
            wanted = style.ToolButtonTextBesideIcon if needed <= room else style.ToolButtonIconOnly
            # What is less important has none either: words that stand out by their shortness say nothing.
            room = room - needed if needed <= room else 0
            if button.iconSize().height() != icon:
                button.setIconSize(QSize(icon, icon))
            if button.toolButtonStyle() != wanted:
                button.setToolButtonStyle(wanted)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
