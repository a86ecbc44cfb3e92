"""The board of a game that has none of its own: the position in words, and its legal moves as cells to press."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from nimdesk.games import AnyPosition, Move
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.ui.boards.base import BoardView, full_share, number_text
from nimdesk.ui.boards.pictures import BoardArt
from nimdesk.ui.boards.pointing import ARROWS
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import full_words, short_words, tag_width

_MARGIN, _GAP = 14.0, 6.0
_HIGHEST = 3000.0
"""A picture of hundreds of moves is no higher than this."""
_LISTED = 20
"""How many moves are read out."""
_JUMPS = (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ListCursor:
    """One of the legal moves, as they stand line by line.

    Arrows move it, Home and End go to the ends, Page up and Page down some lines on; the beginning of a move's notation
    goes to that move.
    """

    def __init__(self, position: AnyPosition) -> None:
        """At the first move."""
        self._moves: tuple[Move, ...] = position.legal_moves
        self._at, self._typed = 0, ""
        self.columns = 1
        """How many moves stand in a line."""

    @property
    def move(self) -> Move | None:
        """The legal move here; None when the game is over."""
        return self._moves[self._at] if self._moves else None

    def adapt(self, position: AnyPosition, *, in_use: bool) -> None:
        """Stay on the same move, or at its place, while the cursor is in use; otherwise begin anew."""
        before, self._moves, self._typed = self.move, position.legal_moves, ""
        if in_use and before in self._moves:
            self._at = self._moves.index(before)
        else:
            self._at = min(self._at, max(0, len(self._moves) - 1)) if in_use else 0

    def put(self, move: Move) -> None:
        """Stand on this legal move."""
        self._at = self._moves.index(move)

    def wants(self, key: int, text: str) -> bool:
        """Whether ``press`` does something with this key."""
        return key in ARROWS or key in _JUMPS or bool(self._found(text))

    def press(self, key: int, text: str) -> None:
        """Move as the key says."""
        last = len(self._moves) - 1
        if key not in ARROWS and key not in _JUMPS:
            self._typed = self._found(text)
            starts = (at for at, move in enumerate(self._moves) if move.text.startswith(self._typed))
            self._at = next(starts, self._at)
            return
        self._typed = ""
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._at = 0 if key == Qt.Key.Key_Home else max(0, last)
            return
        right, up = ARROWS.get(Qt.Key(key), (0, 5 if key == Qt.Key.Key_PageUp else -5))
        wanted = self._at + right - up * self.columns
        if key in _JUMPS or 0 <= wanted <= last:
            self._at = max(0, min(wanted, last))

    def _found(self, text: str) -> str:
        """The typed text with this one added, or this one alone, if a move begins with it; otherwise ""."""
        if len(text) != 1 or not text.isprintable() or text.isspace():
            return ""
        typed = (self._typed + text, text)
        return next((each for each in typed if any(move.text.startswith(each) for move in self._moves)), "")


@dataclass(frozen=True)
class PlainPlaces:
    """Where words and cells are: ``lines`` of equal height over a grid of cells that can be ``scrolled`` up."""

    text_px: float
    rows_font: QFont
    lines: tuple[QRectF, ...]
    rows: QRectF
    grid: QRectF
    columns: int
    cell_w: float
    cell_h: float
    content_h: float

    def cell(self, number: int, scrolled: float) -> QRectF:
        """The cell of the legal move with this number."""
        row, column = divmod(number, self.columns)
        left = self.grid.left() + column * (self.cell_w + _GAP)
        top = self.grid.top() + row * (self.cell_h + _GAP) - scrolled
        return QRectF(left, top, self.cell_w, self.cell_h)


class PlainBoard(BoardView):
    """A board for any game; see ``BoardView`` for what it offers and ``ListCursor`` for its keys."""

    def __init__(self, position: AnyPosition, parent: QWidget | None = None) -> None:
        self._list = ListCursor(position)
        super().__init__(position, self._list, parent)
        self._art = PlainArt(self)
        self._laid_out: tuple[object, PlainPlaces] | None = None
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar.valueChanged.connect(self._on_scrolled)
        self._bar.hide()
        self._describe()

    @property
    def art(self) -> PlainArt:
        return self._art

    # Where things are.

    @property
    def scrolled(self) -> float:
        """How far the cells are scrolled up."""
        return float(self._bar.value()) if self._bar.isVisibleTo(self) else 0.0

    def places(self) -> PlainPlaces:
        """Where things are now."""
        proven, said = tuple(self._art.tags()), bool(self.position.moves or self.shown.line)
        key = (self.position, said, proven, self.width(), self.height(), self.font().key())
        if self._laid_out is None or self._laid_out[0] != key:
            self._laid_out = (key, self._lay_out(float(self.height())))
            self._adapt_bar(self._laid_out[1])
        return self._laid_out[1]

    def _lay_out(self, height: float) -> PlainPlaces:
        """Words over the cells, or beside them where the board is wide and low."""
        text_px = painting.font_px(self) * max(0.8, min(1.3, self.width() / 600, height / 400))
        area = QRectF(0, 0, self.width(), height).adjusted(_MARGIN, _MARGIN * 0.7, -_MARGIN, -_MARGIN * 0.7)
        beside = area.width() > 1.8 * area.height() and bool(self.position.legal_moves)
        words = QRectF(area.topLeft(), QSizeF(area.width() * (0.34 if beside else 1.0), area.height()))
        rows_font, rows_h = self._rows_font(words.width(), height * 0.4, text_px)
        heights = [text_px * size for size in (1.9, 1.6, 1.6 if self.position.moves or self.shown.line else 0.3)]
        if beside:
            words.setTop(area.center().y() - (sum(heights) + rows_h) / 2)
        lines = []
        for height in heights:
            lines.append(QRectF(words.left(), words.top(), words.width(), height))
            words.setTop(words.top() + height)
        rows = QRectF(words.left(), words.top(), words.width(), rows_h)
        grid = area.adjusted(words.width() + _MARGIN, 3, 0, 0)
        if not beside:
            grid = area.adjusted(0, rows.bottom() + text_px * 0.6 - area.top(), 0, 0)
        return self._lay_out_cells(text_px, rows_font, tuple(lines), rows, grid)

    def _lay_out_cells(
        self, px: float, rows_font: QFont, lines: tuple[QRectF, ...], rows: QRectF, room: QRectF
    ) -> PlainPlaces:
        bold, tags = painting.sized(self.font(), px, bold=True), self._art.tag_font(px)
        texts = [move.text for move in self.position.legal_moves]
        text_w = max((painting.text_width(bold, text) for text in texts), default=0.0)
        tag_w = max((tag_width(tags, words, px * 1.4) + 6 for words in self._art.tags()), default=0.0)
        wanted = max(px * 5.5, text_w + tag_w + painting.text_width(bold, "88.8M") + px * 1.4)
        bar = self._bar.sizeHint().width() + 2.0
        cell_h, count = float(round(px * 2.3)), max(1, len(texts))
        columns = max(1, min(count, int((room.width() + _GAP) // (wanted + _GAP))))
        if -(-count // columns) * (cell_h + _GAP) - _GAP > room.height():
            room.setRight(room.right() - bar)
            columns = max(1, min(count, int((room.width() + _GAP) // (wanted + _GAP))))
        # The cells of a few moves must not be as wide as the board.
        cell_w = min((room.width() - (columns - 1) * _GAP) / columns, wanted * 1.6)
        beside = (room.width() - columns * (cell_w + _GAP) + _GAP) / 2
        grid = room.adjusted(beside, 0, -beside, 0)
        content_h = -(-len(texts) // columns) * (cell_h + _GAP) - _GAP
        spare = max(0.0, grid.height() - content_h)
        if grid.top() > rows.bottom():
            rows, lines = rows.translated(0, spare * 0.4), tuple(line.translated(0, spare * 0.4) for line in lines)
        grid.setTop(grid.top() + spare * 0.4)
        return PlainPlaces(px, rows_font, lines, rows, grid, columns, cell_w, cell_h, content_h)

    def rows_alone(self) -> tuple[QRectF, QFont]:
        """Where the position is written on a board with nothing else, and in which font."""
        width, height = self.width() * 0.8, self.height() * 0.8
        font, rows_h = self._rows_font(width, height, height / 4)
        place = QRectF(0, 0, width, min(rows_h, height))
        place.moveCenter(QRectF(self.rect()).center())
        return place, font

    def _rows_font(self, width: float, most: float, text_px: float) -> tuple[QFont, float]:
        """The font for the text of the position, and the height of that text."""
        rows = self.position.rows
        if not rows:
            font = painting.sized(self.font(), text_px)
            flags = Qt.TextFlag.TextWrapAnywhere
            wrapped = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1000), flags, self.position.text)
            return font, min(wrapped.height(), text_px * 4.5)
        fixed = painting.sized(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), 100)
        widest = max(painting.text_width(fixed, row) for row in rows) / 100 or 1.0
        pixels = min(text_px * 2, width / widest, most / len(rows) / 1.3)
        font = painting.sized(fixed, pixels)
        return font, len(rows) * QFontMetricsF(font).height()

    def _adapt_bar(self, places: PlainPlaces) -> None:
        self._list.columns = places.columns
        hidden = round(places.content_h - places.grid.height())
        self._bar.setVisible(hidden > 0)
        if hidden > 0:
            wide = self._bar.sizeHint().width()
            self._bar.setGeometry(self.width() - wide - 2, round(places.grid.top()), wide, round(places.grid.height()))
            self._bar.setRange(0, hidden)
            self._bar.setPageStep(round(places.grid.height()))
            self._bar.setSingleStep(round(places.cell_h + _GAP))

    def cell_rect(self, move: Move) -> QRectF:
        """Where the cell of this legal move is now."""
        return self.places().cell(self.position.legal_moves.index(move), self.scrolled)

    def bring_into_view(self, move: Move) -> None:
        """Scroll no further than needed to show the whole cell of this legal move."""
        cell, grid = self.cell_rect(move), self.places().grid
        if cell.top() < grid.top():
            self._bar.setValue(round(self.scrolled - (grid.top() - cell.top())))
        elif cell.bottom() > grid.bottom():
            self._bar.setValue(round(self.scrolled + cell.bottom() - grid.bottom() + 1))

    def fitting_height(self) -> int:
        height = float(self.height())
        for _ in range(3):  # a higher board has larger letters, so it needs still more
            places = self._lay_out(height)
            hidden = places.content_h - places.grid.height()
            if hidden <= 0:
                break
            height = min(height + hidden + 1, max(height, _HIGHEST))
        return round(height)

    def _move_at(self, point: QPointF) -> Move | None:
        places = self.places()
        if not places.grid.contains(point):
            return None
        column = int((point.x() - places.grid.left()) // (places.cell_w + _GAP))
        row = int((point.y() + self.scrolled - places.grid.top()) // (places.cell_h + _GAP))
        number = row * places.columns + column
        moves = self.position.legal_moves
        inside = number < len(moves) and places.cell(number, self.scrolled).contains(point)
        return moves[number] if inside else None

    def move_point(self, move: Move) -> QPointF:
        """The middle of the cell, which is brought into view."""
        self.bring_into_view(move)
        return self.cell_rect(move).center()

    # What happens.

    def _on_scrolled(self) -> None:
        self._refresh(later=True)

    def _cursor_moved(self) -> None:
        super()._cursor_moved()
        if self._list.move is not None:
            self.bring_into_view(self._list.move)

    def set_suggestion(self, move: Move | None) -> None:
        super().set_suggestion(move)
        if move in self.position.legal_moves:
            self.bring_into_view(move)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._bar.event(event)

    # Words.

    def hover_words(self) -> str:
        move = self._hovered
        if move is None:
            return ""
        if move in self.shown.proven:
            return f"{describe_move(move)}: {full_words(self.shown.proven[move])}"
        return describe_move(move) if describe_move(move) != move.text else ""

    def _cursor_words(self) -> str:
        move = self._list.move
        return "no move is left" if move is None else f"{describe_move(move)}{self._proven_words(move)}"

    def _board_words(self) -> str:
        words = "; ".join(self.position.rows) or self.position.text
        moves = self.position.legal_moves
        if not moves:
            return f"{words}."
        more = f" and {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
        named = ", ".join(move.text for move in moves[:_LISTED])
        return f"{words}. {len(moves)} {'move' if len(moves) == 1 else 'moves'}: {named}{more}."


class PlainArt(BoardArt):
    """Paints a plain board."""

    board: PlainBoard

    def tag_font(self, pixels: float) -> QFont:
        """The font, in this size, of what is proven beside moves."""
        return self.font(pixels * 0.85)

    def tags(self) -> set[str]:
        """What is said of the moves beside the signs of what is proven."""
        return {_tag_words(each) for each in self.shown.proven.values()}

    def paint(self, painter: QPainter) -> None:
        board = self.board
        painter.fillRect(board.rect(), self.theme.color("board"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if board.pictured:
            self._paint_rows(painter, *board.rows_alone())
            return
        places = board.places()
        self._paint_words(painter, places)
        painter.save()
        painter.setClipRect(places.grid.adjusted(-3, -3, 3, 3))
        full = full_share(self.shown.overlay.values(), len(board.position.legal_moves))
        shown = []
        for number, move in enumerate(board.position.legal_moves):
            cell = places.cell(number, board.scrolled)
            if cell.bottom() >= places.grid.top() and cell.top() <= places.grid.bottom():
                shown.append((move, cell))
                self._paint_cell(painter, places, move, cell, full)
        for move, cell in shown:
            self._paint_rings(painter, move, cell)
        painter.restore()
        self._paint_labels(painter, places, dict(shown))

    def _paint_words(self, painter: QPainter, places: PlainPlaces) -> None:
        """The game, whose turn it is, the last move or the line that is pointed at, and what lies on the board."""
        position, px = self.board.position, places.text_px
        title, turn, last = places.lines
        self._write(painter, title, position.game.title, self.font(px * 1.15, bold=True), "text")
        side = position.turn if position.outcome is None else position.winner
        role = "text" if side is None else ("first", "second")[side]
        self._write(painter, turn, describe_turn(position), self.font(px, bold=True), role)
        if self.shown.line:
            self._paint_line(painter, last, px)
        elif position.moves:
            self._write(painter, last, f"Last move: {self.board.last_move_words()}", self.font(px), "muted")
        self._paint_rows(painter, places.rows, places.rows_font)

    def _paint_rows(self, painter: QPainter, place: QRectF, font: QFont) -> None:
        """What lies on the board, or its text."""
        position, center = self.board.position, Qt.AlignmentFlag.AlignCenter
        painter.setFont(font)
        painter.setPen(self.theme.color("text"))
        if not position.rows:
            painter.drawText(place, center | Qt.TextFlag.TextWrapAnywhere, position.text)
        height = place.height() / max(1, len(position.rows))
        for number, row in enumerate(position.rows):
            painter.drawText(QRectF(place.left(), place.top() + number * height, place.width(), height), center, row)

    def _write(self, painter: QPainter, place: QRectF, text: str, font: QFont, role: str) -> None:
        painter.setFont(font)
        painter.setPen(self.theme.color(role))
        text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_line(self, painter: QPainter, place: QRectF, pixels: float) -> None:
        """A line of play: the moves in a row, each in the colour of its side, numbered."""
        font = self.font(pixels, bold=True)
        texts = [f"{ply}. {move.text}" for ply, move in enumerate(self.shown.line, 1)]
        widths = [painting.text_width(font, text) + pixels for text in texts]
        left = max(place.left(), place.center().x() - sum(widths) / 2)
        painter.setFont(font)
        for ply, (text, width) in enumerate(zip(texts, widths, strict=True)):
            if left + width > place.right():
                painter.drawText(QPointF(left, place.bottom() - pixels * 0.5), "…")
                break
            painter.setPen(painting.side_color(self.theme, self.side_of_ply(ply)))
            painter.drawText(QRectF(left, place.top(), width, place.height()), Qt.AlignmentFlag.AlignCenter, text)
            left += width

    def _paint_cell(self, painter: QPainter, places: PlainPlaces, move: Move, cell: QRectF, full: float) -> None:
        """Paint a cell like a button: the move, what is proven of it, its number, and below a bar for its share."""
        theme, px, pad = self.theme, places.text_px, places.text_px * 0.5
        item, hovered = self.shown.overlay.get(move), move == self.board.hovered_move
        leader = item is not None and item.leader
        edge = theme.color("text" if leader else "accent" if hovered and self.board.interactive else "border")
        painter.setPen(QPen(edge, theme.line * (1.6 if leader else 1.0)))
        painter.setBrush(painting.mixed(theme.color("base"), theme.color("accent"), 0.14 if hovered else 0.0))
        painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        if item is not None:
            track = QRectF(cell.left() + 4, cell.bottom() - px * 0.45, cell.width() - 8, px * 0.28)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(painting.faded(item.color, 0.18))
            painter.drawRoundedRect(track, 2, 2)
            track.setWidth(max(2.0, track.width() * min(1.0, item.share / full)))
            painter.setBrush(item.color)
            painter.drawRoundedRect(track, 2, 2)
        row = cell.adjusted(pad, 0, -pad, -px * 0.35 if item is not None else 0)
        painter.setPen(theme.color("text"))
        painter.setFont(self.font(px, bold=leader))
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, move.text)
        if item is not None and (text := number_text(item, self.shown.style)):
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        if (proven := self.shown.proven.get(move)) is not None:
            font, height, text = self.tag_font(px), px * 1.4, _tag_words(proven)
            left = row.left() + painting.text_width(self.font(px, bold=True), move.text) + 6
            middle = QPointF(left + tag_width(font, text, height) / 2, row.center().y())
            self.tag(painter, proven, text, font, middle, height)

    def _paint_rings(self, painter: QPainter, move: Move, cell: QRectF) -> None:
        theme, ring = self.theme, partial(painting.draw_ring, painter)
        inner = cell.adjusted(1.5, 1.5, -1.5, -1.5)
        if move == self.shown.highlight:
            ring(inner, theme.color("text"), 2.5)
        if move == self.shown.suggestion:
            ring(inner, theme.color("accent"), 2.0, dashed=True)
        if self.board.cursor_shown and move == self.board.hovered_move:
            ring(inner, theme.color("accent"), 2.5)

    def _paint_labels(self, painter: QPainter, places: PlainPlaces, cells: dict[Move, QRectF]) -> None:
        """What is said of the suggestion and of the cell that is pointed at, over or under them."""
        hovered, suggestion = self.board.hovered_move, self.shown.suggestion
        if suggestion in cells and suggestion != hovered:
            self._paint_label(painter, places, cells[suggestion], "suggested", filled=False)
        if hovered in cells and (words := self.board.hover_words()):
            self._paint_label(painter, places, cells[hovered], words, filled=True)

    def _paint_label(self, painter: QPainter, places: PlainPlaces, cell: QRectF, text: str, *, filled: bool) -> None:
        font, height = self.font(places.text_px * 0.85, bold=True), places.text_px * 1.3
        painter.setFont(font)
        width = painting.text_width(font, text) + 12
        left = max(2.0, min(self.board.width() - width - 2, cell.center().x() - width / 2))
        top = cell.top() - height * 0.75 if cell.top() - height * 0.75 > 2 else cell.bottom() - height * 0.25
        fill, ink = (self.theme.color(role) for role in (("accent", "accent_text") if filled else ("base", "accent")))
        painting.draw_chip(painter, QRectF(left, top, width, height), text, fill, ink, outlined=True)


def _tag_words(proven: MoveTruth) -> str:
    return "" if proven.value is Value.UNKNOWN else short_words(proven)
