"""What the game says in words: whose turn it is, who won, what a search is for, what it proposes."""

from __future__ import annotations

from nimdesk.games import AnyPosition, Side
from nimdesk.games.base import describe_move, describe_outcome, describe_turn
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import resistance_sentence, result_words, told
from nimdesk.play import Forfeit, GameInProgress, Human, Player, Ply
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.play.card_words import person_side, player_name


def turn_words(position: AnyPosition, players: tuple[Player, Player], doing: str) -> str:
    """Whose turn it is, to whoever sits there, and what a computer is ``doing`` about it, if anything."""
    if isinstance(players[position.turn], Human):
        return "Your turn" if person_side(players) is not None else describe_turn(position)
    name = player_name(players, position.turn, position.game)
    if person_side(players) is None:
        name = f"{name} ({position.game.side_name(position.turn)})"
    return f"{name} is {doing}…" if doing else f"{name} is to move"


def end_words(position: AnyPosition, players: tuple[Player, Player], last: Ply | None) -> str:
    """Who won and why, to whoever sits there; the game must be over by the ``last`` move."""
    person, outcome = person_side(players), position.outcome
    given = last is not None and not last.by  # nobody at the board has won or lost by it
    if person is None or given or outcome is None or outcome.winner is None:
        return describe_outcome(position)
    if outcome.winner != person:
        # The reason is what the winner did.
        return f"You lost. {describe_outcome(position)}"
    return f"You won: {outcome.reason}" if outcome.reason else "You won"


def forfeit_words(position: AnyPosition, players: tuple[Player, Player], forfeit: Forfeit) -> str:
    """Who lost without a losing move, to whoever sits there; the forfeit has the reason."""
    if person_side(players) is forfeit.side.other:
        return f"You won: {player_name(players, forfeit.side, position.game)} failed"
    return f"{position.game.side_name(forfeit.side)} loses: its player failed"


def proposal(snapshot: Snapshot) -> str:
    """What a search for a suggestion proposes, in one sentence or two."""
    stats = snapshot.stats_of(snapshot.best_move)
    if stats is None:
        return told("no hint")
    move = describe_move(stats.move)
    if snapshot.proven is Value.LOSS:
        lasting = snapshot.resistance
        longest = () if lasting is None else lasting.longest
        exact = lasting is not None and lasting.exact
        told_of_it = resistance_sentence(stats.move, longest, len(snapshot.moves), exact=exact)
        return f"{told('hint', move=move)} {told('every move loses')}{told_of_it}"
    if stats.proven is not None:
        return told("hint proven", move=move, result=stats.proof)
    if snapshot.counted != "visits":
        return told("hint open", move=move)
    share = snapshot.share(stats)
    mean = "" if stats.mean_value is None else f", expected score {stats.mean_value:.2f}"
    return told("hint likely", move=move, percent=f"{share:{'.0%' if share >= 0.1 else '.1%'}}", mean=mean)


def known_words(game: GameInProgress) -> str:
    """What the computer knew of the last move on the board, where it is a proof or a reason of its own; else ""."""
    ply = game.plies[game.cursor - 1] if game.cursor else None
    snapshot = None if ply is None else ply.snapshot
    if ply is None or snapshot is None or ply.by in ("", Human().title):
        return ""
    stats = snapshot.stats_of(ply.move)
    if stats is not None and snapshot.proven is not None and stats.proven is snapshot.proven:
        return told("has proven", who=ply.by, result=result_words(snapshot.proven, snapshot.distance))
    if snapshot.counted == "nodes":
        return ""
    favourite = max(snapshot.moves, key=lambda each: each.visits, default=None)
    seen = snapshot.counted == "visits" and favourite is not None and favourite.move == ply.move
    return "" if seen else snapshot.comment


def by_words(ply: Ply, side: Side, game: GameInProgress) -> str:
    """Who played this move of ``side``, by the name that the cards have; "" for a move given with the start."""
    if ply.by != Human().title:
        return ply.by
    return "You" if person_side(game.players) is not None else game.game.side_name(side)


def chosen_words(ply: Ply) -> str:
    """What the search of a computer thought of the move that it played: "78%", "wins in 9", "forced" where no other
    move was left; "" for a person's move.
    """
    snapshot = ply.snapshot
    stats = None if snapshot is None or ply.by == Human().title else snapshot.stats_of(ply.move)
    if snapshot is None or stats is None:
        return ""
    if stats.proven is not None:
        return stats.proof
    if snapshot.stopped is StopReason.DECIDED:
        return "forced"
    if snapshot.trace is None:
        return ""
    share = snapshot.share(stats)
    return f"{share:.0%}" if share >= 0.005 or not stats.visits else "<1%"


def shown_title(game: GameInProgress, number: int, *, here: bool) -> str:
    """What to call the search kept with the move of this number: one of the board (``here``), or an earlier one."""
    ply = game.plies[number - 1]
    side = game.game.side_name(Side((number - 1) % 2))
    if ply.by == Human().title:
        return f"Hint for move {number}, {side}"
    if here or not ply.by:
        return f"Before move {number}, {side}: {ply.move.text}{f' by {ply.by}' * bool(ply.by)}"
    return f"How {ply.by} chose move {number}, {side}: {ply.move.text}"
