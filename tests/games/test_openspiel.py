"""The rules against an independent engine: OpenSpiel, at every ply of thousands of random games.

Actions are matched by what OpenSpiel calls them (``action_to_string``), never by their numbers:

- ``nim``: "pile:2, take:3;", both counted from 1, so move 2-3.
- ``mnk`` and ``tic_tac_toe``: "x(row,column)" with rows counted from 0 at the *top*; the parameters m and n are columns
  and rows as ours are (``test_openspiels_axes_are_what_the_mapping_says`` holds it to that).
- ``connect_four``: "x3" is a drop into the column with index 3.
"""

import random
import re
from typing import Any

import pyspiel
import pytest

from nimdesk.games import AnyPosition, MnkPosition, Side, parse_position

pytestmark = pytest.mark.slow

# (our game, OpenSpiel's name for it, games to play)
PAIRS = [
    ("nim:1,3,5,7", "nim(pile_sizes=1;3;5;7,is_misere=false)", 500),
    ("nim:1,3,5,7:misere", "nim(pile_sizes=1;3;5;7,is_misere=true)", 500),
    ("nim:3,4,5", "nim(pile_sizes=3;4;5,is_misere=false)", 500),
    ("nim:3,4,5:misere", "nim(pile_sizes=3;4;5,is_misere=true)", 500),
    ("nim:21", "nim(pile_sizes=21,is_misere=false)", 150),
    ("nim:1:misere", "nim(pile_sizes=1,is_misere=true)", 5),
    ("nim:1,1,1,1", "nim(pile_sizes=1;1;1;1,is_misere=false)", 100),
    ("nim:2,2,2,2,2,2,2,2,2,2,2,2:misere", "nim(pile_sizes=2;2;2;2;2;2;2;2;2;2;2;2,is_misere=true)", 100),
    ("nim:64,1,33", "nim(pile_sizes=64;1;33,is_misere=false)", 100),
    ("mnk:3,3,3", "tic_tac_toe", 1000),
    ("mnk:3,3,3", "mnk(m=3,n=3,k=3)", 200),
    ("mnk:4,4,4", "mnk(m=4,n=4,k=4)", 150),
    ("mnk:5,5,4", "mnk(m=5,n=5,k=4)", 150),
    ("mnk:6,3,3", "mnk(m=6,n=3,k=3)", 150),
    ("mnk:3,6,4", "mnk(m=3,n=6,k=4)", 150),
    ("mnk:2,7,2", "mnk(m=2,n=7,k=2)", 100),
    ("mnk:7,1,3", "mnk(m=7,n=1,k=3)", 100),
    ("mnk:1,1,1", "mnk(m=1,n=1,k=1)", 5),
    ("mnk:9,8,5", "mnk(m=9,n=8,k=5)", 40),
    ("mnk:15,15,5", "mnk(m=15,n=15,k=5)", 8),
    ("mnk:19,19,6", "mnk(m=19,n=19,k=6)", 3),
    ("mnk:7,6,4:gravity", "connect_four", 400),
    ("mnk:5,4,3:gravity", "connect_four(columns=5,rows=4,x_in_row=3)", 150),
    ("mnk:4,7,4:gravity", "connect_four(columns=4,rows=7,x_in_row=4)", 100),
    ("mnk:9,3,5:gravity", "connect_four(columns=9,rows=3,x_in_row=5)", 100),
]

_NIM = re.compile(r"pile:([0-9]+), take:([0-9]+);")
_CELL = re.compile(r"([xo])\(([0-9]+),([0-9]+)\)")
_DROP = re.compile(r"([xo])([0-9]+)")


def load(theirs: str) -> Any:
    """The game; Nim by a dictionary, because in a string OpenSpiel takes a single pile for a number."""
    if match := re.fullmatch(r"nim\(pile_sizes=([0-9;]+),is_misere=(true|false)\)", theirs):
        return pyspiel.load_game("nim", {"pile_sizes": match[1], "is_misere": match[2] == "true"})
    return pyspiel.load_game(theirs)


def move_text(position: AnyPosition, name: str) -> str:
    """The move that OpenSpiel calls ``name``, in our notation."""
    if match := _NIM.fullmatch(name):
        return f"{match[1]}-{match[2]}"
    assert isinstance(position, MnkPosition)
    if match := _CELL.fullmatch(name):
        column, row = int(match[3]), position.game.n - 1 - int(match[2])
    else:
        match = _DROP.fullmatch(name)
        assert match is not None, name
        column = int(match[2])
        row = sum(move.column == column for move in position.moves)
    assert match[1] == "xo"[position.turn]
    return f"{'abcdefghijklmnopqrs'[column]}{row + 1}"


