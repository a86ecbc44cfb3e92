"""What is told of a game as a whole: its moves with their variations, what it was worth, and where it was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nimdesk.games import Side
from nimdesk.games.truth import Truth
from nimdesk.games.truth_words import told
from nimdesk.play.ending import Ending, ending
from nimdesk.play.evaluations import exact_scores, known_worths
from nimdesk.play.game import GameInProgress, Player
from nimdesk.play.moment import Judged, Known
from nimdesk.play.tree import Node, Ply
from nimdesk.play.words import addressed, person_side, player_name
from nimdesk.search.worth import Worth

if TYPE_CHECKING:
    from nimdesk.play.move_review import MoveReview


class MovesRow(NamedTuple):
    """A place of the game's tree; ``depth`` is how many variations it is in.

    A variation that the line looked at does not go through is one row, whose moves are ``folded``.
    """

    node: Node
    depth: int
    folded: tuple[Node, ...] = ()


def rows_of(game: GameInProgress) -> tuple[MovesRow, ...]:
    """The start, then the main line, with the variations from each move below it."""
    looked_at = set(game.line)
    rows = [MovesRow(game.root, 0)]
    waiting = [(node, 0) for node in game.root.children[:1]]
    while waiting:
        node, depth = waiting.pop()
        assert node.parent is not None
        first, *others = node.parent.children
        if node is not first and node not in looked_at:
            rows.append(MovesRow(node, depth, (node, *node.onward)))
            continue
        rows.append(MovesRow(node, depth))
        waiting += [(after, depth) for after in node.children[:1]]
        if node is first:
            waiting += [(other, depth + 1) for other in reversed(others)]
    return tuple(rows)


@dataclass(frozen=True)
class Curve:
    """What each position of the line looked at is worth, as far as it is known, from one side's point of view."""

    moves: tuple[str, ...] = ()
    cursor: int = 0
    """How many of the moves are on the board."""
    side: Side = Side.FIRST
    """Whose score is up."""
    names: tuple[str, str] = ("", "")
    """The names of the players, by ``Side``."""
    worths: tuple[Worth | None, ...] = (None,)
    exact: tuple[float | None, ...] = (None,)
    """What is proven, for the side that began."""

    def score(self, cursor: int) -> tuple[float | None, bool]:
        """The score after that many moves for the side that is up, and whether it is proven."""
        worth = self.worths[cursor]
        return (None, False) if worth is None else (worth.of(self.side), worth.exact)

    def words(self, cursor: int) -> str:
        """The score after that many moves, as a sentence."""
        what = "The start" if cursor == 0 else f"Move {cursor}, {self.moves[cursor - 1]}"
        score, exact = self.score(cursor)
        if score is None:
            return f"{what}: not searched"
        kind = "proven" if exact else "estimated"
        return told("score there", what=what, who=addressed(self.names[self.side]), score=f"{score:.2f}", kind=kind)


def curve_of(game: GameInProgress, proven: Sequence[Truth | None], side: Side) -> Curve:
    """The curve of the line that is looked at, with what is proven of its positions."""
    first, second = (player_name(game.players, each, game.game) for each in Side)
    moves = tuple(ply.move.text for ply in game.plies)
    return Curve(moves, game.cursor, side, (first, second), known_worths(game, proven), exact_scores(game, proven))


@dataclass(frozen=True)
class Story:
    """A game as a whole, as far as it is shown: made anew when the game or what is known of it changes."""

    players: tuple[Player, Player]
    rows: tuple[MovesRow, ...]
    plies: tuple[Ply | None, ...]
    """What was played to come to each row; a search may be read later than its move."""
    line: tuple[Node, ...]
    """The line looked at, the start first."""
    cursor: int
    """How many moves of it are on the board."""
    judged: tuple[Judged | None, ...] | None
    """What each move of the line did; None while truth is hidden."""
    curve: Curve
    ending: Ending
    reviewed: tuple[MoveReview, ...] = ()
    """Every move of the line looked at as a review judged it; empty where there is no review of it."""

    @property
    def current(self) -> int:
        """The row of the place that is looked at."""
        node = self.line[self.cursor]
        return next((place for place, row in enumerate(self.rows) if row.node is node and not row.folded), 0)

    def judged_at(self, node: Node) -> Judged | None:
        """What the move that leads to this place did to the value; None where that is not known or not shown."""
        place, judged = node.position.ply, self.judged or ()
        on_line = place < len(self.line) and self.line[place] is node
        return judged[place - 1] if on_line and 0 < place <= len(judged) else None


def story(game: GameInProgress, known: Known) -> Story:
    """What is told of this game."""
    rows = rows_of(game)
    whole = [each.move for each in known.reviewed] == [ply.move for ply in game.plies]
    reviewed, over = known.reviewed if whole else (), game.position.outcome is not None
    return Story(
        players=game.players,
        rows=rows,
        plies=tuple(row.node.ply for row in rows),
        line=game.line,
        cursor=game.cursor,
        judged=known.judged,
        curve=curve_of(game, known.proven, person_side(game.players) or Side.FIRST),
        ending=ending(game, known.proven, reviewed) if over else Ending(),
        reviewed=reviewed,
    )
