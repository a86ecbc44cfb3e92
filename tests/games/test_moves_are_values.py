"""A move is a value: it stands in sets and dictionaries, and nobody changes it."""

import pytest

from nimdesk.games import parse_position


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:7,6,4:gravity", "take:{1,3,4}:10,12"])
def test_a_move_is_a_value_that_nobody_changes(text: str) -> None:
    (move, *_), again = parse_position(text).legal_moves, parse_position(text).legal_moves[0]
    assert {move: 1}[again] == 1
    for name in move.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(move, name, 0)
