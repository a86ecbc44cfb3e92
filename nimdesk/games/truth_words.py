"""What is proven, in words: the sentences that the window, the terminal, files and screen readers share.

Each sentence is made from a template of ``TEMPLATES``, so that whoever reads sentences, as a test does that compares
them with the truth, reads them by the same templates. Nothing here works out a value: all of it comes from a ``Truth``.
"""

from __future__ import annotations

from collections.abc import Sequence

from nimdesk.games.base import Move, describe_move
from nimdesk.games.truth import MoveTruth, Truth, Value

TEMPLATES = {
    "wins at once": "{side} wins at once with {moves}{slower}.",
    "can win": "{side} can win in {plies}, with {moves}{slower}.",
    "wins": "{side} can win, with {moves}.",
    "lost": "{other} can win{within}, whatever {side} plays{longest}.",
    "draw": "A draw if both play well; {side} holds it with {moves}.",
    "unknown": "What this position is worth is not proven.",
    "kept": "{move} keeps the {value}.",
    "kept slowly": "{move} keeps the win, in {plies}; {moves} would win in {fewer}.",
    "missed at once": "{move} keeps the win, in {plies}; {moves} would win at once.",
    "lost anyway": "{move} loses, as every move here did.",
    "turned": "{move} turned a {before} into a {after}; {moves} kept it.",
    "thrown": "{move} threw away the {before}: {best}{others} kept it. Now it is a {after}.",
    "proven": "Proven after {simulations}: with best play the side to move {result}.",
    "longest": "{move} holds out longest{hedge}.",
    "as long": "{move} is one of {count} moves that hold out longest{hedge}.",
    "has proven": "{who} has proven that it {result}.",
    "every move loses": "Every move loses.",
}
"""The sentences by their names here; ``{moves}`` are as ``listed`` has them, ``{plies}`` as ``plies_words``."""
HEDGE = ", as far as proven"
"""What a search adds to a claim on distances, which it has not compared with all that it left out."""
_NO_VISIT = " One of them found the proof complete and visited no move."
_VERBS = {Value.WIN: "wins", Value.DRAW: "draws", Value.LOSS: "loses"}
_MOST_NAMED = 3
_MOST_LISTED = 6


def told(name: str, **parts: object) -> str:
    """The sentence with this name."""
    return TEMPLATES[name].format(**parts)


def plies_words(plies: int) -> str:
    """Such as "1 ply" or "7 plies"."""
    return "1 ply" if plies == 1 else f"{plies} plies"


def value_words(value: Value, distance: int | None) -> str:
    """Such as "win in 5", "draw", "loss in 8", "unknown"; the distance is in plies."""
    if value in (Value.WIN, Value.LOSS) and distance is not None:
        return f"{value.value} in {distance}"
    return value.value


def result_words(value: Value, distance: int | None = None) -> str:
    """Such as "wins in 5", "draws" or "loses": what a side does for which the value is."""
    words = value_words(value, distance)
    return words.replace(value.value, _VERBS[value], 1)


def listed(moves: Sequence[Move], of: int) -> str:
    """Such as "a2", "a2 or b3", "a1, a2, a3, b1, b2 or 7 others", or "any move" where these are all of them."""
    texts = [move.text for move in moves]
    if len(texts) == of and of > 1:
        return "any move"
    if len(texts) > _MOST_LISTED:
        return f"{', '.join(texts[:5])} or {len(texts) - 5} others"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def truth_sentence(truth: Truth) -> str:
    """What the position is worth, and with which moves, as one sentence; "" for a finished game.

    Moves stand beside a distance only where that is theirs: those that win more slowly are told as such.
    """
    if not truth.moves:
        return ""
    game, turn = truth.position.game, truth.position.turn
    side, other, count = game.side_name(turn), game.side_name(turn.other), len(truth.moves)
    if truth.value is Value.UNKNOWN:
        return told("unknown")
    if truth.value is Value.LOSS:
        within = "" if truth.distance is None else f" in {plies_words(truth.distance)}"
        return told("lost", other=other, side=side, within=within, longest=_longest_words(truth))
    if truth.value is Value.DRAW:
        return told("draw", side=side, moves=listed(truth.best_moves, count))
    quickest = truth.quickest_moves
    if truth.distance is None or not quickest:
        return told("wins", side=side, moves=listed(truth.best_moves, count))
    moves, slower = listed(quickest, count), _slower_words(truth)
    if truth.distance == 1:
        return told("wins at once", side=side, moves=moves, slower=slower)
    return told("can win", side=side, plies=plies_words(truth.distance), moves=moves, slower=slower)


