"""nimdesk as a program of Gomocup: what it answers to each command, and that it keeps its time and its memory."""

import re
import time
from threading import Event

import pytest
from msgspec.structs import replace

from nimdesk.agents import CATALOGUE, Agent, AgentOptions, make_agent
from nimdesk.agents.gomocup.brain import ABOUT, Brain
from nimdesk.agents.gomocup.clock import Clock
from nimdesk.errors import NimdeskError
from nimdesk.games import parse_game
from nimdesk.search import Searcher

MOVE = re.compile(r"\d+,\d+")
FEW = make_agent("mcts", {"iterations": 300, "seed": 1})


def thinks_long() -> Agent:
    return make_agent("mcts", {"iterations": 1_000_000_000, "seed": 1})


class Conversation:
    """What a manager says, and the answers to it without the messages."""

    def __init__(self, agent: Agent = FEW, *, waits: bool = True) -> None:
        self.hurry, self.said = Event(), list[str]()
        self._brain = Brain(agent, self.said.append, self.hurry, lambda: waits)

    def __call__(self, *lines: str) -> list[str]:
        before = len(self.said)
        for line in lines:
            self._brain.hear(f"{line}\r\n", time.monotonic())
        return [line for line in self.said[before:] if not line.startswith("MESSAGE ")]


@pytest.fixture
def manager() -> Conversation:
    return Conversation()


def test_a_game_from_its_start(manager: Conversation) -> None:
    assert manager("ABOUT", "START 15") == [ABOUT, "OK"]
    assert manager("INFO rule 0", "INFO game_type 1", "INFO folder /tmp", "INFO evaluate 3,4", "") == []
    (first,) = manager("BEGIN")
    assert MOVE.fullmatch(first)
    (second,) = manager("TURN 0,0")
    assert MOVE.fullmatch(second)
    assert second not in (first, "0,0")
    assert manager("RESTART") == ["OK"]
    (again,) = manager(f"TURN {first}")  # the cell is free again
    assert again != first


def test_x_is_the_column_and_y_counts_from_the_top(manager: Conversation) -> None:
    # Four in the top row of a board that is wider than it is high: one cell wins.
    manager("RECTSTART 9,7", "BOARD", "0,0,2", "1,0,1", "2,0,1", "3,0,1", "4,0,1", "0,6,2", "2,6,2", "8,6,2")
    assert manager("DONE") == ["5,0"]


def test_a_board_may_be_told_in_any_order(manager: Conversation) -> None:
    stones = ["4,4,2", "5,4,2", "6,4,2", "7,4,2", "3,4,1", "8,2,1", "8,7,1"]
    for order in (stones, stones[::-1], sorted(stones, key=lambda each: each[-1])):
        manager("START 9")
        assert manager("BOARD", *order, "DONE") == ["8,4"]  # the only cell that stops five


def test_a_stone_is_taken_back(manager: Conversation) -> None:
    manager("START 9", "BOARD", "4,4,2", "DONE")
    assert manager("TAKEBACK 4,4") == ["OK"]
    assert manager("TAKEBACK 4,4") == ["ERROR there is no stone on “4,4”"]


