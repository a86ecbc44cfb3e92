"""Text to games and positions: ``nim:21:max3:misere``, ``mnk:7,6,4:gravity d1 d2``."""

from collections.abc import Iterator
from contextlib import contextmanager

from nimdesk.errors import IllegalMoveError, NimdeskError, NotationError
from nimdesk.games.base import AnyPosition, Game, quoted
from nimdesk.games.kit import KITS, find_kit, problems


def notation_help() -> str:
    """What to write for a game, as the end of a sentence."""
    return " or ".join(kit.notation or f"{kit.name}:…" for kit in KITS.values())


def parse_game(text: str) -> Game:
    """The game that ``text`` names, or ``NotationError`` / ``GameParameterError`` with one clear sentence."""
    name, _, parameters = text.strip().partition(":")
    kit = find_kit(name) if parameters else None
    if kit is not None:
        with _one_sentence(name):
            return kit.game_type.parse(parameters)
    if parameters and (problem := problems().get(name)):
        raise NotationError(problem)
    raise NotationError(f"{quoted(text)} does not name a game; write {notation_help()}.")


def parse_position(text: str) -> AnyPosition:
    """The position that ``text`` names: a game, then the moves played, separated by spaces."""
    words = text.split()
    if not words:
        raise NotationError(f"The position is empty; write {notation_help()}, then the moves played.")
    game = parse_game(words[0])
    with _one_sentence(words[0]):
        position = game.start()
        for number, word in enumerate(words[1:], 1):
            try:
                position = position.play(position.parse_move(word))
            except (NotationError, IllegalMoveError) as error:
                raise type(error)(f"Move {number} of {quoted(text.strip())}: {error}") from None
    return position


@contextmanager
def _one_sentence(text: str) -> Iterator[None]:
    """Turn a fault in the rules, which another package may have brought, into an error for a person."""
    try:
        yield
    except NimdeskError:
        raise
    except Exception as error:
        raise NotationError(f"The rules of {quoted(text)} failed: {type(error).__name__}: {error}.") from error
