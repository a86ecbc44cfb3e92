"""Boards: what each game brings to be seen and set up in the window, and the place of the board shown."""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.errors import RulesError, quoted
from nimdesk.games import AnyPosition, Game, GameKit, Move, kit_of
from nimdesk.games.truth import Truth
from nimdesk.plugins.games import LOADED
from nimdesk.ui.boards.base import BoardView, OverlayItem, overlay_of
from nimdesk.ui.look.theme import LOOK

if TYPE_CHECKING:
    from nimdesk.play.shown import BoardShown
    from nimdesk.ui.boards.forms import PositionForm
    from nimdesk.ui.look.move_marks import MoveColors

__all__ = ["BoardKit", "BoardView", "OverlayItem", "board_for", "board_kit"]


class BoardKit:
    """What a game brings to the window beside its rules; this one serves every game, and others replace its parts.

    Each part is loaded when it is first wanted: the window is painted without the other boards, and without forms.
    """

    tab = ""
    """The game's name on the tabs of dialogs, with the key that leads there; "" for its usual name."""

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        """A board that shows this position."""
        from nimdesk.ui.boards.plain import PlainBoard  # lazy: see the class

        return PlainBoard(position, parent)

    def new_game_form(self) -> PositionForm | None:
        """A form for the parameters of the game; None if its notation is to be typed."""
        return None

    def position_form(self) -> PositionForm | None:
        """A form for any position of the game; None if its notation is to be typed."""
        return None

    def theory_html(self, position: AnyPosition, truth: Truth | None, under_way: str, *, other: bool = False) -> str:
        """What is proven of the position and why, as a page; links ``move:<text>`` name its moves.

        ``under_way`` says how far a proof is that goes on, or why there is no ``truth``; it is "" once the proof ended.
        ``other`` is for the ``other_rule``, and a link ``rule:other`` goes there. A link ``certificate:`` leads to a
        game against the certificate.
        """
        from nimdesk.ui.boards.theory import proof_html  # lazy: see the class

        return proof_html(truth, under_way)

    def other_rule(self, position: AnyPosition) -> tuple[str, AnyPosition] | None:
        """A rule to compare with, such as "misère play", and the same position under it; None where there is none."""
        return None

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        """Why the move is worth what it is, as a clause."""
        from nimdesk.ui.boards.theory import proven_reason  # lazy: see the class

        return proven_reason(position, move, truth)


_PLAIN = BoardKit()


def board_kit(game: Game | GameKit) -> BoardKit:
    """What this game brings to the window (``GameKit.board``); if it brings nothing, the kit that serves every game."""
    kit = game if isinstance(game, GameKit) else kit_of(game)
    return _tried(kit) if kit.board else _PLAIN


@lru_cache(maxsize=64)
def _tried(kit: GameKit) -> BoardKit:
    """The kit's own. One of a package that fails at once is told of as any fault, and what serves every game serves
    this one too: the lists of all games have its board and its forms among others.
    """
    module, _, attribute = kit.board.partition(":")
    try:
        found = getattr(import_module(module), attribute)
        if not isinstance(found, BoardKit):
            raise RulesError(f"The board “{kit.board}” of the game {quoted(kit.name)} is not a BoardKit.")
        if kit.name in LOADED:
            boards = [found.new_board(preset.game.start()) for preset in kit.presets[:1]]
            for made in (*boards, found.new_game_form(), found.position_form()):
                if made is not None:
                    made.deleteLater()
        return found
    except Exception:
        QTimer.singleShot(0, partial(sys.excepthook, *sys.exc_info()))
        return _PLAIN


def board_for(game: Game, parent: QWidget | None = None) -> BoardView:
    """A new board for this game, showing its start position."""
    return board_kit(game).new_board(game.start(), parent)


class BoardPlace(QWidget):
    """The place of the board of the current game."""

    board_replaced = Signal()
    """``board`` is another widget: connect it and tell it everything."""
    first_painted = Signal()
    """The board was painted for the first time, and the paint has reached the screen."""

    def __init__(self, game: Game, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self.board: BoardView = board_for(game, self)
        self._layout.addWidget(self.board, 1)
        self._told: tuple[BoardView, BoardShown, MoveColors] | None = None
        """Which board was told what, in which colours; with others it has to be told everything."""
        self._painted = False
        self.board.installEventFilter(self)
        LOOK.changed.connect(self._take_look)

    def show_board(self, now: BoardShown, colors: MoveColors, *, animate: bool = False) -> None:
        """Tell the board what is different; with ``animate``, its last move is seen to happen."""
        self.show_game(now.position.game)
        board = self.board
        told = self._told if self._told is not None and self._told[0] is board and self._told[2] is colors else None
        before = None if told is None else told[1]
        self._told = board, now, colors
        if before is None or now.animated != before.animated:
            board.set_animation_enabled(now.animated)
        if before is None or now.number != before.number:
            board.set_overlay_style(now.number)
        moved = board.position != now.position
        if moved:
            board.set_overlay(None)
        board.set_position(now.position, animate=animate and now.animated)
        if before is None or now.truth != before.truth:
            board.set_truth(now.truth)
        if before is None or moved or now.searched is not before.searched or now.truth != before.truth:
            board.set_overlay(overlay_of(now.searched, colors, now.truth))
        if now.interactive != board.interactive:
            board.set_interactive(now.interactive)
        board.set_suggestion(now.suggestion)
        board.set_highlight(now.highlight)
        board.set_line(now.line, now.answers)
        board.set_pairs(now.pairs)

    def _take_look(self) -> None:
        if self._told is not None:
            _, now, colors = self._told
            self.board.set_overlay(overlay_of(now.searched, colors, now.truth))

    def show_game(self, game: Game) -> None:
        """Show a board for this game; the present board stays if it suits."""
        if self.board.suits(game):
            return
        old = self.board
        self.board = board_for(game, self)
        self._layout.replaceWidget(old, self.board)
        if not self._painted:
            self.board.installEventFilter(self)
        # Shown at once: a hidden widget does not get the keyboard when its window becomes active again.
        self.board.show()
        old.hide()
        old.deleteLater()
        self.board_replaced.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._painted and watched is self.board and event.type() == QEvent.Type.Paint:
            self._painted = True
            self.board.removeEventFilter(self)
            # Queued from within the paint, so that it comes after the paint has been flushed.
            QTimer.singleShot(0, self.first_painted.emit)
        return False
