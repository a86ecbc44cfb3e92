"""What is said of a game that is over: where it was decided, and from where to try again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nimdesk.games import Side
from nimdesk.games.truth import Truth, Value
from nimdesk.play import GameInProgress
from nimdesk.play.worth import Turn, lost_from_the_start, turning_point
from nimdesk.ui.play.card_words import person_side, player_name


class Ending(NamedTuple):
    """One sentence ("" where nothing is known), and the number of moves before which to try again, if one may."""

    sentence: str = ""
    try_from: int | None = None


def ending(game: GameInProgress, proven: Sequence[Truth | None]) -> Ending:
    """What decided the game, if it is over at the end of its moves.

    ``proven`` has what is proven of each position of the game, as far as it is known; else the searches of the game are
    asked, and what they say is told as an estimate.
    """
    outcome = game.last_position.outcome
    if outcome is None or not game.plies:
        return Ending()
    person = person_side(game.players)
    if outcome.winner is None:
        return _drawn(game, person, proven)
    loser = outcome.winner.other
    turn = turning_point(game, loser, proven)
    may_try = person in (None, loser)
    if turn is None:
        if not lost_from_the_start(game, loser, proven):
            return Ending()
        who = _name(game, loser)
        verb = "were" if who == "You" else "was"
        return Ending(f"{who} {verb} lost from the start: against perfect play nothing would have helped.")
    return Ending(_sentence(game, loser, turn), turn.ply - 1 if may_try else None)


def _drawn(game: GameInProgress, person: Side | None, proven: Sequence[Truth | None]) -> Ending:
    """A draw is a pity for a person who had a win."""
    turn = None if person is None else turning_point(game, person, proven)
    if person is None or turn is None or not turn.exact or turn.before is not Value.WIN:
        return Ending()
    return Ending(_sentence(game, person, turn), turn.ply - 1)


def _sentence(game: GameInProgress, loser: Side, turn: Turn) -> str:
    played, who = game.plies[turn.ply - 1].move.text, _name(game, loser)
    by = "" if who == "You" else f", by {who}"
    if not turn.exact:
        return f"By the searches' estimates it was even until about move {turn.ply} ({played}{by})."
    moved = f"move {turn.ply} ({played} instead of {turn.better})"
    if turn.before is Value.WIN:
        return f"{who} had a win until {moved}."
    return f"It was even until {moved}{by}."


def _name(game: GameInProgress, side: Side) -> str:
    return player_name(game.players, side, game.game)
