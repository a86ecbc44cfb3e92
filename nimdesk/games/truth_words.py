"""What is proven, in words: the sentences that the window, the terminal, files and screen readers share.

Each sentence is made from a template of ``TEMPLATES``, so that whoever reads sentences, as a test does that compares
them with the truth, reads them by the same templates. Nothing here works out a value: all of it comes from a ``Truth``.
"""

from __future__ import annotations

from collections.abc import Sequence

from nimdesk.games.base import AnyPosition, Move, describe_move
from nimdesk.games.truth import ForcedWin, MoveTruth, Threats, Truth, Value

TEMPLATES = {
    # The truth of a position.
    "wins at once": "{side} wins at once with {moves}{slower}.",
    "can win": "{side} can win in {plies}, with {moves}{slower}{forced}.",
    "wins": "{side} can win, with {moves}.",
    "wins by threats": "{side} wins in {plies} by {threats}, beginning with {move}.",
    "lost": "{other} can win{within}, whatever {side} plays{longest}.",
    "draw": "A draw if both play well; {side} holds it with {moves}.",
    "unknown": "What this position is worth is not proven.",
    "threatened": "{other} threatens to win in {plies} by {threats}, beginning with {move}; {parries}.",
    "threatened at once": "{other} threatens to complete a row; {parries}.",
    "no threats": "Neither side is found to win by threats.",
    # How a win by threats goes on.
    "four": "{number} of {plies}: {move} threatens to complete a row; the only answer is {answers}.",
    "three": "{number} of {plies}: {move} threatens to win by fours, also after {answers}.",
    "no answer": "{number} of {plies}: {move} threatens to complete a row, and no answer stops it.",
    "answered": "{number} of {plies}: {side} answers with {move}.",
    "threats win": "{number} of {plies}: {move} wins.",
    # How it is known.
    "completes": "{side} wins in 1 ply: one mark completes a line.",
    "found won": "{side} wins{soon}: {how}.",
    "found drawn": "A draw with best play: {how}.",
    "found by threats": "{side} wins by threats: each answer to each of them was tried.",
    "nobody": "Nobody can win: every line is blocked.",
    "not found": "Not proven within the budget: {positions} searched.",
    "looked at": "Proven by looking at {positions}.",
    # What a move did.
    "kept": "{move} keeps the {value}.",
    "kept slowly": "{move} keeps the win, in {plies}; {moves} would win in {fewer}.",
    "missed at once": "{move} keeps the win, in {plies}; {moves} would win at once.",
    "lost anyway": "{move} loses, as every move here did.",
    "turned": "{move} turned a {before} into a {after}; {moves} kept it.",
    "thrown": "{move} threw away the {before}: {best}{others} kept it. Now it is a {after}.",
    "as searched": "{move} is what the search would have played.",
    "as good": "{move} is about as good as anything, by an estimate.",
    "missed": "{move} missed a win by {threats} in {plies}, beginning with {first}.",
    "not parried": "{move} did not parry the threats: {other} wins in {plies} by {threats}, beginning with {first}; "
    "after {moves} no win by threats is found.",
    "not stopped": "{move} did not stop {first}, which completes a row; after {moves} no win by threats is found.",
    "cost": "{move} gave away about {lost} of a point, by an estimate: {side} could expect {score} with {best}, and "
    "{left} after {move}.",
    # What a game did.
    "decided": "The game was decided at move {number}, {move}.",
    "decided about": "The game was decided about move {number}, {move}, by the estimates.",
    "opening decided": "The game was decided at move {number}, {move}, of the given opening.",
    "opening decided about": "The game was decided about move {number}, {move}, of the given opening, as estimated.",
    "had a win": "{who} had a win until {moved}.",
    "even": "It was even until {moved}.",
    "hoped": "{who} could still expect {score} before {moved}, as far as can be told.",
    "lost from the start": "{who} {were} lost from the start: against perfect play nothing would have helped.",
    "nothing played": "No move was made.",
    "nothing given": "{count}, and none of them gave anything away.",
    "little given": "{count}, and none of them gave away much, as far as can be told.",
    "given": "{count}, of which {bad} gave something away ({how}).",
    # What a search has proven.
    "proven": "Proven after {simulations}: with best play the side to move {result}.",
    "without a visit": "One of them found the proof complete and visited no move.",
    "longest": "{move} holds out longest{hedge}.",
    "as long": "{move} is one of {count} moves that hold out longest{hedge}.",
    "has proven": "{who} has proven that it {result}.",
    "every move loses": "Every move loses.",
    "not yet": "{open} yet.",
    "time was up": "Time was up and {open}; {move} is proven to be a {value} at least.",
    "time was up with nothing": "Time was up and {open}; nothing is proven of {move}.",
    "depth": "Depth {depth}{next}: {move}, {found}; {nodes}.",
    "first depth": "Depth 1 is under way; {nodes}.",
    "best value": "Best value{so_far}: {found}; {nodes}.",
    "no value": "No value yet; {nodes}.",
    "root": "Value of the root: {number}, {found}; {nodes}.",
    "nodes": "{nodes} so far.",
    # What a search would play.
    "at once": "It wins at once.",
    "stops": "It stops {move}, which would win at once.",
    "slips": "On purpose not {first}: this level may slip.",
    "natural": "The natural move on an empty board, since none is proven better; the search's first was {first}.",
    "lively": "Chosen at random among {count} near-equals; the search's first was {first}.",
    "chosen early": "{who} preferred {move} after {count} simulations; after {more} it would prefer {leader}.",
    "hint": "Hint: {move}.",
    "hint proven": "Hint: {move} (proven: it {result}).",
    "hint open": "Hint: {move} (nothing is proven of it).",
    "hint likely": "Hint: {move} ({percent} of the simulations{mean}; not proven).",
    "no hint": "The search ended before it could propose a move.",
    "would play": "{who} would play {move}{share}{changes}.",
    "all lose": "Every move loses here, so none is wrong.",
    "optimal": "The leader is optimal.",
    "mistake": "That is a mistake ({worth}): {better}.",
    "prefers": "The search prefers {move}{share}; {theory}.",
    # What is proven of moves.
    "winning": "{what}: {known}.",
    "none wins": "No move wins.",
    "none is proven to win": "No move is proven to win.",
    "every move draws": "Every move draws.",
    # What a game is worth.
    "score": "Expected score for {who}: {score}, {kind}",
    "score there": "{what}: expected score for {who} {score} ({kind})",
}
"""The sentences by their names here; ``{moves}`` are as ``listed`` has them, ``{plies}`` as ``plies_words``."""
CLAUSES = {
    "fours": "fours",
    "fours and threes": "fours and threes",
    "by threats": "; {move} begins a win by {threats}",
    "only": "only {moves} {leave} it no win by threats",
    "parries": "{count} of {all} moves leave it no win by threats",
    "none": "every move leaves it a win by threats",
    "within": " in {plies}",
    "slower": "; {moves} {win}{how}",
    "many slower": "; {count} other moves win{how}",
    "longest": "; {moves} {hold} out longest",
    "many longest": "; {count} of its {all} moves hold out longest",
    "others": " (or {count} other {moves})",
    "open": "{count} of {all} moves {are} not worked out",
    "undecided": "undecided within {ahead}",
    "proven draw": "proven draw",
    "proven win": "proven win for {side} in {depth}",
    "win": "win for {side}",
    "first proven": "{move}, which {result}",
    "first": "{move}, with {percent} of {count} simulations",
    "holds the draw": "{move} holds the draw",
    "can win after": "after {move} {side} can win{within}",
    "nothing is proven": "nothing is proven of that move",
    "theory agrees": "theory agrees, because {why}",
    "theory loses": "theory says every move loses, because {why}",
    "theory differs": "theory says {best}, because {why}, while {other}",
}
"""What these sentences are made of, by names."""
HEDGE = ", as far as proven"
"""What a search adds to a claim on distances, which it has not compared with all that it left out."""
_VERBS = {Value.WIN: "wins", Value.DRAW: "draws", Value.LOSS: "loses"}
_MOST_NAMED = 3
_SOON = 3
"""A threat wins in so many plies where no answer stops it."""
_MOST_LISTED = 6


