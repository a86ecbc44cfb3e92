"""The moves of a game as people write them: a round in a row, a column a side, variations in brackets below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nimdesk.games import Side
from nimdesk.games.truth import Value
from nimdesk.play.move_review import Mark
from nimdesk.play.story import MovesRow, Story
from nimdesk.play.tree import Node
from nimdesk.play.words import decided_words

SIGNS = {Value.WIN: "✓", Value.DRAW: "=", Value.LOSS: "✗"}
LOST_ANYWAY = "–"
"""The mark of a move in a position in which every move loses: it is nobody's mistake."""
_WORDS = {1.0: "wins", 0.5: "draws", 0.0: "loses"}


class ListRow(NamedTuple):
    """One row: the number of its first move, and the places of its moves, by the side that made each.

    A variation that is folded has a row to itself.
    """

    number: int
    moves: tuple[MovesRow | None, MovesRow | None]
    folded: MovesRow | None = None

    @property
    def places(self) -> tuple[MovesRow, ...]:
        """What can be gone to, from left to right."""
        return tuple(each for each in (*self.moves, self.folded) if each is not None)


def list_rows(places: Iterable[MovesRow]) -> tuple[ListRow, ...]:
    """The rows for the places of a game, in their order; the start has none.

    A reply stands beside the move that it answers, unless a variation comes between them, or a side moves twice.
    """
    rows: list[ListRow] = []
    for place in places:
        parent = place.node.parent
        if parent is None:
            continue
        number = place.node.position.ply
        if place.folded:
            rows.append(ListRow(number, (None, None), place))
        elif parent.position.turn is Side.FIRST:
            rows.append(ListRow(number, (place, None)))
        elif rows and (first := rows[-1].moves[0]) is not None and rows[-1].moves[1] is None and first.node is parent:
            rows[-1] = ListRow(rows[-1].number, (first, place))
        else:
            rows.append(ListRow(number, (None, place)))
    return tuple(rows)


def evaluation(story: Story, node: Node) -> str:
    """What the move that leads here is worth to the side that made it: "wins in 9", "forced", "loses", or "0.62".

    An estimate is an expected score; "" where nothing is known.
    """
    parent, ply = node.parent, node.ply
    if parent is None or ply is None:
        return ""
    if decided := decided_words(ply):
        return decided
    place = node.position.ply
    if place >= len(story.line) or story.line[place] is not node:
        return ""
    if (known := story.judged_at(node)) is not None and known.after.score is not None:
        return _WORDS[known.after.score]
    worth, reviewed = story.curve.worths[place], story.reviewed
    if (worth is None or not worth.exact) and reviewed:
        judged = reviewed[place - 1]
        return _WORDS[judged.after] if judged.exact else f"{judged.after:.2f}"
    if worth is None:
        return ""
    score = worth.of(parent.position.turn)
    return _WORDS[score] if worth.exact else f"{score:.2f}"


def judgement(story: Story, node: Node) -> tuple[str, Value | None]:
    """The mark of the move that leads here, and the value in whose colour it is; None for one that is muted.

    "✗" stands for a move by which something was lost, as "= → ✗"; where every move loses, there is a dash.
    """
    judged = story.judged_at(node)
    if judged is not None:
        if judged.before is judged.after is Value.LOSS:
            return LOST_ANYWAY, None
        lost = f"{SIGNS[judged.before]} → " if judged.after is not judged.before else ""
        return lost + SIGNS[judged.after], judged.after
    place = node.position.ply
    if story.reviewed and 0 < place < len(story.line) and story.line[place] is node:
        mark = story.reviewed[place - 1].mark
        return mark.value, None if mark is Mark.NONE else Value.LOSS
    return "", None
