"""The promises of a game's rules and parts, tried out, for the games of other packages and in nimdesk's own tests.

What is tried: texts that round-trip, positions that are values, moves that are legal and lead on, outcomes that come
exactly when no move is left, games that end, and what each optional part returns. ``fault_of`` has in words what does
not hold. What cannot be tried: rules that do something else later, or never return.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from numbers import Integral, Real
from random import Random
from typing import Any

from nimdesk.errors import GameParameterError, NimdeskError
from nimdesk.faults import fault_words, one_line
from nimdesk.games.base import MOST_PLIES, AnyPosition, Game, Move, Outcome, Position, Side
from nimdesk.games.kit import GameKit, Preset
from nimdesk.games.truth import Published, Truth
from nimdesk.games.twin import KernelTwin
from nimdesk.limit import Limit

MOST_MOVES = 5_000
LONGEST_MOVE = 16
"""Letters of a move in notation, as saved games allow."""
LONGEST_GAME = 200
_TRIED_MOVES = 24
_LONGEST_WORDS = 2_000
_NAME = r"[^\W_][\w-]{0,39}"
_LONGEST_TEXT = 200
_MOST_PRESETS = 50
_NONSENSE = ("", "?", "-1", "x,y", "999999999999999999999")
_NO_FUNCTIONS = ("name", "game_type", "notation", "presets", "twin", "usual", "board")


class BrokenPromiseError(Exception):
    """What a game does not keep, as a clause."""


def demand(kept: bool, broken: str) -> None:
    """Unless the promise is kept, ``BrokenPromiseError`` with this clause."""
    if not kept:
        raise BrokenPromiseError(broken)


def fault_of(check: Callable[[], object]) -> str:
    """What goes wrong in a check, as a clause; "" if nothing does. Ctrl-C is no fault."""
    try:
        check()
    except KeyboardInterrupt:
        raise
    except (BrokenPromiseError, NimdeskError) as error:
        return one_line(error, longest=300).rstrip(".")
    except BaseException as error:
        return fault_words(error)
    return ""


def made_kit(name: str, reference: str) -> GameKit:
    """The kit of the game that ``module:attribute`` refers to.

    ``GameParameterError``, or whatever the package raises, if that is none of this name.
    """
    module, _, attribute = reference.partition(":")
    found: Any = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, Game):
        found = GameKit(name, found)
    if not isinstance(found, GameKit):
        raise GameParameterError(f"“{reference}” is neither a subclass of Game nor a GameKit")
    if found.name != name:
        raise GameParameterError(f"the game is called “{one_line(found.name)}”, but its entry point is not")
    if not re.fullmatch(_NAME, name):
        raise GameParameterError("the name of a game is made of letters, digits, - and _")
    for text in (found.notation, found.board):
        if not _is_line(text):
            raise GameParameterError("its notation and its board must be lines of text")
    optional = (field.name for field in fields(GameKit) if field.name not in _NO_FUNCTIONS)
    if not all(made is None or callable(made) for made in (getattr(found, name) for name in optional)):
        raise GameParameterError("its parts must be functions")
    if not isinstance(found.twin, KernelTwin):
        raise GameParameterError("its twin must be a KernelTwin")
    if not isinstance(found.presets, tuple) or len(found.presets) > _MOST_PRESETS:
        raise GameParameterError(f"its presets must be a tuple of at most {_MOST_PRESETS} Preset")
    for preset in found.presets:
        if not isinstance(preset, Preset) or type(preset.game) is not found.game_type:
            raise GameParameterError("its presets must be a tuple of Preset, each with a game of this kind")
        if not (_is_line(preset.name) and _is_line(preset.about)):
            raise GameParameterError("the names of its presets, and what is said about them, must be lines of text")
        preset.game.start()
    return found


def _is_line(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST_TEXT and text.isprintable()


def check_game(game: Game, name: str, parse: Callable[[str], Game], *, seconds: float, games: int = 1) -> None:
    """Try the game, whose notation begins with ``name``, and at random as many games of it as time allows."""
    _check_words(game, name)
    again = parse(game.text.partition(":")[2])
    demand(again == game and hash(again) == hash(game) and again.text == game.text, "its notation reads otherwise")
    until = time.process_time() + seconds
    for seed in range(games):
        _play_out(game, Random(seed), until)
    _check_end(game)
    _check_refusal(parse, "parse", NimdeskError, ValueError)
    _check_refusal(game.start().parse_move, "parse_move", NimdeskError)


def _check_refusal(read: Callable[[str], object], name: str, *allowed: type[Exception]) -> None:
    """What a person may type is refused in a sentence, if it is."""
    for text in _NONSENSE:
        try:
            read(text)
        except allowed:
            continue
        except Exception as error:
            raise BrokenPromiseError(f"{name}({text!r}) raises no NotationError: {fault_words(error)}") from error


def _check_end(game: Game) -> None:
    """A game at random, played without looking at anything, has an end."""
    chance, position = Random(1), game.start()
    for _ in range(MOST_PLIES):
        if position.outcome is not None:
            return
        position = position.play(chance.choice(position.legal_moves))
    raise BrokenPromiseError(f"a game did not end within {MOST_PLIES:,} moves")


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


def check_parts(kit: GameKit, game: Game) -> None:
    """Try what the optional parts of the kit return at the start of this game; not those that take long."""
    start = game.start()
    for part, (argument, kept, broken) in _PARTS.items():
        if (made := getattr(kit, part)) is not None:
            returned = made(game if argument == "game" else start)
            sound = kept(returned, start)
            demand(sound, f"{part} returned {one_line(returned, repr, longest=60)}, which is {broken}")
    if kit.board:
        module, _, attribute = kit.board.partition(":")
        demand(bool(attribute) and find_spec(module) is not None, f"there is no board “{kit.board}”")
    for view, turn in kit.views(game) if kit.views is not None else ():
        legal = view.start().legal_moves
        for move in start.legal_moves[:_TRIED_MOVES]:
            demand(turn(move) in legal, f"a view turned {move.text} into no move of its game")


def check_solver(kit: GameKit, game: Game) -> None:
    """Try the solver at the start of this game, for a moment; it may load numba, and compile."""
    if kit.new_solver is None:
        return
    start, solver = game.start(), kit.new_solver(distances=True)
    solver.start(start)
    solver.advance(Limit(time_s=0.1))
    truth = solver.truth()
    sound = isinstance(truth, Truth) and truth.position == start
    sound = sound and tuple(each.move for each in truth.moves) == start.legal_moves
    demand(sound, "the truth of its solver is no Truth of the position and its legal moves")


def _are_preferences(returned: Any, start: AnyPosition) -> bool:
    numbers = isinstance(returned, tuple) and all(isinstance(each, Real) and each == each for each in returned)
    return numbers and len(returned) == len(start.legal_moves)


def _is_group(returned: Any, _start: object) -> bool:
    name, value = returned if isinstance(returned, tuple) and len(returned) == 2 else (None, None)
    return isinstance(name, str) and isinstance(value, Integral)


def _are_views(returned: Any, start: AnyPosition) -> bool:
    return (
        isinstance(returned, tuple)
        and len(returned) > 0
        and all(isinstance(view, tuple) and len(view) == 2 and callable(view[1]) for view in returned)
        and all(type(game) is type(start.game) for game, _turn in returned)
    )


def _of(kind: Any) -> Callable[[Any, object], bool]:
    return lambda returned, _start: isinstance(returned, kind)


_PARTS: dict[str, tuple[str, Callable[[Any, AnyPosition], bool], str]] = {
    "by_formula": ("position", _of(bool), "neither True nor False"),
    "solver_pace": ("game", _of(Integral), "no whole number"),
    "published": ("game", _of(Published | None), "neither Published nor None"),
    "fewest_nodes": ("position", _of(Real), "no number"),
    "preferences": ("position", _are_preferences, "no number for each legal move"),
    "group": ("game", _is_group, "no name with a whole number"),
    "views": ("game", _are_views, "no tuple of games and functions"),
}
"""Parts that answer at once: what they are asked about, whether they keep their promise, and what it is if not."""