def told(name: str, **parts: object) -> str:
    """The sentence with this name."""
    return TEMPLATES[name].format(**parts)


def clause(name: str, **parts: object) -> str:
    """The part of a sentence with this name."""
    return CLAUSES[name].format(**parts)


def plies_words(plies: int) -> str:
    """Such as "1 ply" or "7 plies"."""
    return "1 ply" if plies == 1 else f"{plies} plies"


def within_words(plies: int | None) -> str:
    """Such as " in 7 plies", to follow a word; "" where it is unknown."""
    return "" if plies is None else clause("within", plies=plies_words(plies))


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
        return danger_sentence(truth.position, truth.threats) or told("unknown")
    if truth.value is Value.LOSS:
        within = within_words(truth.distance)
        return told("lost", other=other, side=side, within=within, longest=_longest_words(truth))
    if truth.value is Value.DRAW:
        return told("draw", side=side, moves=listed(truth.best_moves, count))
    quickest = truth.quickest_moves
    if truth.forced is not None and truth.distance is None:
        return win_sentence(truth.position, truth.forced)
    if truth.distance is None or not quickest:
        return told("wins", side=side, moves=listed(truth.best_moves, count))
    moves, slower = listed(quickest, count), _slower_words(truth)
    if truth.distance == 1:
        return told("wins at once", side=side, moves=moves, slower=slower)
    win, forced = truth.forced, ""
    if win is not None:
        forced = clause("by threats", move=win.start.move.text, threats=threats_words(win))
    return told("can win", side=side, plies=plies_words(truth.distance), moves=moves, slower=slower, forced=forced)


