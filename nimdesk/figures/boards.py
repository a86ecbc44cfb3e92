"""A position as a picture without a screen: as lines of text, and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from nimdesk.games import AnyPosition, kit_of
from nimdesk.games.base import describe_turn
from nimdesk.games.diagram import Diagram

_CELL, _EDGE = 40, 30
_LINES, _INK, _FIRST, _SECOND, _MARKED = "#9aa0a6", "#5f6368", "#1f6fb4", "#d1495b", "#f2c14e"
_FONT = 'font-family="sans-serif" font-size="14" text-anchor="middle" dominant-baseline="central"'


def board_text(position: AnyPosition) -> str:
    """The board as lines of text; for a game without a diagram its own lines, or its notation."""
    diagram = _diagram(position)
    if diagram is None:
        return "\n".join(position.rows) or position.text
    width = max(map(len, diagram.labels), default=0)
    between = " " if diagram.columns else ""
    lines = [
        f"{label:>{width}} {between.join(piece or '.' for piece in row)}".rstrip()
        for label, row in zip(diagram.labels, diagram.rows, strict=True)
    ]
    if diagram.columns:
        lines.append(f"{'':>{width}} {' '.join(diagram.columns)}")
    return "\n".join(lines)


def position_text(position: AnyPosition) -> str:
    """The board as lines of text, whose turn it is, and the notation, for a message or a remark in a program."""
    return "\n".join([board_text(position), describe_turn(position), position.text, ""])


def board_svg(position: AnyPosition) -> str:
    """The board as an SVG document, with the notation as its title and whose turn it is as its description."""
    diagram = _diagram(position)
    if diagram is None:
        lines = board_text(position).split("\n")
        width = max(map(len, lines)) * 9 + 2 * _EDGE
        height = len(lines) * 20 + 2 * _EDGE
        shapes = list(_text_lines(lines))
    else:
        width = 2 * _EDGE + _CELL * max([len(diagram.columns), 1, *map(len, diagram.rows)])
        height = 2 * _EDGE + _CELL * max(1, len(diagram.rows))
        shapes = list(_shapes(diagram))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    words = f"<title>{escape(position.text)}</title><desc>{escape(describe_turn(position))}</desc>"
    return "\n".join([head, words, *shapes, "</svg>"])


def _diagram(position: AnyPosition) -> Diagram | None:
    make = kit_of(position).diagram
    return None if make is None else make(position)


def _text_lines(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        at = f'x="{_EDGE}" y="{_EDGE + 20 * number + 10}" xml:space="preserve"'
        yield f'<text {at} font-family="monospace" font-size="15" fill="{_INK}">{escape(line)}</text>'


def _shapes(diagram: Diagram) -> Iterator[str]:
    for row, label in enumerate(diagram.labels):
        yield _label(_EDGE // 2, _middle(row), label)
    for column, label in enumerate(diagram.columns):
        yield _label(_middle(column), _EDGE + _CELL * len(diagram.rows) + _EDGE // 2, label)
    for row, pieces in enumerate(diagram.rows):
        for column, piece in enumerate(pieces):
            if diagram.columns:
                yield _place(row, column, marked=(row, column) in diagram.marked)
            yield from _piece(piece, _middle(column), _middle(row))


def _middle(number: int) -> int:
    return _EDGE + _CELL * number + _CELL // 2


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" {_FONT} fill="{_INK}">{escape(text)}</text>'


def _place(row: int, column: int, *, marked: bool) -> str:
    at = f'x="{_EDGE + _CELL * column}" y="{_EDGE + _CELL * row}" width="{_CELL}" height="{_CELL}"'
    fill = f'"{_MARKED}" fill-opacity="0.5"' if marked else '"none"'
    return f'<rect {at} fill={fill} stroke="{_LINES}"/>'


def _piece(piece: str, x: int, y: int) -> Iterator[str]:
    size = _CELL // 4
    if piece == "X":
        lines = f"M{x - size} {y - size}L{x + size} {y + size}M{x + size} {y - size}L{x - size} {y + size}"
        yield f'<path d="{lines}" stroke="{_FIRST}" stroke-width="4" stroke-linecap="round"/>'
    elif piece == "O":
        yield f'<circle cx="{x}" cy="{y}" r="{size}" fill="none" stroke="{_SECOND}" stroke-width="4"/>'
    elif piece == "|":
        yield f'<rect x="{x - 3}" y="{y - size - 4}" width="6" height="{2 * size + 8}" rx="3" fill="{_INK}"/>'
    elif piece:
        yield f'<circle cx="{x}" cy="{y}" r="{size}" fill="{_INK}"/>'
