"""Text to games and positions: ``nim:21:max3:misere``, ``mnk:7,6,4:gravity d1 d2``."""

import re

from nimdesk.errors import GameParameterError, IllegalMoveError, NotationError
from nimdesk.games.base import AnyPosition, Game, quoted
from nimdesk.games.mnk.rules import MAX_SIZE, MnkGame
from nimdesk.games.nim.rules import MAX_PILE, NimGame

NOTATION_HELP = (
    "nim:1,3,5,7 (piles; add :max3 for a largest take, :misere for misère play) or "
    "mnk:3,3,3 (columns, rows, in a row; add :gravity for dropping)"
)


def parse_game(text: str) -> Game:
    """The game that ``text`` names, or ``NotationError`` / ``GameParameterError`` with one clear sentence."""
    kind, _, rest = text.strip().partition(":")
    parts = rest.split(":")
    if kind == "nim" and rest:
        return _parse_nim(text, parts)
    if kind == "mnk" and rest:
        return _parse_mnk(text, parts)
    raise NotationError(f"{quoted(text)} does not name a game; write {NOTATION_HELP}.")


def parse_position(text: str) -> AnyPosition:
    """The position that ``text`` names: a game, then the moves played, separated by spaces."""
    words = text.split()
    if not words:
        raise NotationError(f"The position is empty; write {NOTATION_HELP}, then the moves played.")
    position = parse_game(words[0]).start()
    for number, word in enumerate(words[1:], 1):
        try:
            position = position.play(position.parse_move(word))
        except (NotationError, IllegalMoveError) as error:
            raise type(error)(f"Move {number} of {quoted(text.strip())}: {error}") from None
    return position


def _parse_nim(text: str, parts: list[str]) -> NimGame:
    piles = _numbers(text, parts[0], f"the pile sizes, each 1 to {MAX_PILE}, like 1,3,5,7")
    max_take: int | None = None
    misere = False
    for flag in parts[1:]:
        if flag == "misere" and not misere:
            misere = True
        elif (match := re.fullmatch(r"max(-?[0-9]{1,9})", flag)) and max_take is None:
            max_take = int(match[1])
        else:
            raise NotationError(
                f"{quoted(f':{flag}')} in {quoted(text)} is not understood; :max3 and :misere may follow the piles."
            )
    return NimGame(piles, max_take, misere)


def _parse_mnk(text: str, parts: list[str]) -> MnkGame:
    sizes = _numbers(text, parts[0], f"columns and rows, each 1 to {MAX_SIZE}, and how many in a row, like 3,3,3")
    if len(sizes) != 3:
        raise GameParameterError(
            f"{quoted(text)} gives {len(sizes)} number{'s' * (len(sizes) != 1)}; "
            "an m,n,k game needs three, like mnk:3,3,3."
        )
    if parts[1:] not in ([], ["gravity"]):
        raise NotationError(
            f"{quoted(':'.join(['', *parts[1:]]))} in {quoted(text)} is not understood; only :gravity may follow."
        )
    return MnkGame(*sizes, gravity=bool(parts[1:]))


def _numbers(text: str, part: str, wanted: str) -> tuple[int, ...]:
    if not re.fullmatch(r"-?[0-9]+(,-?[0-9]+)*", part):
        raise NotationError(f"{quoted(part)} in {quoted(text)} is not understood; give {wanted}.")
    numbers = part.split(",")
    # Nine digits are more than any bound allows and keep int() quick on pasted nonsense.
    if huge := next((number for number in numbers if len(number) > 9), None):
        raise GameParameterError(f"The number {quoted(huge)} has too many digits; give {wanted}.")
    return tuple(map(int, numbers))
