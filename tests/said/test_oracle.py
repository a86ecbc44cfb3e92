"""The oracle against what others know: OpenSpiel's rules played to the end, and published values."""

import ast
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import oracle
import pytest
from oracle import DRAW, LOSS, WIN, Worth, known
from positions import random_position

pyspiel = pytest.importorskip("pyspiel")

GAMES = [
    ("nim:1,3,5,7", {"short_name": "nim", "pile_sizes": "1;3;5;7", "is_misere": False}),
    ("nim:3,4,5:misere", {"short_name": "nim", "pile_sizes": "3;4;5", "is_misere": True}),
    ("mnk:3,3,3", {"short_name": "tic_tac_toe"}),
    ("mnk:4,3,3", {"short_name": "mnk", "m": 4, "n": 3, "k": 3}),
    ("mnk:4,4,3:gravity", {"short_name": "connect_four", "columns": 4, "rows": 4, "x_in_row": 3}),
]


def text_of(rows: int, filled: dict[str, int], name: str) -> str:
    """What we call a move of OpenSpiel's: its rows are counted from the top, a drop is a column."""
    if pile := re.fullmatch(r"pile:(\d+), take:(\d+);", name):
        return f"{pile[1]}-{pile[2]}"
    if cell := re.fullmatch(r"[xo]\((\d+),(\d+)\)", name):
        return f"{'abcdefg'[int(cell[2])]}{rows - int(cell[1])}"
    column = "abcdefg"[int(name[1:])]
    return f"{column}{filled.get(column, 0) + 1}"


@cache
def loaded(game: str) -> Any:
    parameters = dict(next(theirs for ours, theirs in GAMES if ours == game))
    return pyspiel.load_game(parameters.pop("short_name"), parameters)


def worth(state: Any, seen: dict[str, Worth] | None = None) -> Worth:
    """By OpenSpiel's moves and returns alone, for the side to move or that would be."""
    seen = {} if seen is None else seen
    key = f"{state} {state.move_number() % 2}"
    if key not in seen:
        if state.is_terminal():
            score = state.returns()[state.move_number() % 2]
            seen[key] = Worth({1: WIN, 0: DRAW, -1: LOSS}[score], 0)
        else:
            after = [worth(state.child(action), seen) for action in state.legal_actions()]
            wins = [each.plies for each in after if each.value == LOSS]
            draws = [each.plies for each in after if each.value == DRAW]
            losses = [each.plies for each in after if each.value == WIN]
            value, plies = (WIN, min(wins)) if wins else (DRAW, max(draws)) if draws else (LOSS, max(losses))
            seen[key] = Worth(value, plies + 1)
    return seen[key]


@pytest.mark.parametrize("game", [ours for ours, _ in GAMES])
def test_random_positions_are_worth_what_openspiel_s_rules_say(game: str) -> None:
    chance, seen = random.Random(game), dict[str, Worth]()
    rows = int(game.partition(":")[2][2]) if game.startswith("mnk") else 0
    for _ in range(12):
        text, state, filled = game, loaded(game).new_initial_state(), dict[str, int]()
        for _ in range(chance.randint(4 if game.startswith("mnk:4") else 0, 6)):
            if state.is_terminal():
                break
            action = chance.choice(state.legal_actions())
            move = text_of(rows, filled, state.action_to_string(state.current_player(), action))
            filled[move[0]] = filled.get(move[0], 0) + 1
            state.apply_action(action)
            text += f" {move}"
        here = known(text)
        assert here.worth == worth(state, seen), text
        assert len(here.steps) == len(state.legal_actions() if not state.is_terminal() else ())


@pytest.mark.parametrize(
    ("text", "value", "plies"),
    [
        ("mnk:3,3,3", DRAW, 9),
        ("mnk:4,3,3", WIN, 7),
        ("nim:1,3,5,7", LOSS, 16),
        ("nim:21:max3:misere", LOSS, 11),
        ("take:0.77:9", WIN, None),
        ("take:0.07:8", WIN, None),
        ("take:0.07:9", LOSS, None),  # the values of Dawson's Kayles: 0 0 1 1 2 0 3 1 1 0
        ("take:wythoff:3,5", LOSS, None),
        ("take:wythoff:4,7", LOSS, None),
        ("take:wythoff:4,6", WIN, None),
        ("take:{1,3,4}:7", LOSS, None),
        ("kayles:4,4", LOSS, None),
    ],
)
def test_published_values(text: str, value: str, plies: int | None) -> None:
    here = known(text)
    assert here.worth.value == value
    assert plies is None or here.worth.plies == plies


def test_it_imports_nothing_of_nimdesk() -> None:
    tree = ast.parse(Path(oracle.__file__).read_text(encoding="utf-8"))
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    imported += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in imported if name.startswith(("nimdesk", "solving"))]


def test_boards_are_lost_drawn_and_won() -> None:
    chance = random.Random(7)
    found = [known(random_position(chance, "gravity", number)).worth.value for number in range(30)]
    assert min(map(found.count, (WIN, DRAW, LOSS))) >= 3
