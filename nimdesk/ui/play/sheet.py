"""The sheet at a player's card: the levels, and behind them every other player with its options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QFont, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QFrame,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents.levels import LEVELS
from nimdesk.agents.naming import HUMAN
from nimdesk.games import Game, Side
from nimdesk.play import Human, Player, opponent
from nimdesk.play.results import Results
from nimdesk.ui.boards.pointing import MovePointer
from nimdesk.ui.look.reading_order import tab_on
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import keyless, label, tip
from nimdesk.ui.play.players import PlayerBox, key_of

_SHEET, _PAD, _GAP = 340, 6, 4
_ELSEWHERE = (QEvent.Type.MouseButtonPress, QEvent.Type.FocusIn)
_ARROWS = {Qt.Key.Key_Down: True, Qt.Key.Key_Up: False}


class LevelRow(QAbstractButton):
    """One player to choose: a name, a few words about it, and at the right how games against it went."""

    def __init__(self, key: str, name: str, about: str, more: str = "") -> None:
        """``more`` is said where the pointer rests."""
        super().__init__()
        self.key, self._about, self._results = key, about, ""
        self.setToolTip(tip(more))
        self.setText(keyless(name))
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_results("")

    @property
    def results(self) -> str:
        """How the person's games against this player went."""
        return self._results

    def show_results(self, results: str) -> None:
        """Say how the person's games against this player went; "" for none."""
        self._results = results
        self.setAccessibleDescription(f"{self._about}, you {results}" if results else self._about)
        self.update()

    def nextCheckState(self) -> None:
        """A press chooses, and whoever hears of it says what is chosen."""

    def sizeHint(self) -> QSize:
        return QSize(_SHEET, 2 * self.fontMetrics().lineSpacing() + 2 * _PAD)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in _ARROWS:
            self.focusNextPrevChild(_ARROWS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = LOOK.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            if self.isChecked() or self.underMouse():
                painter.setPen(QPen(theme.color("accent"), 1.6) if self.isChecked() else Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("alternate"))
                painter.drawRoundedRect(frame, 6, 6)
            inner, line = frame.adjusted(_PAD + 4, _PAD - 1, -_PAD - 4, 0), self.fontMetrics().lineSpacing()
            painter.setPen(theme.color("muted"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight, self._results)
            about = self.fontMetrics().elidedText(self._about, Qt.TextElideMode.ElideRight, round(inner.width()))
            painter.drawText(inner.adjusted(0, line, 0, 0), Qt.AlignmentFlag.AlignLeft, about)
            bold = QFont(self.font())
            bold.setBold(True)
            painter.setFont(bold)
            painter.setPen(theme.color("text"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft, self.text().replace("&&", "&"))


class PlayerSheet(QFrame):
    """Who plays one side, chosen at its card: a person or a level, and behind "More players" everybody else.

    It lies on the page, and goes with a choice, with Escape, and with a press or the keyboard elsewhere.
    """

    player_changed = Signal(object, object)
    """``Side`` and the new ``Player``; it counts from the next move on."""

    def __init__(self, side: Side, game: Game, player: Player, adapt: QAction, page: QWidget) -> None:
        """``adapt`` turns on and off that the level follows the results."""
        super().__init__(page)
        self.side = side
        self._card: QWidget | None = None
        self._watching = False
        self.box = PlayerBox(side, player)
        self.rows = [LevelRow(HUMAN, "You", "A person at this board")]
        self.rows += [LevelRow(each.name, f"{each.number}  {each.title}", each.in_short, each.about) for each in LEVELS]
        self.more, self.adapt = QToolButton(), QCheckBox(adapt.text())
        self.more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.adapt.setToolTip(tip(adapt.statusTip()))
        self.adapt.setChecked(adapt.isChecked())
        self.adapt.toggled.connect(adapt.setChecked)
        adapt.toggled.connect(self.adapt.setChecked)
        self._title = label(role="side")
        self._lay_out()
        for row in self.rows:
            row.clicked.connect(partial(self._on_row, row))
        self.box.player_changed.connect(self._on_box)
        self.box.problem_shown.connect(self._bring_into_sight)
        self.more.toggled.connect(self._unfold)
        self.hide()
        self.show_game(game, player)

    def _lay_out(self) -> None:
        self._levels = QWidget()
        levels = QVBoxLayout(self._levels)
        levels.setContentsMargins(0, 0, 0, 0)
        levels.setSpacing(0)
        for row in self.rows:
            levels.addWidget(row)
        levels.addWidget(self.adapt)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(_PAD, _PAD, _PAD, _PAD)
        layout.setSpacing(4)
        for part in (self._title, self._levels, self.box, self.more):
            layout.addWidget(part)
        layout.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(inner)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        around = QVBoxLayout(self)
        around.setContentsMargins(1, 1, 1, 1)
        around.addWidget(self._scroll)

    # What it shows

    def show_game(self, game: Game, player: Player) -> None:
        """Show the player of another game without telling anyone."""
        name = game.side_name(self.side)
        self._title.setText(f"Who plays {name}?")
        self.setAccessibleName(f"Who plays {name}?")
        self.box.set_game(game)
        self.box.set_player(player, anew=True)
        self._mark(player)

    def show_player(self, player: Player) -> None:
        """Show that somebody else plays on, without telling anyone."""
        self.box.set_player(player)
        self._mark(player)

    def show_results(self, results: Mapping[str, Results]) -> None:
        """Say how a person has done against each level, by its name."""
        for row in self.rows:
            row.show_results(results.get(row.key, Results()).words)

    def refresh(self) -> None:
        """Offer what the catalogue holds now, plug-ins included."""
        self.box.refresh()

    def _mark(self, player: Player) -> None:
        for row in self.rows:
            row.setChecked(row.key == key_of(player))

    @property
    def _chosen(self) -> LevelRow | None:
        return next((row for row in self.rows if row.isChecked()), None)

    def _unfold(self, more: bool) -> None:
        """Every player with its options in place of the levels, or the levels again."""
        self.more.setText("Levels" if more else "More players and options")
        self.more.setArrowType(Qt.ArrowType.LeftArrow if more else Qt.ArrowType.RightArrow)
        keyboard = self.isVisible() and self.isAncestorOf(QApplication.focusWidget() or self)
        self._levels.setVisible(not more)
        self.box.setVisible(more)
        if keyboard:
            self._take_keyboard()
        self._place()

    # Coming and going

    def open_at(self, card: QWidget, *, more: bool | None = None) -> None:
        """Open at this card, with the keyboard; ``more`` is whether the levels are passed over."""
        self._card = card
        self.more.setChecked(self._chosen is None if more is None else more)
        self._unfold(self.more.isChecked())
        self.show()
        self.raise_()
        self._place()
        self._take_keyboard()

    def _take_keyboard(self) -> None:
        if self.more.isChecked():
            self.box.take_keyboard()
        else:
            (self._chosen or self.rows[0]).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _leave(self) -> None:
        """Go, and give the keyboard back to the card."""
        self.hide()
        if self._card is not None:
            self._card.setFocus(Qt.FocusReason.PopupFocusReason)

    def _place(self) -> None:
        """Stand at the card, inside the page, and scroll what has no room there."""
        page, card, inner = self.parentWidget(), self._card, self._scroll.widget()
        if card is None:
            return
        assert page is not None
        assert inner is not None
        at = QRect(card.mapTo(page, QPoint()), card.size())
        below, above = page.height() - at.bottom() - _GAP, at.top() - _GAP
        width = min(max(_SHEET, inner.minimumSizeHint().width() + 20), page.width())
        layout = inner.layout()
        assert layout is not None
        wanted = max(layout.totalHeightForWidth(width - 2), layout.totalSizeHint().height()) + 4
        height = min(wanted, max(below, above))
        top = at.bottom() + _GAP if below >= above else at.top() - _GAP - height
        self.setGeometry(max(0, min(at.left(), page.width() - width)), top, width, height)

    def _bring_into_sight(self, message: QWidget) -> None:
        def show() -> None:
            self._place()
            self._scroll.ensureWidgetVisible(message, 0, 8)

        # Once it has a place: the label was hidden until now.
        QTimer.singleShot(0, message, show)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch(False)

    def _watch(self, on: bool) -> None:
        """Hear of presses and of the keyboard elsewhere; a window that comes back from the task bar shows it again."""
        app = QApplication.instance()
        if on == self._watching or not isinstance(app, QApplication):
            return
        self._watching = on
        if on:
            app.installEventFilter(self)
        else:
            app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A press or the keyboard beside it closes it; one on its card does what the card says.

        A press on the board does nothing else: nobody who only wants to be rid of the sheet means to play a move.
        """
        if event.type() in _ELSEWHERE and isinstance(watched, QWidget) and self._beside(watched):
            on_board, pressed = isinstance(watched, MovePointer), event.type() == QEvent.Type.MouseButtonPress
            # The keyboard comes before the press that brings it, and a sheet that had gone would not hear of that.
            awaited = isinstance(event, QFocusEvent) and event.reason() == Qt.FocusReason.MouseFocusReason
            if not (on_board and awaited):
                self.hide()
            return on_board and pressed
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._place()
        elif event.type() == QEvent.Type.LayoutRequest and watched is self._scroll.widget():
            QTimer.singleShot(0, self, self._place)  # once it is laid out
        return False

    def _beside(self, widget: QWidget) -> bool:
        """Whether this widget of the window is no part of the sheet, nor its card."""
        there = widget is self or self.isAncestorOf(widget) or widget is self._card
        return widget.window() is self.window() and not there

    def event(self, event: QEvent) -> bool:
        # Else Escape would be for an action of the window.
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asked and cast("QKeyEvent", event).key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:  # Qt calls it ``next``
        return tab_on(self, forward)

    # What is chosen

    def _on_row(self, row: LevelRow) -> None:
        chosen = Human() if row.key == HUMAN else opponent(row.key)
        if row is not self._chosen:
            self.box.set_player(chosen)
            self._mark(chosen)
            self.player_changed.emit(self.side, chosen)
        self._leave()

    def _on_box(self, side: Side, player: Player) -> None:
        self._mark(player)
        self.player_changed.emit(side, player)
        self._place()
