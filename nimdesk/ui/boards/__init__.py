"""Boards: what each game brings to be seen and set up in the window, and the area with a board and words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.errors import RulesError
from nimdesk.games import AnyPosition, Game, GameKit, Move, Position, kit_of
from nimdesk.games.check import demand, demand_result, rules_of
from nimdesk.games.kit import OTHERS
from nimdesk.games.truth import Truth
from nimdesk.ui.boards.base import BoardView, OverlayItem
from nimdesk.ui.look.widgets import TruthLine, label

if TYPE_CHECKING:
    from nimdesk.ui.boards.forms import PositionForm

__all__ = ["BOARD_PROBLEMS", "BoardKit", "BoardView", "OverlayItem", "board_for", "board_kit"]


class BoardKit:
    """What a game brings to the window beside its rules; this one serves every game, and others replace its parts.

    Each part is loaded when it is first wanted: the window is painted without the other boards, and without forms.
    """

    tab = ""
    """What the tabs of dialogs call the game, with the key that leads there; "" for its name."""

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        """A board that shows this position."""
        from nimdesk.ui.boards.plain import PlainBoard  # lazy: see the class

        return PlainBoard(position, parent)

    def new_game_form(self) -> PositionForm | None:
        """A form for the parameters of the game; None: its notation is typed."""
        return None

    def position_form(self) -> PositionForm | None:
        """A form for any position of the game; None: its notation is typed."""
        return None

    def theory_html(self, position: AnyPosition, truth: Truth | None, sentence: str, *, other: bool = False) -> str:
        """What is proven of the position and why, as a page; links ``move:<text>`` name its moves.

        ``sentence`` says how far the proof is while ``truth`` is not complete; ``other`` is for the ``other_rule``,
        and a link ``rule:other`` goes there. A link ``certificate:`` leads to a game against the certificate.
        """
        from nimdesk.ui.boards.theory import proof_html  # lazy: see the class

        return proof_html(position, truth, sentence)

    def other_rule(self, position: AnyPosition) -> tuple[str, AnyPosition] | None:
        """A rule to compare with, such as "misère play", and the same position under it; None where there is none."""
        return None

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        """Why the move is worth what it is, as a clause."""
        from nimdesk.ui.boards.theory import proven_reason  # lazy: see the class

        return proven_reason(position, move, truth)


class BoardProblems(QObject):
    """What is wrong with the boards of other packages, for whoever shows it to a person."""

    found = Signal(str)
    """A sentence."""


BOARD_PROBLEMS = BoardProblems()


class HeldBoardKit(BoardKit):
    """The ``BoardKit`` of another package: where it breaks its promise, what serves every game serves this one too."""

    def __init__(self, game: str, reference: str) -> None:
        """Load it from ``reference``."""
        self._game, self._kit = game, BoardKit()
        self._told: set[str] = set()
        self._problem: RulesError | None = None
        try:
            with rules_of(game, "The board"):
                self._kit = _loaded(reference)
                demand(isinstance(self._kit.tab, str), "the name of its tab is no text")
                self.tab = self._kit.tab
        except RulesError as problem:
            self._kit, self._problem = BoardKit(), problem

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        def is_one(board: object) -> bool:
            if not isinstance(board, BoardView) or board.position != position:
                return False
            # What its art raises is held there; PySide ends the process for what ``paintEvent`` raises in a picture.
            return type(board).paintEvent is BoardView.paintEvent

        self._told.clear()
        if self._problem is not None:
            self._tell(self._problem)
        # Without the parent: half of a board that fails would stay there.
        board: BoardView = self._held("new_board", is_one, "no board of the position, painted by its art", position)
        if parent is not None:
            board.setParent(parent)
        return board

    def new_game_form(self) -> PositionForm | None:
        return cast("PositionForm | None", self._held("new_game_form", _is_form, "no form"))

    def position_form(self) -> PositionForm | None:
        return cast("PositionForm | None", self._held("position_form", _is_form, "no form"))

    def theory_html(self, position: AnyPosition, truth: Truth | None, sentence: str, *, other: bool = False) -> str:
        return str(self._held("theory_html", _is_text, "no text", position, truth, sentence, other=other))

    def other_rule(self, position: AnyPosition) -> tuple[str, AnyPosition] | None:
        rule = self._held("other_rule", _is_rule, "no rule with its position", position)
        return cast("tuple[str, AnyPosition] | None", rule)

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        return str(self._held("reason", _is_text, "no text", position, move, truth))

    def _held(self, part: str, kept: Callable[[object], bool], broken: str, *arguments: Any, **named: Any) -> Any:
        try:
            with rules_of(self._game, "The board"):
                made = getattr(self._kit, part)(*arguments, **named)
                demand_result(part, kept(made), made, broken)
                return made
        except RulesError as problem:
            self._tell(problem)
            return getattr(_PLAIN, part)(*arguments, **named)

    def _tell(self, problem: RulesError) -> None:
        """Once for each board: words are asked for again and again."""
        if (sentence := str(problem)) not in self._told:
            self._told.add(sentence)
            BOARD_PROBLEMS.found.emit(sentence)


def _is_text(made: object) -> bool:
    return isinstance(made, str)


def _is_rule(made: object) -> bool:
    return made is None or (
        isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], str) and isinstance(made[1], Position)
    )


def _is_form(made: object) -> bool:
    from nimdesk.ui.boards.forms import PositionForm  # lazy: see BoardKit

    return made is None or isinstance(made, PositionForm)


_PLAIN = BoardKit()


def board_kit(game: Game | GameKit) -> BoardKit:
    """What this game brings to the window (``GameKit.board``); what serves every game where it brings nothing."""
    kit = game if isinstance(game, GameKit) else kit_of(game)
    if not kit.board:
        return _PLAIN
    return _held_kit(kit) if kit.name in OTHERS else _loaded(kit.board)


@lru_cache(maxsize=16)
def _held_kit(kit: GameKit) -> HeldBoardKit:
    return HeldBoardKit(kit.name, kit.board)


def _loaded(reference: str) -> BoardKit:
    module, _, attribute = reference.partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, BoardKit):
        raise TypeError(f"“{reference}” is not a BoardKit")
    return found


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
        self._painted = False
        self.board.installEventFilter(self)

    def show_game(self, game: Game) -> None:
        """A board for this game; the one there is stays if it suits."""
        if isinstance(game, type(self.board.position.game)):
            return
        old = self.board
        self.board = board_for(game, self)
        self._layout.replaceWidget(old, self.board)
        if not self._painted:
            self.board.installEventFilter(self)
        # At once: a widget that is still hidden does not get the keyboard when its window becomes active again.
        self.board.show()
        old.hide()
        old.deleteLater()
        self.board_replaced.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._painted and watched is self.board and event.type() == QEvent.Type.Paint:
            self._painted = True
            self.board.removeEventFilter(self)
            # From within the paint, so that it comes after the paint has been flushed.
            QTimer.singleShot(0, self.first_painted.emit)
        return False


class BoardArea(BoardPlace):
    """Headline, one sentence, and the board of the current game."""

    def __init__(self, game: Game, parent: QWidget | None = None) -> None:
        super().__init__(game, parent)
        self._headline = label(role="headline", wrap=True)
        self._notice = label(role="notice", wrap=True)
        self.keep_lines(2)
        self.truth_line = TruthLine()
        self._layout.setContentsMargins(12, 10, 12, 8)
        for place, words in enumerate((self._headline, self._notice, self.truth_line)):
            self._layout.insertWidget(place, words)

    def keep_lines(self, count: int) -> None:
        """Keep so many lines free for the sentence, so that the board does not jump when a longer one comes."""
        self._notice.setMinimumHeight(count * self._notice.fontMetrics().lineSpacing())

    def set_words(self, headline: str, notice: str) -> None:
        """Show the headline and the sentence below it."""
        if headline != self._headline.text():
            self._headline.setText(headline)
        if notice != self._notice.text():
            self._notice.setText(notice)

    @property
    def words(self) -> tuple[str, str]:
        """The headline and the sentence shown."""
        return self._headline.text(), self._notice.text()
