"""Proven values in words, for the window, the command line and screen readers."""

from nimdesk.games.truth import MoveTruth, Truth, Value


def value_words(value: Value, distance: int | None) -> str:
    """Such as "win in 5", "draw", "loss in 8", "unknown"; a distance is in plies."""
    if value in (Value.WIN, Value.LOSS) and distance is not None:
        return f"{value.value} in {distance}"
    return value.value


def truth_sentence(truth: Truth) -> str:
    """The value of the position as one sentence, such as "X can win in 7 plies, with b2 or c3."."""
    game, side = truth.position.game, truth.position.turn
    mover, opponent = game.side_name(side), game.side_name(side.other)
    within = "" if not truth.distance else f" in {truth.distance} {'ply' if truth.distance == 1 else 'plies'}"
    if not truth.moves:
        return ""
    if truth.value is Value.UNKNOWN:
        return "What this position is worth is not proven."
    if truth.value is Value.LOSS:
        return f"{opponent} can win{within}, whatever {mover} plays."
    best = _listed(truth)
    if truth.value is Value.WIN:
        return f"{mover} can win{within}, with {best}."
    return f"A draw if both play well; {mover} holds it with {best}."


def kept_value(before: Truth, played: MoveTruth) -> str:
    """Whether a move kept the value of the position it was played in, as one sentence; "" where that is not known."""
    if Value.UNKNOWN in (before.value, played.value):
        return ""
    if played.value is before.value:
        return {
            Value.WIN: f"{played.move.text} keeps the win.",
            Value.DRAW: f"{played.move.text} keeps the draw.",
            Value.LOSS: f"{played.move.text} loses, as every move here did.",
        }[before.value]
    return f"{played.move.text} turned a {before.value.value} into a {played.value.value}; {_listed(before)} kept it."


def _listed(truth: Truth) -> str:
    texts = [move.text for move in truth.best_moves]
    if len(texts) == len(truth.moves) and len(texts) > 1:
        return "any move"
    if len(texts) > 6:
        return f"{', '.join(texts[:5])} or {len(texts) - 5} others"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
