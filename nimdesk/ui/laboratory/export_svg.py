"""SVG that every program draws alike: lines of constant width without ``vector-effect``, curves cut off, letters found.

Qt writes what is drawn in units of its own with a transform that stretches it, and asks for a stroke that is not
stretched along. Where that is not known, a curve over 2 units in x and 0.2 in y becomes a blot that covers the picture;
so here the points themselves are put where they belong, and the group's transform is undone. Qt also forgets that a
curve was cut off at the edges of its plot, and names the font by a name that it has on this machine alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF

Matrix = tuple[float, float, float, float, float, float]

_ATTRIBUTE = ' vector-effect="non-scaling-stroke"'
# Qt's groups with a transform do not contain one another.
_GROUP = re.compile(r'(<g [^>]*?transform="matrix\()([^)]*)(\)"[^>]*?)(>)(.*?)(</g>)', re.DOTALL)
_SHAPE = re.compile(r"<([a-z]+)\b[^>]*>")
_POINTS = re.compile(r'( d| points)="([^"]*)"')
_PAIR = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")
_FAMILY = re.compile(r'font-family="([^",]*)"')


def portable(svg: str, rooms: Sequence[QRectF], family: str) -> str:
    """Qt's SVG as any program draws it; ``rooms`` are the plots in it, ``family`` is what its font is really called."""
    clips = "".join(
        f'<clipPath id="room{number}"><rect x="{room.x():g}" y="{room.y():g}" width="{room.width():g}" '
        f'height="{room.height():g}"/></clipPath>\n'
        for number, room in enumerate(rooms)
    )
    svg = svg.replace("<defs>\n", f"<defs>\n{clips}", 1).replace(' version="1.2" baseProfile="tiny"', "", 1)
    svg = _FAMILY.sub(lambda found: f'font-family="{found[1]}, {family}, sans-serif"', svg)
    return _GROUP.sub(lambda found: _plain_group(found, rooms), svg)


def _plain_group(found: re.Match[str], rooms: Sequence[QRectF]) -> str:
    begin, numbers, end, tip, inside, close = found.groups()
    if _ATTRIBUTE not in inside:
        return found[0]
    a, b, c, d, e, f = (float(number) for number in numbers.split(","))
    if not all(_ATTRIBUTE in shape[0] and shape[1] in ("path", "polyline") for shape in _SHAPE.finditer(inside)):
        stretched = (a, b, c, d) != (1.0, 0.0, 0.0, 1.0)
        return found[0] if stretched else found[0].replace(_ATTRIBUTE, "")
    moved = _POINTS.sub(lambda points: f'{points[1]}="{_placed(points[2], (a, b, c, d, e, f))}"', inside)
    room = _room_of(moved, rooms)
    clip = "" if room is None else f' clip-path="url(#room{room})"'
    return f"{begin}1,0,0,1,0,0{end}{clip}{tip}{moved.replace(_ATTRIBUTE, '')}{close}"


def _room_of(shapes: str, rooms: Sequence[QRectF]) -> int | None:
    """The plot that most of the points of these curves lie in; None where most lie in none, and for straight lines."""
    curves = [_PAIR.findall(points) for _, points in _POINTS.findall(shapes)]
    points = [QPointF(float(x), float(y)) for curve in curves if len(curve) > 2 for x, y in curve]
    inside = [sum(room.contains(point) for point in points) for room in rooms]
    best = max(range(len(rooms)), key=inside.__getitem__, default=None)
    return best if best is not None and points and 2 * inside[best] >= len(points) else None


def _placed(points: str, matrix: Matrix) -> str:
    """Pairs of coordinates with the transform carried out; letters between them stay."""
    a, b, c, d, e, f = matrix

    def place(pair: re.Match[str]) -> str:
        x, y = float(pair[1]), float(pair[2])
        return f"{a * x + c * y + e:.6g},{b * x + d * y + f:.6g}"

    return _PAIR.sub(place, points)
