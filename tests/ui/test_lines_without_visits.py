"""A search that tells its line and no visits: it is where people look for lines, in the game and the laboratory."""

import numpy as np
import pytest

from nimdesk.games import parse_position
from nimdesk.search import MoveStats, Snapshot
from nimdesk.search.timeline import Timeline
from nimdesk.ui.laboratory.moves_model import MOVE, MovesModel, Rows
from nimdesk.ui.play.lines import LinesModel

pytestmark = pytest.mark.usefixtures("qapp")


def engines_search() -> Snapshot:
    position = parse_position("mnk:9,9,5 e5")
    line = tuple(position.parse_move(text) for text in ("e6", "d6", "f4"))
    stats = (MoveStats(move, 0, None, line if move == line[0] else ()) for move in position.legal_moves)
    return Snapshot(position, "engine", 1, 0, 2.0, tuple(stats), line[0], tree_nodes=10_000, tree_bytes=1)


def test_the_lines_of_a_game_show_it() -> None:
    model = LinesModel()
    model.show(engines_search())
    shown = [[model.data(model.index(row, column)) for column in range(4)] for row in range(model.rowCount())]
    assert shown == [["e6", "–", "–", "d6 f4"]]


def test_the_table_of_the_laboratory_begins_with_it() -> None:
    model = MovesModel()
    model.set_rows(Rows(engines_search(), None, None), {}, keep_order=False)
    assert str(model.data(model.index(0, MOVE))).startswith("e6")


def test_a_first_choice_is_no_change_of_the_leader() -> None:
    moves = parse_position("mnk:3,3,3").legal_moves
    rows = np.arange(1, 5)
    line = Timeline(moves, rows, rows.astype(float), rows, np.array([-1, 2, 2, 4]), None)
    assert line.changes == [3]
