"""Programs of the Gomocup protocol behind the door: what they are told, what is understood, each fault in a clause."""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gomocup_programs import program
from msgspec.structs import replace
from plugin_packages import leave_catalogue

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.agents.engines import add_engine
from nimdesk.agents.gomocup.translator import GomocupEngine
from nimdesk.agents.opening_rules import CHOICES, OpeningPlayer, Step
from nimdesk.disk.logs import WordsLog
from nimdesk.experiments.matches.playing import played_game
from nimdesk.games import AnyPosition, Side, parse_position
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Best, Checkpoint, Go, Greeting, Position
from nimdesk.search import MoveStats, Snapshot, foreign

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
    *_, told, last, best = asked(engine, "mnk:15,15,5 h8")
    assert best == Best(move="a15")
    line = ("i7", "g8", "a15")
    assert told == Checkpoint(depth=7, value=0.615, nodes=12_500, best="i7", line=line, words="evaluation +3")
    assert last == replace(told, line=())  # it was not about the move that it plays
    words = (tmp_path / "words.log").read_bytes()
    assert b"I think 3,4 is good\n" in words
    assert b"\xff\xfe" in words


def test_a_suggestion_is_accepted(begun: Begin) -> None:
    engine = begun("suggests")
    wait_for(engine, Greeting)
    assert asked(engine, "mnk:9,9,5 a1") == [Best(move="d5")]


@pytest.mark.parametrize("kind", ["no-restart", "careless", "deaf"])
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


def as_agent(name: str, folder: Path) -> Agent:
    add_engine(name, [str(program(folder, name))], folder, "gomocup")
    return make_agent(name, {"time_s": 0.1})


@pytest.fixture
def _own_catalogue() -> Iterator[None]:
    before = set(CATALOGUE)
    yield
    leave_catalogue(but=before)


@pytest.mark.usefixtures("_own_catalogue")
def test_a_program_plays_a_game_as_any_other_agent(tmp_path: Path) -> None:
    game = played_game((as_agent("plays", tmp_path), as_agent("chats", tmp_path)), parse_position("mnk:9,9,5"), 1)
    assert game.result is not None
    assert game.result.reason == "5 in a row"
    search = game.analysis(2)
    assert search is not None
    assert (search.tree_nodes, search.steps[-1].depth) == (12_500, 7)
    assert search.comment == (
        "It looks 7 moves ahead. It takes the position for worth 0.615 (win 1, loss 0). It says: evaluation +3."
    )


@pytest.mark.usefixtures("_own_catalogue")
def test_mcts_chooses_for_a_program_that_knows_no_swap2_and_tells_no_value(tmp_path: Path) -> None:
    asked = list[str]()

    def search(agent: Agent, position: AnyPosition) -> Snapshot:
        asked.append(agent.name)
        mean = 0.9 if agent.name == "mcts" else None
        moves = tuple(MoveStats(move, 98, mean) for move in position.legal_moves)
        return Snapshot(position, agent.name, 0, 0, 0.0, moves, moves[0].move)

    opener = OpeningPlayer(as_agent("plays", tmp_path), "swap2", search, random.Random(1))
    three = parse_position("mnk:9,9,5 a1 b2 c3")
    assert opener.answer(three, Step(1, choices=CHOICES), Side.SECOND) == "stay"
    assert asked == ["plays", "mcts"]
    assert opener.stood_in


def unasked(_agent: Agent, _position: AnyPosition) -> Snapshot:
    raise AssertionError("no search was to be made")


@pytest.mark.usefixtures("_own_catalogue")
def test_a_program_that_has_opened_keeps_its_colour_where_it_takes_the_side_that_is_not_to_move(tmp_path: Path) -> None:
    opener = OpeningPlayer(as_agent("swaps", tmp_path), "swap2", unasked, random.Random(1))
    start = parse_position("mnk:9,9,5")
    three = opener.answer(start, Step(0, 3), Side.FIRST)
    assert not isinstance(three, str)
    assert three.text == "mnk:9,9,5 a9 b8 c7"
    assert opener.answer(three, Step(1, choices=CHOICES), Side.SECOND) == "more"
    five = opener.answer(three, Step(1, 2), Side.SECOND)
    assert not isinstance(five, str)
    assert five.text == "mnk:9,9,5 a9 b8 c7 d6 e5"
    assert opener.answer(five, Step(0, choices=CHOICES[:2]), Side.FIRST) == "stay"


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("silent", "The agent “Small” gave no move within 0.1 s, nor 0.6 s later."),
        ("slow", "The agent “Small” gave no move within 0.1 s, nor 0.6 s later."),
        ("crashes", "The agent “Small” ended its process, with exit code 3."),
        ("taken", "The agent “Small” plays “e5”, which is not legal in mnk:9,9,5 e5."),
        ("floods", "The agent “Small” answered with more than a megabyte."),
    ],
)
def test_a_program_that_fails_has_lost_and_the_game_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, sentence: str
) -> None:
    monkeypatch.setattr(foreign, "SILENCE_S", 0.6)
    bad = as_agent(kind, tmp_path)
    game = played_game((make_agent("random", {"seed": 1}), bad), parse_position("mnk:9,9,5 e5"), 1)
    assert game.forfeit is not None
    assert game.forfeit.reason == sentence


@pytest.mark.usefixtures("_own_catalogue")
def test_only_five_in_a_row_is_offered_to_it(tmp_path: Path) -> None:
    agent = as_agent("plays", tmp_path)
    fits = {text: agent.plays(parse_position(text)) for text in ("mnk:15,15,5", "mnk:3,3,3", "mnk:15,15,5:gravity")}
    assert fits == {"mnk:15,15,5": True, "mnk:3,3,3": False, "mnk:15,15,5:gravity": False}


@pytest.mark.usefixtures("_own_catalogue")
def test_the_name_of_a_program_tells_its_protocol(tmp_path: Path) -> None:
    engine = add_engine("plays", [str(program(tmp_path, "plays"))], tmp_path)
    assert (engine.protocol, engine.greeting.name) == ("gomocup", "Small")