def _slower_words(truth: Truth) -> str:
    """Which other moves win, as the end of a sentence on the quickest; "" without any."""
    quickest = truth.quickest_moves
    rest = [each for each in truth.moves if each.value is Value.WIN and each.move not in quickest]
    if not rest:
        return ""
    how = " more slowly" if all(each.distance is not None for each in rest) else ""
    if len(rest) > _MOST_NAMED:
        return f"; {len(rest)} other moves win{how}"
    return f"; {_and([each.move for each in rest])} {'wins' if len(rest) == 1 else 'win'}{how or ' as well'}"


def _longest_words(truth: Truth) -> str:
    """Which moves of a lost position hold out longest, as the end of a sentence; "" where all do, or none is known."""
    longest = truth.quickest_moves
    if not longest or len(longest) == len(truth.moves):
        return ""
    if len(longest) > _MOST_NAMED:
        return f"; {len(longest)} of its {len(truth.moves)} moves hold out longest"
    return f"; {_and(longest)} {'holds' if len(longest) == 1 else 'hold'} out longest"


def _and(moves: Sequence[Move]) -> str:
    texts = [move.text for move in moves]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def kept_sentence(before: Truth, played: MoveTruth) -> str:
    """Whether a move kept the value of the position before it; "" if that is unknown."""
    if Value.UNKNOWN in (before.value, played.value):
        return ""
    move, best = played.move.text, before.quickest_moves
    if played.value is not before.value:
        kept = listed(before.best_moves, len(before.moves))
        return told("turned", move=move, before=before.value.value, after=played.value.value, moves=kept)
    if played.value is Value.LOSS:
        return told("lost anyway", move=move)
    if played.value is Value.DRAW or before.distance is None or played.distance in (None, before.distance) or not best:
        return told("kept", move=move, value=played.value.value)
    name = "missed at once" if before.distance == 1 else "kept slowly"
    moves, plies = listed(best, len(before.moves)), plies_words(played.distance or 0)
    return told(name, move=move, plies=plies, moves=moves, fewer=before.distance)


def thrown_sentence(before: Truth, played: MoveTruth) -> str:
    """What a move threw away, and what would have kept it, the quickest first; both values must be known."""
    best, more = before.quickest_moves or before.best_moves, len(before.best_moves) - 1
    return told(
        "thrown",
        move=played.move.text,
        before=before.value.value,
        after=played.value.value,
        best=describe_move(best[0]),
        others=f" (or {more:,} other {'move' if more == 1 else 'moves'})" if more > 0 else "",
    )


def proof_sentence(value: Value, simulations: int, without_visit: int) -> str:
    """That a search proved its position, and after how many simulations; ``value`` is for the side to move."""
    count = f"{simulations:,} {'simulation' if simulations == 1 else 'simulations'}"
    return told("proven", simulations=count, result=result_words(value)) + (_NO_VISIT if without_visit else "")


def resistance_sentence(move: Move, longest: Sequence[Move], moves: int, *, exact: bool) -> str:
    """After a space, that this move of a lost position holds out longest; "" where it does not, or all do so alike.

    ``longest`` are the moves that do, ``moves`` is how many there are; not ``exact`` is as far as proven.
    """
    if move not in longest or len(longest) == moves:
        return ""
    hedge = "" if exact else HEDGE
    if len(longest) == 1:
        return " " + told("longest", move=move.text, hedge=hedge)
    return " " + told("as long", move=move.text, count=len(longest), hedge=hedge)