def test_the_manager_may_play_another_move(manager: Conversation) -> None:
    manager("START 9")
    assert manager("PLAY 2,3") == ["2,3"]
    assert manager("TURN 2,3") == ["ERROR there is a stone on “2,3” already"]
    assert MOVE.fullmatch(manager("TURN 3,3")[0])


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["YXHASHCLEAR"], "UNKNOWN command “YXHASHCLEAR”"),
        (["SUGGEST 3,3"], "UNKNOWN command “SUGGEST”"),
        (["START"], "ERROR the size of the board is missing; write START 15, or RECTSTART 15,13"),
        (["RECTSTART 9"], "ERROR the size of the board is missing; write START 15, or RECTSTART 15,13"),
        (["BEGIN"], "ERROR there is no board yet; send START or RECTSTART first"),
        (["RESTART"], "ERROR there is no board yet; send START or RECTSTART first"),
        (["START 9", "TURN 9,1"], "ERROR “9,1” is not on the board of 9 by 9"),
        (["START 9", "TURN 3,-1"], "ERROR “3,-1” is not on the board of 9 by 9"),
        (["START 9", "TURN here"], "ERROR “here” is no cell; write x,y such as 7,7"),
        (
            ["START 9", "BOARD", "1,1,1", "DONE"],
            "ERROR 1 of my stones and 0 of the opponent's cannot be where it is my turn",
        ),
        (["START 9", "BOARD", "1,1,3", "DONE"], "ERROR “1,1,3” is not understood: continuous games are not played"),
        (["START 9", "BOARD", "1,1", "DONE"], "ERROR “1,1” is not understood: write x,y,1 or x,y,2"),
        (["START 9", "SWAP2BOARD", "1,1", "DONE"], "ERROR swap2 asks with 0, 3 or 5 stones, not with 1"),
        (
            ["START 9", "INFO rule 4", "BEGIN"],
            "ERROR unsupported rule 4: nimdesk does not play renju, only rules 0 and 1",
        ),
        (["START 9", "INFO max_memory 83886080", "BEGIN"], "ERROR max_memory is 80 MB; nimdesk needs 246 MB"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(manager: Conversation, lines: list[str], answer: str) -> None:
    assert manager(*lines)[-1] == answer
    assert manager("START 9") == ["OK"] or "max_memory" in answer  # and the conversation goes on


def test_a_board_that_the_game_does_not_have_is_an_error(manager: Conversation) -> None:
    size = next(size for size in range(15, 1_000) if not is_game(f"mnk:{size},{size},5"))
    (answer,) = manager(f"START {size}")
    assert answer.startswith(f"ERROR unsupported board {size},{size}: ")


def test_exactly_five_is_played_where_the_game_knows_it(manager: Conversation) -> None:
    manager("START 15", "INFO rule 1")
    (answer,) = manager("BEGIN")
    if is_game("mnk:15,15,5:exact"):
        assert MOVE.fullmatch(answer)
    else:
        assert answer == "ERROR unsupported rule 1: nimdesk does not play exactly five on this board"


def is_game(text: str) -> bool:
    try:
        parse_game(text)
    except NimdeskError:
        return False
    return True


def test_a_finished_game_has_no_move(manager: Conversation) -> None:
    row = [f"{x},0,2" for x in range(5)] + [f"{x},8,1" for x in (0, 2, 4, 6)]
    assert manager("START 9", "BOARD", *row, "DONE")[-1] == "ERROR the game is over: 5 in a row"


def test_swap2_in_its_three_cases(manager: Conversation) -> None:
    manager("START 15")
    (three,) = manager("SWAP2BOARD", "DONE")
    assert len({cell for cell in three.split() if MOVE.fullmatch(cell)}) == 3
    (answer,) = manager("SWAP2BOARD", *three.split(), "DONE")
    assert answer == "SWAP" or all(MOVE.fullmatch(cell) for cell in answer.split())
    # White to move has four in a row and no other way to lose: it stays. Black has one: White swaps.
    white = ["0,0", "5,5", "14,14", "6,5", "14,0"]
    assert MOVE.fullmatch(manager("SWAP2BOARD", *white, "DONE")[0])
    black = ["7,7", "0,0", "8,8", "14,0", "7,8"]
    assert manager("SWAP2BOARD", *black, "DONE") == ["SWAP"]


def test_the_message_tells_of_the_search(manager: Conversation) -> None:
    manager("START 9", "TURN 4,4")
    message = next(line for line in manager.said if line.startswith("MESSAGE"))
    assert re.fullmatch(
        r"MESSAGE Depth \d+ \| Eval \d+\.\d% \| Visit \d+ \| Time \d+ms \| Bestline \d+,\d+( \d+,\d+)*", message
    )


def test_nodes_end_a_search(manager: Conversation) -> None:
    manager("START 15", "INFO timeout_turn 60000", "INFO max_node 500", "TURN 7,7")
    assert "| Visit 500 |" in manager.said[-2]


def test_a_time_takes_the_place_of_a_budget_that_nobody_asked_for() -> None:
    manager = Conversation(make_agent("mcts", {"seed": 1}))  # 10,000 iterations, unless told otherwise
    manager("START 15", "INFO timeout_turn 700", "TURN 7,7")
    visits = re.search(r"Visit (\d+)", manager.said[-2])
    assert visits is not None
    assert int(visits[1]) > 10_000


def test_threads_are_given_to_a_search_that_has_them() -> None:
    manager = Conversation(make_agent("uct", {"iterations": 400, "seed": 1}))
    assert manager("START 9", "INFO thread_num 2", "INFO max_memory 367001600", "TURN 4,4")[0] == "OK"
    assert MOVE.fullmatch(manager.said[-1])


@pytest.mark.parametrize("limit", ["timeout_turn 0", "time_left 0", "time_left -200"])
def test_no_time_is_as_fast_as_possible(limit: str) -> None:
    manager = Conversation(thinks_long())
    manager("START 15", f"INFO {limit}", "TURN 7,7")
    assert "| Visit 1000 |" in manager.said[-2]


@pytest.mark.parametrize("limit", ["timeout_turn 400", "timeout_turn 0"])
def test_a_manager_that_does_not_wait_is_answered_before_kernels_are_loaded(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    info, loaded = CATALOGUE["mcts"], Event()

    def loads_long(options: AgentOptions) -> Searcher:
        loaded.wait(20)
        return info.make_searcher(options)

    monkeypatch.setitem(CATALOGUE, "mcts", replace(info, make_searcher=loads_long))
    manager = Conversation(thinks_long(), waits=False)
    assert manager("START 15", f"INFO {limit}") == ["OK"]
    assert MOVE.fullmatch(manager("TURN 7,7")[0])
    assert not loaded.is_set()
    loaded.set()
    manager("INFO timeout_turn 2000", "TURN 0,0")
    visits = re.search(r"Visit (\d+)", manager.said[-2])
    assert visits is not None
    assert int(visits[1]) > 10_000  # and by compiled code from then on


def test_the_end_cuts_a_search_short() -> None:
    manager = Conversation(thinks_long())
    manager("START 15")
    manager.hurry.set()
    assert MOVE.fullmatch(manager("TURN 7,7")[0])


def timed(clock: Clock, at: float = 0.2, late: float = 0.0) -> float:
    search_s = clock.search_s
    assert search_s is not None
    clock.spent(search_s, search_s + late)
    return at - search_s


def test_the_margin_is_what_answers_were_late_by_and_more() -> None:
    clock = Clock()
    clock.told("timeout_turn", 200)
    assert timed(clock, late=0.03) == pytest.approx(0.015)
    learned = timed(clock)
    assert 0.03 < learned < 0.1
    for _ in range(30):
        timed(clock)
    assert timed(clock) < learned / 2  # a single late answer is forgotten


def test_a_machine_that_is_very_late_leaves_half_of_the_time_to_the_search() -> None:
    clock = Clock()
    clock.told("timeout_turn", 200)
    timed(clock, late=5.0)
    assert clock.search_s == pytest.approx(0.1)


def test_the_time_of_a_match_lasts_for_all_its_moves() -> None:
    clock = Clock()
    clock.told("timeout_match", 100_000)
    clock.told("time_left", 100_000)
    for _ in range(100):
        allowed = clock.allowed_s
        assert allowed is not None
        clock.spent(None, allowed)
    assert clock.allowed_s is not None
    assert clock.allowed_s > 0


@pytest.mark.parametrize("told", [("timeout_match", 0), ("time_left", 2_147_483_647)])
def test_a_match_without_a_limit(told: tuple[str, int]) -> None:
    clock = Clock()
    clock.told(*told)
    assert clock.allowed_s is None
