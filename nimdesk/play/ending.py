"""What is said of a game that is over: where it was decided, and from where to try again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from nimdesk.games import Side
from nimdesk.games.truth import Truth
from nimdesk.games.truth_words import told
from nimdesk.play.evaluations import Turn, known_worths, turning_point
from nimdesk.play.game import GameInProgress
from nimdesk.play.words import by_words, person_side, player_name

if TYPE_CHECKING:
    from nimdesk.play.move_review import MoveReview


class Ending(NamedTuple):
    """One sentence ("" where nothing is known), and the number of moves before which to try again, if one may."""

    sentence: str = ""
    try_from: int | None = None


def ending(game: GameInProgress, proven: Sequence[Truth | None], reviewed: Sequence[MoveReview] = ()) -> Ending:
    """What decided the game, if it is over at the end of its moves.

    ``reviewed`` are all its moves as a review judged them; it then goes before everything else, since it knows most.
    Without one, ``proven`` has what is proven of each position of the game, as far as it is known; else the searches
    of the game are asked, and what they say is told as an estimate.
    """
    outcome = game.last_position.outcome
    if outcome is None or not game.plies:
        return Ending()
    if reviewed:
        from nimdesk.play.review import worths_of  # lazy: nothing is reviewed before the first paint

        known = worths_of(game.last_position, reviewed)
    else:
        known = known_worths(game, proven)
    person = person_side(game.players)
    loser = person if outcome.winner is None else outcome.winner.other
    turn = None if loser is None else turning_point(known, loser)
    if loser is None or (turn is not None and outcome.winner is None and not (turn.exact and turn.before == 1)):
        return Ending()  # a draw is a pity only for a person who had a win
    if turn is not None:
        better = _better(turn, proven, reviewed)
        return Ending(_sentence(game, loser, turn, better), turn.ply - 1 if person in (None, loser) else None)
    start = known[0]
    if outcome.winner is None or start is None or start != (start.for_side(0.0, loser, exact=True)):
        return Ending()
    given = not game.plies[0].by  # then the players began later, in a position that has its own worth
    who = game.game.side_name(loser) if given else player_name(game.players, loser, game.game)
    verb = "were" if who == "You" else "was"
    return Ending(told("lost from the start", who=who, were=verb))


def _better(turn: Turn, proven: Sequence[Truth | None], reviewed: Sequence[MoveReview]) -> str:
    """What to play instead; "" where it is not known for certain."""
    truth = proven[turn.ply - 1] if turn.ply <= len(proven) else None
    best = (
        reviewed[turn.ply - 1].best if reviewed else () if truth is None else truth.quickest_moves or truth.best_moves
    )
    return best[0].text if best and turn.exact else ""


def _sentence(game: GameInProgress, loser: Side, turn: Turn, better: str) -> str:
    ply = game.plies[turn.ply - 1]
    played, who = ply.move.text, by_words(ply, loser, game.players, game.game)
    name = who or game.game.side_name(loser)
    if not turn.exact:
        return told("hoped", who=name, score=f"{turn.before:.2f}", moved=f"move {turn.ply} ({played})")
    moved = f"move {turn.ply} ({played} instead of {better})" if better else f"move {turn.ply} ({played})"
    if turn.before == 1:
        return told("had a win", who=name, moved=moved)
    by = "" if who in ("", "You") else f", by {who}"
    return told("even", moved=f"{moved}{by}")