def win_sentence(position: AnyPosition, win: ForcedWin) -> str:
    """That a side wins by threats, and how, as one sentence."""
    side, plies = position.game.side_name(win.side), plies_words(win.plies)
    return told("wins by threats", side=side, plies=plies, threats=threats_words(win), move=win.start.move.text)


def danger_sentence(position: AnyPosition, threats: Threats | None) -> str:
    """What the side to move is threatened with, and which moves refute it, as one sentence; "" without a danger."""
    if threats is None or threats.danger is None:
        return ""
    win, parries = threats.danger, threats.parries
    if not parries:
        how = clause("none")
    elif len(parries) > _MOST_LISTED:
        how = clause("parries", count=len(parries), all=len(position.legal_moves))
    else:
        how = clause("only", moves=_and(parries), leave="leaves" if len(parries) == 1 else "leave")
    other = position.game.side_name(win.side)
    if win.plies == 1:
        return told("threatened at once", other=other, parries=how)
    plies, move = plies_words(win.plies), win.start.move.text
    return told("threatened", other=other, plies=plies, threats=threats_words(win), move=move, parries=how)


def unparried_sentence(position: AnyPosition, move: Move, win: ForcedWin, parries: Sequence[Move]) -> str:
    """That a move left the other side this win by threats, and which moves are not found to do so, as one sentence."""
    first, moves = win.start.move.text, listed(parries, len(position.legal_moves))
    if win.plies == 1:
        return told("not stopped", move=move.text, first=first, moves=moves)
    other, plies = position.game.side_name(win.side), plies_words(win.plies)
    said = {"other": other, "plies": plies, "threats": threats_words(win), "first": first}
    return told("not parried", move=move.text, moves=moves, **said)


def threats_words(win: ForcedWin) -> str:
    """By what it is won: "fours", or "fours and threes"."""
    return clause("fours" if win.by_fours else "fours and threes")


def step_sentence(position: AnyPosition, win: ForcedWin, step: int) -> str:
    """What the move with this number does in the line of a win by threats, from 1 on, as one sentence."""
    steps = win.steps()
    threat, move = steps[step - 1]
    said = {"number": step, "plies": len(steps), "move": move.text}
    if not threat.answers:
        return told("threats win", **said)
    if move != threat.move:
        return told("answered", side=position.game.side_name(win.side.other), **said)
    answers = listed([answer for answer, _ in threat.answers], 0)
    if threat.plies == _SOON:
        return told("no answer", **said)
    four = threat.otherwise is not None and not threat.otherwise.answers
    return told("four" if four else "three", answers=answers, **said)


def _slower_words(truth: Truth) -> str:
    """Which other moves win, as the end of a sentence on the quickest; "" without any."""
    quickest = truth.quickest_moves
    rest = [each for each in truth.moves if each.value is Value.WIN and each.move not in quickest]
    if not rest:
        return ""
    how = " more slowly" if all(each.distance is not None for each in rest) else ""
    if len(rest) > _MOST_NAMED:
        return clause("many slower", count=len(rest), how=how)
    moves, win = _and([each.move for each in rest]), "wins" if len(rest) == 1 else "win"
    return clause("slower", moves=moves, win=win, how=how or " as well")


def _longest_words(truth: Truth) -> str:
    """Which moves of a lost position hold out longest, as the end of a sentence; "" where all do, or none is known."""
    longest = truth.quickest_moves
    if not longest or len(longest) == len(truth.moves):
        return ""
    if len(longest) > _MOST_NAMED:
        return clause("many longest", count=len(longest), all=len(truth.moves))
    return clause("longest", moves=_and(longest), hold="holds" if len(longest) == 1 else "hold")


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
        others=clause("others", count=f"{more:,}", moves="move" if more == 1 else "moves") if more > 0 else "",
    )


def proof_sentence(value: Value, simulations: int, without_visit: int) -> str:
    """That a search proved its position, and after how many simulations; ``value`` is for the side to move."""
    count = f"{simulations:,} {'simulation' if simulations == 1 else 'simulations'}"
    proven = told("proven", simulations=count, result=result_words(value))
    return f"{proven} {told('without a visit')}" if without_visit else proven


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
