"""Whole games as texts to read: tests/games/playthroughs/*.txt shows every position, what is legal, and what is played.

A change of the rules, of the order of moves or of a wording shows as a difference to read. If it is meant, write the
texts anew and look at ``git diff`` before committing them:

    NIMDESK_WRITE_PLAYTHROUGHS=1 uv run pytest tests/games/test_game_playthroughs.py
"""

import os
import textwrap
from pathlib import Path

import pytest

from nimdesk.games import AnyPosition, MnkPosition, NimPosition, Side, parse_position
from nimdesk.games.base import describe_move, describe_turn

FOLDER = Path(__file__).parent / "playthroughs"

PLAYTHROUGHS = {
    "nim-1-3-5-7": "nim:1,3,5,7 4-7 3-4 2-2 1-1 3-1 2-1",
    "nim-3-4-5-misere": "nim:3,4,5:misere 1-2 3-4 2-4 1-1 3-1",
    "nim-21-take-3": "nim:21:max3 1 3 2 2 1 3 3 1 1 3 1",
    "tic-tac-toe-won": "mnk:3,3,3 b2 a3 c3 a1 a2 c1 b3 c2 b1",
    "tic-tac-toe-drawn": "mnk:3,3,3 b2 a1 c1 a3 a2 c2 b1 b3 c3",
    "two-lines-at-once": "mnk:5,4,3 a1 a2 b2 e2 d2 c4 e1 d4 c3",
    "connect-four": "mnk:7,6,4:gravity f a a f c b b b f a f f e a e d a a b c",
    "five-in-a-row": "mnk:9,9,5 e5 e6 f6 d5 d4 g6 c3 b2 g7",
    "one-cell": "mnk:1,1,1 a1",
    "kayles": "take:0.77:5,7 7-2=2+3 3-1=1+1 5-1 4-2=1+1 2-2 1-1 1-1 1-1 1-1",
    "wythoff": "take:wythoff:5,8 8-5 5-1 3,4-2 2-1 1,1-1",
    "sum-misere": "take:{1,3,4}:5+0.77:3:misere 2:3-1=1+1 1:5-4 2:1-1 1:1-1 2:1-1",
}


def drawing(position: AnyPosition) -> list[str]:
    """The board in ASCII: sticks for Nim, the sides' initials for m,n,k, the winning line in brackets; or rows."""
    if isinstance(position, NimPosition):
        return [f"{number:2}  {'|' * size or '-'}" for number, size in enumerate(position.piles, 1)]
    if not isinstance(position, MnkPosition):
        return [row.rstrip() for row in position.rows]
    game, line = position.game, {(move.column, move.row) for move in position.winning_line}
    rows = []
    for row in reversed(range(game.n)):
        cells = []
        for column in range(game.m):
            side = position.mark(column, row)
            mark = "." if side is None else game.side_name(side)[0]
            cells.append(f"({mark})" if (column, row) in line else f" {mark} ")
        rows.append(f"{row + 1:2} {''.join(cells)}".rstrip())
    return [*rows, "   " + "".join(f" {letter} " for letter in "abcdefghijklmnopqrs"[: game.m]).rstrip()]


def playthrough(text: str) -> str:
    """The game that ``text`` spells, told position by position."""
    last = parse_position(text)
    game = last.game
    position: AnyPosition = game.start()
    lines = [game.text, game.title, game.rules_text, ""]
    for move in (*last.moves, None):
        legal = ", ".join(each.text for each in position.legal_moves) or "none"
        lines += [f"Ply {position.ply}: {describe_turn(position)}", *drawing(position)]
        lines += textwrap.wrap(f"Legal: {legal}", 100, subsequent_indent="       ")
        if move is not None:
            lines += [f"Played: {move.text} ({describe_move(move)})", ""]
            position = position.play(move)
    outcome = position.outcome
    assert outcome is not None, "a playthrough goes to the end"
    line = " ".join(move.text for move in getattr(position, "winning_line", ())) or "none"
    scores = ", ".join(f"{game.side_name(side)} {outcome.score(side):g}" for side in Side)
    lines += ["", f"Outcome: {outcome.reason}", f"Score: {scores}", f"Line: {line}", f"Text: {position.text}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough_is_as_written(name: str) -> None:
    path, told = FOLDER / f"{name}.txt", playthrough(PLAYTHROUGHS[name])
    if os.environ.get("NIMDESK_WRITE_PLAYTHROUGHS") == "1":
        path.write_text(told, encoding="utf-8", newline="\n")
    assert told == path.read_text(encoding="utf-8")


def test_every_written_playthrough_is_played() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(PLAYTHROUGHS)
