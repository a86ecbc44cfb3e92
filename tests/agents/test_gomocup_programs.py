"""Programs of the Gomocup protocol behind the door: what they are told, what is understood, each fault in a clause."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gomocup_programs import program

from nimdesk.agents.gomocup.translator import GomocupEngine
from nimdesk.disk.logs import WordsLog
from nimdesk.games import parse_position
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Best, Checkpoint, Go, Greeting, Position

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts with a first line of Unix")
Begin = Callable[[str], GomocupEngine]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Begin]:
    engines: list[GomocupEngine] = []

    def begin(kind: str) -> GomocupEngine:
        log = WordsLog(tmp_path / "words.log")
        engines.append(GomocupEngine([str(program(tmp_path, kind))], folder=tmp_path, log=log, memory_mb=1024))
        return engines[-1]

    yield begin
    for engine in engines:
        engine.close()


def wait_for(engine: GomocupEngine, kind: type, most_s: float = 20.0) -> list[Greeting | Checkpoint | Best]:
    """Everything that is said up to the first of this kind."""
    said: list[Greeting | Checkpoint | Best] = []
    until = time.monotonic() + most_s
    while time.monotonic() < until:
        if (message := engine.receive(0.05)) is not None:
            said.append(message)
            if isinstance(message, kind):
                return said
    raise AssertionError(f"no {kind.__name__} came, only {said}")


def asked(engine: GomocupEngine, text: str, time_ms: int = 100) -> list[Greeting | Checkpoint | Best]:
    position = parse_position(text)
    moves = tuple(move.text for move in position.moves)
    legal = tuple(move.text for move in position.legal_moves)
    options = {"max_node": None, "thread_num": 1}
    engine.begin(Position(game=position.game.text, moves=moves, legal=legal, options=options))
    engine.go(Go(seed=1, time_ms=time_ms))
    return wait_for(engine, Best)


def test_a_program_is_told_each_board_as_it_is(begun: Begin) -> None:
    engine = begun("plays")
    (greeting,) = wait_for(engine, Greeting)
    assert isinstance(greeting, Greeting)
    assert greeting.name == "Small"
    # The first free cell from the top left: x from the left, y from the top.
    assert asked(engine, "mnk:9,9,5") == [Best(move="a9")]
    assert asked(engine, "mnk:9,9,5 a9 b9") == [Best(move="c9")]
    assert asked(engine, "mnk:9,9,5 b9 e5 a9") == [Best(move="c9")]  # another game: there is no state to lose
    assert asked(engine, "mnk:15,15,5 a15") == [Best(move="b15")]  # and another board


def test_a_name_that_is_not_told_is_the_files(begun: Begin) -> None:
    (greeting,) = wait_for(begun("nameless"), Greeting)
    assert isinstance(greeting, Greeting)
    assert (greeting.name, greeting.about) == ("nameless", "made by nobody")


def test_only_a_line_of_two_numbers_is_a_move_and_the_search_is_understood(begun: Begin, tmp_path: Path) -> None:
    engine = begun("chats")
    wait_for(engine, Greeting)
    *checkpoints, best = asked(engine, "mnk:15,15,5 h8")
    assert best == Best(move="a15")
    assert checkpoints[-1] == Checkpoint(depth=7, value=0.615, nodes=12_500, line=("h8", "i7", "a15"))
    words = (tmp_path / "words.log").read_bytes()
    assert b"I think 3,4 is good\n" in words
    assert b"\xff\xfe" in words


def test_a_suggestion_is_accepted(begun: Begin) -> None:
    engine = begun("suggests")
    wait_for(engine, Greeting)
    assert asked(engine, "mnk:9,9,5 a1") == [Best(move="d5")]


@pytest.mark.parametrize("kind", ["no-restart", "careless"])
def test_a_program_may_know_less_or_complain(begun: Begin, kind: str) -> None:
    engine = begun(kind)
    wait_for(engine, Greeting)
    assert asked(engine, "mnk:9,9,5 a9") == [Best(move="b9")]
    assert asked(engine, "mnk:9,9,5 a9 b9") == [Best(move="c9")]


@pytest.mark.parametrize(
    ("kind", "clause"),
    [
        ("crashes", "ended its process, with exit code 3"),
        ("killed", "crashed: its process was ended by SIGSEGV"),
        ("outside", "answered with a move that cannot be played: “99,1” is not on the board of 9 by 9"),
        ("small", "does not play on a board of 9 by 9: ERROR only boards of 20 please"),
        ("refuses", "refused: ERROR out of ideas"),
        ("floods", "answered with more than a megabyte"),
    ],
)
def test_each_fault_is_a_clause(begun: Begin, kind: str, clause: str) -> None:
    engine = begun(kind)
    wait_for(engine, Greeting)
    with pytest.raises(HostError) as fault:
        asked(engine, "mnk:9,9,5 a1 b2")
    assert str(fault.value) == clause


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:7,6,5:gravity"])
def test_another_game_is_not_asked(begun: Begin, text: str) -> None:
    engine = begun("plays")
    with pytest.raises(HostError, match=f"plays five in a row alone, and not {text}"):
        engine.begin(Position(game=text, moves=(), legal=()))


def test_what_it_has_started_ends_with_it(begun: Begin, tmp_path: Path) -> None:
    engine = begun("leaves-children")
    wait_for(engine, Greeting)
    asked(engine, "mnk:9,9,5")
    child = int((tmp_path / "words.log").read_text().rpartition("child ")[2].split()[0])
    os.kill(child, 0)
    engine.close()
    until = time.monotonic() + 5.0
    while time.monotonic() < until and Path(f"/proc/{child}").exists():
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists()
