"""The promises of a game's rules, tried out: for the games of other packages, which run within nimdesk.

What is tried: texts that round-trip, positions that are values, moves that are legal and lead on, outcomes that come
exactly when no move is left, games that end. What cannot be held: rules that do something else later, never return from
a call, take all memory or end the process. Those of a package are tried in a process of their own before they are
loaded here (``nimdesk.games.plugin_check``), which finds what happens at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nimdesk.errors import NimdeskError, RulesError, quoted
from nimdesk.faults import fault_words, one_line
from nimdesk.games.base import AnyPosition, Game, Move, Outcome, Position, Side

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

MOST_PLIES = 10_000
"""A game that goes on for longer has no end; saved games have as many moves at most."""
MOST_MOVES = 5_000
LONGEST_MOVE = 16
"""Letters of a move in notation, as saved games allow."""
LONGEST_GAME = 200
_TRIED_MOVES = 24
_LONGEST_WORDS = 2_000


class _BrokenPromiseError(Exception):
    """What the rules do not keep, as a clause."""


def demand(kept: bool, broken: str) -> None:
    """Within ``rules_of``: unless the promise is kept, fail with this clause."""
    if not kept:
        raise _BrokenPromiseError(broken)


def demand_result(part: str, kept: bool, returned: object, broken: str) -> None:
    """As ``demand``, of what ``part`` returned, which else is ``broken``."""
    demand(kept, f"{part} returned {one_line(returned, repr, longest=60)}, which is {broken}")


@contextmanager
def rules_of(game: str, what: str = "The rules") -> Iterator[None]:
    """Whatever goes wrong in the rules of this game, or ``what`` of it, becomes a ``RulesError`` for a person.

    Other sentences stay, and so does Ctrl-C.
    """
    try:
        yield
    except (NimdeskError, KeyboardInterrupt):
        raise
    except BaseException as error:
        why = str(error) if isinstance(error, _BrokenPromiseError) else fault_words(error)
        raise RulesError(f"{what} of {quoted(game)} failed: {why}.") from error


def endless(game: Game) -> RulesError:
    """For a game that goes on and on."""
    return RulesError(f"The rules of {quoted(game.text)} failed: a game did not end within {MOST_PLIES:,} moves.")


def check_end(game: Game) -> None:
    """Play at random without looking at anything; ``RulesError`` for a game that has no end."""
    from random import Random  # lazy: nimdesk's own games are not tried

    with rules_of(game.text):
        chance, position = Random(1), game.start()
        for _ in range(MOST_PLIES):
            if position.outcome is not None:
                return
            position = position.play(chance.choice(position.legal_moves))
        raise endless(game)


def check_game(game: Game, name: str, parse: Callable[[str], Game], *, seconds: float, games: int = 1) -> None:
    """Try the game, whose notation begins with ``name``, and at random as many games of it as time allows.

    ``RulesError`` says what does not hold.
    """
    with rules_of(one_line(_attribute(game, "text"), longest=60)):
        _check_words(game, name)
        again = parse(game.text.partition(":")[2])
        demand(again == game and hash(again) == hash(game) and again.text == game.text, "its notation reads otherwise")
        from random import Random  # lazy: nimdesk's own games are not tried

        until = time.process_time() + seconds
        for seed in range(games):
            _play_out(game, Random(seed), until)


def check_position(position: AnyPosition) -> None:
    """``RulesError`` unless the position is what the window and the searches rely on."""
    with rules_of(one_line(_attribute(position, "text"), longest=60)):
        _check_position(position)


def _check_words(game: Game, name: str) -> None:
    text = game.text
    demand(
        isinstance(text, str) and 0 < len(text) <= LONGEST_GAME, f"its notation has more than {LONGEST_GAME} letters"
    )
    demand(text.isprintable() and not any(letter.isspace() for letter in text), "its notation has spaces")
    demand(text.startswith(f"{name}:"), f"its notation does not begin with “{name}:”")
    names = [game.side_name(side) for side in Side]
    for words in (game.title, game.rules_text, game.hint, *names):
        demand(isinstance(words, str) and len(words) <= _LONGEST_WORDS, "its title, rules, hint or sides are no texts")


def _play_out(game: Game, chance: Random, until: float) -> None:
    """A random game from the start; what it says is compared with the same moves played again."""
    start = game.start()
    demand(isinstance(start, Position), "it does not start with a position")
    demand(start.game == game and start.moves == () and start.turn is Side.FIRST, "its start is no start of this game")
    position, line = start, [start]
    _check_position(start)
    while position.outcome is None and time.process_time() < until:
        position = _step(position, chance.choice(position.legal_moves))
        line.append(position)
    again = game.start()
    for before, after in pairwise(line):
        demand(before == again and hash(before) == hash(again), "the same moves lead to different positions")
        again = again.play(again.parse_move(after.moves[-1].text))
    demand(_said(position) == _said(again), "the same moves lead to different positions")


def _step(position: AnyPosition, move: Move) -> AnyPosition:
    said = _said(position)
    after = position.play(move)
    demand(type(after) is type(position), "a move does not lead to a position")
    demand(after.moves == (*position.moves, move), "a position does not know the moves that led to it")
    demand(after.game == position.game and after.turn is position.turn.other, "the turn or the game changes oddly")
    demand(_said(position) == said, "a move changes the position that it is played in")
    demand(after != position, "a move leads back to the same position")
    _check_position(after)
    return after


def _check_position(position: AnyPosition) -> None:
    legal, outcome = position.legal_moves, position.outcome
    demand(
        isinstance(legal, tuple) and all(isinstance(move, Move) for move in legal),
        "its legal moves are no tuple of moves",
    )
    demand(len(legal) <= MOST_MOVES, f"it has {len(legal):,} legal moves, and {MOST_MOVES:,} are the most")
    demand(outcome is None or isinstance(outcome, Outcome), "its outcome is no outcome")
    if outcome is not None:
        sound = outcome.winner is None or isinstance(outcome.winner, Side)
        demand(sound and isinstance(outcome.reason, str), "its outcome does not say who won and why")
    demand(bool(legal) == (outcome is None), "it has an outcome and legal moves, or neither")
    texts = {_move_text(move) for move in legal}
    demand(len(texts) == len(set(legal)) == len(legal), "two of its legal moves are the same, or are written so")
    for move in legal[:: max(1, len(legal) // _TRIED_MOVES)]:
        demand(position.parse_move(move.text) == move, f"it does not understand its own move {one_line(move.text)}")
    hash(position)
    demand(position == position, "it is not equal to itself")
    summary, rows = position.summary, position.rows
    demand(isinstance(summary, str), "its summary is no text")
    demand(isinstance(rows, tuple) and all(isinstance(row, str) for row in rows), "its rows are no tuple of texts")


def _move_text(move: Move) -> str:
    text = move.text
    good = isinstance(text, str) and 0 < len(text) <= LONGEST_MOVE and text.isprintable()
    demand(
        good and not any(letter.isspace() for letter in text),
        f"a move is not written in 1 to {LONGEST_MOVE} letters without spaces",
    )
    demand(isinstance(move.words, str) and len(move.words) <= _LONGEST_WORDS, "the words of a move are no text")
    return text


def _said(position: AnyPosition) -> tuple[object, ...]:
    """What must stay the same."""
    return position.text, hash(position), position.turn, position.legal_moves, position.outcome


def _attribute(thing: object, name: str) -> Any:
    try:
        return getattr(thing, name)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return type(thing).__name__