def assert_alike(position: AnyPosition, state: Any) -> dict[str, int]:
    """Legal moves, turn and outcome are the same; the legal moves and OpenSpiel's actions for them."""
    if state.is_terminal():
        assert position.outcome is not None
        assert position.legal_moves == ()
        returns = state.returns()
        assert [2 * position.outcome.score(side) - 1 for side in Side] == returns
        return {}
    assert position.outcome is None
    assert position.turn == state.current_player()
    player = state.current_player()
    actions = {move_text(position, state.action_to_string(player, action)): action for action in state.legal_actions()}
    assert len(actions) == len(state.legal_actions())
    assert sorted(move.text for move in position.legal_moves) == sorted(actions)
    return actions


@pytest.mark.parametrize(("ours", "theirs", "games"), PAIRS, ids=[f"{ours} = {theirs}" for ours, theirs, _ in PAIRS])
def test_random_games_agree_at_every_ply(ours: str, theirs: str, games: int) -> None:
    random_state = random.Random(theirs)
    game = load(theirs)
    start = parse_position(ours)
    plies = 0
    for _ in range(games):
        position, state = start, game.new_initial_state()
        while actions := assert_alike(position, state):
            text = random_state.choice(sorted(actions))
            state.apply_action(actions[text])
            position = position.play(position.parse_move(text))
            plies += 1
    assert plies >= games


def test_there_are_thousands_of_games_of_each_kind() -> None:
    kinds = {"nim": 0, "mnk": 0, "tic_tac_toe": 0, "connect_four": 0}
    for _, theirs, games in PAIRS:
        kinds[theirs.partition("(")[0]] += games
    assert sum(kinds.values()) >= 5000
    assert min(kinds.values()) >= 500


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("mnk:4,2,3", "mnk(m=4,n=2,k=3)"),
        ("mnk:2,5,3", "mnk(m=2,n=5,k=3)"),
        ("mnk:3,3,3", "tic_tac_toe"),
        ("mnk:5,4,3:gravity", "connect_four(columns=5,rows=4,x_in_row=3)"),
    ],
)
def test_openspiels_axes_are_what_the_mapping_says(ours: str, theirs: str) -> None:
    """Its picture of the board, top row first, shows the same marks as ours after each move of some games."""
    random_state = random.Random(ours)
    game = load(theirs)
    for _ in range(20):
        position, state = parse_position(ours), game.new_initial_state()
        while actions := assert_alike(position, state):
            text = random_state.choice(sorted(actions))
            state.apply_action(actions[text])
            position = position.play(position.parse_move(text))
            assert isinstance(position, MnkPosition)
            marks = {Side.FIRST: "x", Side.SECOND: "o", None: "."}
            picture = [
                "".join(marks[position.mark(column, row)] for column in range(position.game.m))
                for row in reversed(range(position.game.n))
            ]
            assert str(state).split() == picture


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nim:1,2,3", "nim(pile_sizes=1;2;3,is_misere=false)"),
        ("nim:2,3:misere", "nim(pile_sizes=2;3,is_misere=true)"),
        ("mnk:4,2,2", "mnk(m=4,n=2,k=2)"),
        ("mnk:2,4,3", "mnk(m=2,n=4,k=3)"),
        ("mnk:3,3,3", "tic_tac_toe"),
        ("mnk:3,3,3:gravity", "connect_four(columns=3,rows=3,x_in_row=3)"),
    ],
)
def test_whole_small_games_agree(ours: str, theirs: str) -> None:
    """Every position there is, not only those that random games meet."""
    seen: set[AnyPosition] = set()
    boards: set[str] = set()
    todo = [(parse_position(ours), load(theirs).new_initial_state())]
    while todo:
        position, state = todo.pop()
        if position in seen:
            continue
        seen.add(position)
        boards.add(str(state))
        for text, action in assert_alike(position, state).items():
            todo.append((position.play(position.parse_move(text)), state.child(action)))
    # OpenSpiel's picture of a position is one for each board (and, in Nim, turn): so equality merges neither too much
    # nor too little.
    assert len(seen) == len(boards) > 10
