"""Searches off the UI thread: how they end, what is heard of them, and that the UI thread never waits."""

import gc
import math
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest
from desk import AT_ONCE_S, ENDLESS, RANDOM, WAIT_MS, mcts
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.errors import AgentError, GameParameterError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher
from nimdesk.ui.jobs.bridge import ignore
from nimdesk.ui.play.searching import SearchService

NIM = parse_position("nim:3,4,5")
GOMOKU = parse_position("mnk:15,15,5")


def thread_runs() -> bool:
    """Whether the thread of the searches runs."""
    return any(thread.name == "nimdesk-search" for thread in threading.enumerate())


class Heard:
    """All that the service said, in order."""

    def __init__(self, service: SearchService) -> None:
        self.words: list[str] = []
        self.snapshots: list[Snapshot] = []
        self.finished: list[Snapshot] = []
        self.failures: list[str] = []
        service.search_started.connect(lambda: self.words.append("started"))
        service.snapshot_ready.connect(self.snapshots.append)
        service.search_finished.connect(self.finished.append)
        service.search_failed.connect(self.failures.append)
        service.snapshot_ready.connect(lambda _: self.words.append("snapshot"))
        service.search_finished.connect(lambda _: self.words.append("finished"))
        service.search_failed.connect(lambda _: self.words.append("failed"))


@pytest.fixture
def service(qapp: QApplication) -> Iterator[SearchService]:
    made = SearchService()
    yield made
    made.shutdown()
    assert not made.searching
    assert not thread_runs()


@pytest.fixture
def heard(service: SearchService) -> Heard:
    return Heard(service)


@pytest.fixture
def finish(qtbot: QtBot, service: SearchService) -> Callable[..., Snapshot]:
    """Run this search to its end."""

    def run(agent: Agent, position: object = NIM, slow_motion_s: float = 0.0) -> Snapshot:
        with qtbot.waitSignal(service.search_finished) as told:
            service.start(position, agent, slow_motion_s=slow_motion_s)  # type: ignore[arg-type]
        (snapshot,) = told.args or ()
        assert isinstance(snapshot, Snapshot)
        return snapshot

    return run


class Noted(UctSearcher):
    """A search that notes its seeds, and how many iterations it was allowed by and by."""

    seeds: list[int]
    allowed: list[float]

    def start(self, position: AnyPosition, seed: int) -> None:
        self.seeds.append(seed)
        super().start(position, seed)

    def advance(self, limit: Limit) -> StopReason | None:
        self.allowed.append(math.inf if limit.iterations is None else limit.iterations)
        return super().advance(limit)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> type[Noted]:
    """The textbook's search for this test, whose notes begin empty."""
    monkeypatch.setattr(Noted, "seeds", [], raising=False)
    monkeypatch.setattr(Noted, "allowed", [], raising=False)
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=Noted))
    return Noted


def next_begins(service: SearchService) -> threading.Event:
    """An event that is set, in the thread, when the job after those asked for by now begins: they have said all."""
    begun = threading.Event()
    service.bridge.start(lambda _job: begun.set(), done=ignore, failed=ignore)
    return begun


# How a search ends


def test_a_level_moves_by_its_budget_and_shows_the_curves_of_more(finish: Callable[..., Snapshot]) -> None:
    position = parse_position("mnk:7,6,4:gravity d1")
    for seed in range(5):
        agent = make_agent("level2", {"seed": seed})
        alone = agent.new_searcher(position)
        alone.start(position, seed)
        alone.advance(Limit())
        shown = finish(agent, position)
        assert shown.best_move == alone.snapshot().best_move
        assert (shown.chosen_after, shown.stopped) == (50, StopReason.ITERATIONS)
        assert shown.iterations > 50


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (mcts(500), StopReason.ITERATIONS),
        (mcts(None, time_s=0.05), StopReason.TIME),
        (mcts(10**9, time_s=0.05), StopReason.TIME),
        (mcts(1), StopReason.ITERATIONS),
        (RANDOM, StopReason.NO_SEARCH),
    ],
    ids=["iterations", "seconds", "both", "one iteration", "random"],
)
def test_a_search_ends_with_the_agents_own_limit(
    finish: Callable[..., Snapshot], heard: Heard, service: SearchService, agent: Agent, reason: StopReason
) -> None:
    snapshot = finish(agent)
    assert snapshot.stopped is reason
    assert snapshot.best_move in NIM.legal_moves
    assert not service.searching
    assert heard.words[0] == "started"
    assert heard.words[-1] == "finished"
    assert heard.words.count("started") == heard.words.count("finished") == 1
    if reason is StopReason.ITERATIONS:
        assert snapshot.iterations == snapshot.total_visits == getattr(agent.options, "iterations", None)


def test_move_now_ends_a_search_with_a_best_move(qtbot: QtBot, service: SearchService, heard: Heard) -> None:
    service.start(GOMOKU, ENDLESS)
    qtbot.waitSignal(service.snapshot_ready).wait()
    with qtbot.waitSignal(service.search_finished):
        service.move_now()
    assert heard.finished[0].stopped is StopReason.MOVE_NOW
    assert heard.finished[0].best_move is not None
    assert heard.finished[0].iterations >= heard.snapshots[0].iterations > 0


class _Asked(UctSearcher):
    """A searcher that notes how long the slice after each frame is to be."""

    def __init__(self, options: UctOptions) -> None:
        super().__init__(options)
        self.slices_s: list[float] = []
        self.first_shown = threading.Event()
        self._shown = False

    def advance(self, limit: Limit) -> StopReason | None:
        assert limit.time_s is not None
        if self._shown:
            self.slices_s.append(limit.time_s - self.elapsed_s)
        self._shown = False
        return super().advance(limit)

    def snapshot(self) -> Snapshot:
        self._shown = True
        self.first_shown.set()
        return super().snapshot()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> _Asked:
    """The searcher of ``ENDLESS``."""
    assert isinstance(ENDLESS.options, UctOptions)
    searcher = _Asked(ENDLESS.options)
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=lambda _options: searcher))
    return searcher


def test_slices_are_short_however_long_a_search_has_run(
    qtbot: QtBot, service: SearchService, heard: Heard, asked: _Asked
) -> None:
    service.start(GOMOKU, ENDLESS)
    qtbot.waitUntil(lambda: len(heard.snapshots) > 4)
    with qtbot.waitSignal(service.search_finished):
        service.move_now()
    assert asked.slices_s == pytest.approx([asked.slices_s[0]] * len(asked.slices_s))
    assert 0 < asked.slices_s[0] <= 0.01


@pytest.mark.parametrize("slow_motion_s", [0.0, 30.0])
def test_move_now_in_the_same_breath_as_the_start_still_finds_a_move(
    qtbot: QtBot, service: SearchService, heard: Heard, slow_motion_s: float
) -> None:
    with qtbot.waitSignal(service.search_finished):
        service.start(GOMOKU, mcts(10**9), slow_motion_s=slow_motion_s)
        service.move_now()
    assert heard.finished[0].stopped is StopReason.MOVE_NOW
    assert heard.finished[0].best_move is not None


def test_stop_answers_at_once_and_nothing_more_is_heard(
    qtbot: QtBot, service: SearchService, heard: Heard, finish: Callable[..., Snapshot]
) -> None:
    service.start(GOMOKU, ENDLESS)
    qtbot.waitSignal(service.snapshot_ready).wait()
    begin = time.perf_counter()
    service.stop()
    assert time.perf_counter() - begin < AT_ONCE_S
    assert not service.searching
    before = len(heard.words)
    # The worker does one search after the other: when the next one is done, the stopped one has said all it had to.
    last = finish(mcts(50))
    assert heard.finished == [last]
    assert all(snapshot.position == NIM for snapshot in heard.snapshots[before - 1 :])


def test_stop_and_move_now_without_a_search_do_nothing(service: SearchService, heard: Heard) -> None:
    service.stop()
    service.move_now()
    assert not service.searching
    assert not heard.words


# What is heard of it


@pytest.mark.parametrize("position", [NIM, parse_position("nim:1,1")], ids=["twelve moves", "two moves"])
def test_no_more_than_30_snapshots_a_second(
    qtbot: QtBot, service: SearchService, heard: Heard, position: AnyPosition
) -> None:
    begin = time.perf_counter()
    with qtbot.waitSignal(service.search_finished):
        service.start(position, ENDLESS)
        # However slow the machine is: as long as it takes for so many to come.
        qtbot.waitUntil(lambda: len(heard.snapshots) >= 12)
        service.move_now()
    took = time.perf_counter() - begin
    assert len(heard.snapshots) <= took * 30 + 1
    (last,) = heard.finished
    counts = [snapshot.iterations for snapshot in (*heard.snapshots, last)]
    assert counts == sorted(counts)
    assert all(snapshot.stopped is None for snapshot in heard.snapshots)
    assert last.trace is not None
    assert last.trace.iterations[0] == 1, "the first iteration is in the trace, though no frame ever showed it"


@pytest.mark.parametrize("agent", [mcts(20, seed=5), RANDOM], ids=["search", "no search"])
def test_what_is_on_its_way_when_a_search_is_stopped_never_arrives(
    service: SearchService,
    heard: Heard,
    finish: Callable[..., Snapshot],
    monkeypatch: pytest.MonkeyPatch,
    agent: Agent,
) -> None:
    service.start(NIM, agent)
    # No event loop runs here: start and end of the search lie in the queue of this thread.
    assert next_begins(service).wait(WAIT_MS / 1000)
    service.stop()
    QApplication.processEvents()
    assert not heard.words
    assert finish(mcts(20)).iterations == 20


def test_frames_that_are_on_their_way_when_a_search_is_held_never_arrive(
    qtbot: QtBot, service: SearchService, heard: Heard, asked: _Asked
) -> None:
    service.start(NIM, ENDLESS)
    # No event loop runs here: the frames lie in the queue of this thread.
    assert asked.first_shown.wait(WAIT_MS / 1000)
    with qtbot.waitSignal(service.search_held):
        service.hold()
    assert "snapshot" not in heard.words


def test_an_end_that_is_on_its_way_when_the_search_is_replaced_never_arrives(
    service: SearchService, heard: Heard, finish: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    service.start(NIM, mcts(20, seed=5))
    assert next_begins(service).wait(WAIT_MS / 1000)
    last = finish(mcts(30, seed=6))
    assert heard.finished == [last]
    assert last.seed == 6


def test_of_many_searches_asked_for_quickly_only_the_last_is_heard(
    qtbot: QtBot, service: SearchService, heard: Heard, finish: Callable[..., Snapshot]
) -> None:
    begin = time.perf_counter()
    for seed in range(100, 150):
        service.start(GOMOKU if seed % 2 else NIM, mcts(None, seed=seed, time_s=60.0))
        if seed % 10 == 0:
            QApplication.processEvents()
    assert time.perf_counter() - begin < AT_ONCE_S
    last = finish(mcts(None, seed=7, time_s=0.15))
    assert heard.finished == [last]
    assert last.seed == 7
    wrong = [snapshot.seed for snapshot in heard.snapshots if snapshot.seed != 7]
    assert all(seed % 10 == 0 for seed in wrong), "heard while it was the current one, or never"


def test_a_snapshot_once_shown_never_changes(
    qtbot: QtBot, service: SearchService, finish: Callable[..., Snapshot], heard: Heard
) -> None:
    with qtbot.waitSignal(service.snapshot_ready):
        service.start(NIM, ENDLESS)
    first = heard.snapshots[0]
    visits = [stats.visits for stats in first.moves]
    finish(mcts(5000, seed=9))
    assert [stats.visits for stats in first.moves] == visits
    assert sum(visits) == first.iterations


# Slow motion


def test_slow_motion_shows_the_beginning_and_changes_nothing(
    finish: Callable[..., Snapshot], heard: Heard, noted: type[Noted]
) -> None:
    fast = finish(mcts(3000, seed=4))
    noted.allowed.clear()
    begin = time.perf_counter()
    slow = finish(mcts(3000, seed=4), slow_motion_s=0.5)
    took = time.perf_counter() - begin
    assert took >= 0.5
    assert [(s.move, s.visits, s.mean_value) for s in slow.moves] == [
        (s.move, s.visits, s.mean_value) for s in fast.moves
    ]
    assert slow.trace is not None
    assert fast.trace is not None
    assert (slow.trace.visits == fast.trace.visits).all()
    assert slow.stopped is StopReason.ITERATIONS
    early = [snapshot.iterations for snapshot in heard.snapshots if snapshot.iterations < 300]
    assert len(early) >= 3, "a person sees the first hundreds of simulations come"
    slowed = [allowed for allowed in noted.allowed if allowed < math.inf]
    assert slowed[0] < 10 < slowed[-1] <= 1000
    assert any(10 < allowed < 500 for allowed in slowed), "they come one after the other, not all at once"
    assert len(slowed) < 250, "the processor rests in between"


def test_slow_motion_comes_on_top_of_a_time_budget(finish: Callable[..., Snapshot], heard: Heard) -> None:
    begin = time.perf_counter()
    last = finish(mcts(None, time_s=0.6), slow_motion_s=0.5)
    took = time.perf_counter() - begin
    assert last.stopped is StopReason.TIME
    assert 0.6 + 0.5 <= took < AT_ONCE_S
    assert last.elapsed_s >= 0.6, "all of its time is searched"
    assert any(snapshot.iterations < 100 for snapshot in heard.snapshots)
    assert last.iterations > 1000, "the rest ran at full speed"
    again = finish(mcts(last.iterations, seed=last.seed))
    assert [stats.visits for stats in again.moves] == [stats.visits for stats in last.moves]


def test_an_agent_that_keeps_no_tree_leaves_none_in_memory(
    finish: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[weakref.ref[UctSearcher]] = []

    def make(options: UctOptions) -> UctSearcher:
        searcher = UctSearcher(options)
        made.append(weakref.ref(searcher))
        return searcher

    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=make))
    finish(mcts(20))
    finish(RANDOM)
    gc.collect()
    assert [searcher() for searcher in made] == [None]


class OneByOne(UctSearcher):
    """A search that does one simulation in each slice."""

    def advance(self, limit: Limit) -> StopReason | None:
        return super().advance(Limit(iterations=self.snapshot().iterations + 1))


def test_a_search_at_full_speed_never_waits(finish: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=OneByOne))
    begin = time.perf_counter()
    assert finish(mcts(4000)).iterations == 4000
    assert time.perf_counter() - begin < AT_ONCE_S, "if it waited after each slice, it would take half a minute"


def test_slow_motion_begins_with_the_very_first_simulation(
    qtbot: QtBot, service: SearchService, heard: Heard, noted: type[Noted]
) -> None:
    service.start(NIM, mcts(1000), slow_motion_s=60.0)
    qtbot.waitUntil(lambda: bool(heard.snapshots))
    service.stop()
    assert noted.allowed[0] == heard.snapshots[0].iterations == 1


def test_stop_interrupts_the_waiting_of_slow_motion(service: SearchService, finish: Callable[..., Snapshot]) -> None:
    service.start(NIM, mcts(1000), slow_motion_s=60.0)
    begin = time.perf_counter()
    finish(mcts(20))
    assert time.perf_counter() - begin < AT_ONCE_S


# Held and taken up again


def test_a_search_that_is_held_goes_on_as_if_nothing_had_been(
    qtbot: QtBot, service: SearchService, heard: Heard, finish: Callable[..., Snapshot], noted: type[Noted]
) -> None:
    agent = mcts(3000, seed=None)
    service.start(NIM, agent, slow_motion_s=1.0)
    qtbot.waitUntil(lambda: bool(heard.snapshots) and heard.snapshots[-1].iterations > 3)
    with qtbot.waitSignal(service.search_held) as told:
        service.hold()
        assert not service.searching
    (held,) = told.args or ()
    assert 0 < held.iterations < 3000
    assert service.holds(NIM, agent)
    assert finish(mcts(20)).iterations == 20, "another search may come between"
    assert service.holds(NIM, agent)
    with qtbot.waitSignal(service.search_finished) as told:
        service.go_on()
    (last,) = told.args or ()
    assert (last.iterations, last.seed) == (3000, held.seed)
    slowed = [allowed for allowed in noted.allowed if allowed < math.inf]
    assert slowed == sorted(slowed), "slow motion goes on where it was"
    whole = finish(mcts(3000, seed=held.seed))
    assert (last.trace.visits == whole.trace.visits).all()  # type: ignore[union-attr]
    assert not service.holds(NIM, agent)


@pytest.mark.parametrize("heard_of", [True, False], ids=["at rest", "on its way to rest"])
def test_a_search_that_is_held_keeps_its_tree(
    qtbot: QtBot, service: SearchService, heard: Heard, noted: type[Noted], heard_of: bool
) -> None:
    with qtbot.waitSignal(service.snapshot_ready):
        service.start(NIM, ENDLESS)
    for _ in range(3):
        seen = heard.snapshots[-1].iterations
        service.hold()
        if heard_of:
            qtbot.waitSignal(service.search_held).wait()
        with qtbot.waitSignal(service.snapshot_ready):
            service.go_on()
        assert heard.snapshots[-1].iterations > seen
    assert len(noted.seeds) == 1, "it was not begun again to come to where it was"
    service.stop()


def test_one_tree_is_kept_for_each_side_and_none_of_a_search_that_is_held(
    qtbot: QtBot, service: SearchService, finish: Callable[..., Snapshot]
) -> None:
    agent, other = (mcts(300, keep_tree=True, exploration=exploration) for exploration in (0.5, 0.7))
    assert finish(agent).reused == 0
    assert finish(agent, NIM.play(NIM.legal_moves[0])).reused == 0
    assert finish(agent).reused > 0
    finish(other)
    assert finish(agent).reused == 0, "the other's tree took the place of its own"
    endless = mcts(None, time_s=60.0, keep_tree=True)
    with qtbot.waitSignal(service.snapshot_ready):
        service.start(NIM, endless)
    with qtbot.waitSignal(service.search_held):
        service.hold()
    with qtbot.waitSignal(service.snapshot_ready) as told:
        service.start(NIM, endless)
    assert told.args is not None
    assert told.args[0].reused == 0, "the tree that is held is left alone"
    service.stop()
    service.let_go()
    assert not service.holds(NIM, endless)


# Nothing left to find out


@pytest.mark.parametrize("name", ["uct", "mcts", "flat", "deepening", "random"])
def test_the_only_move_is_played_at_once(finish: Callable[..., Snapshot], name: str) -> None:
    position = parse_position("mnk:3,3,3 a1 b1 c1 b2 b3 a2 c2 c3")
    begin = time.perf_counter()
    last = finish(make_agent(name).with_time(60.0), position)
    assert time.perf_counter() - begin < AT_ONCE_S
    assert last.best_move in position.legal_moves


def test_where_all_other_moves_lose_at_once_the_one_left_is_played_at_once(finish: Callable[..., Snapshot]) -> None:
    position = parse_position("mnk:7,6,4:gravity d1 a1 d2 b1 d3")
    begin = time.perf_counter()
    last = finish(make_agent("mcts").with_time(60.0), position)
    assert time.perf_counter() - begin < AT_ONCE_S
    assert last.stopped is StopReason.DECIDED
    assert last.best_move == position.parse_move("d4")


class _NearlyLost(UctSearcher):
    """Has proven that all moves lose but one, which has one visit more each time that it is asked."""

    asked = 0

    def snapshot(self) -> Snapshot:
        last = super().snapshot()
        self.asked += 1
        moves = [replace(each, visits=5, proven=Value.LOSS) for each in last.moves]
        moves[-1] = replace(moves[-1], visits=self.asked, proven=None)
        return replace(last, moves=tuple(moves), best_move=moves[-1].move)


def test_the_move_that_is_left_is_not_played_before_it_was_looked_at_most(
    finish: Callable[..., Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=_NearlyLost))
    last = finish(mcts(None, seed=None, time_s=60.0), NIM)
    assert last.stopped is StopReason.DECIDED
    assert last.moves[-1].visits >= 5


# Failures


class _Raising(UctSearcher):
    """A searcher with a bug; ``where`` and ``error`` say which."""

    where = "start"
    error: BaseException = RuntimeError("boom")

    def start(self, position: object, seed: int) -> None:
        if self.where == "start":
            raise self.error
        super().start(position, seed)  # type: ignore[arg-type]

    def advance(self, limit: Limit) -> StopReason | None:
        raise self.error


def break_search(monkeypatch: pytest.MonkeyPatch, error: BaseException, where: str = "start") -> None:
    """Let MCTS raise."""

    def make(options: object) -> UctSearcher:
        searcher = _Raising()
        searcher.error, searcher.where = error, where
        return searcher

    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=make))


@pytest.mark.parametrize("where", ["start", "advance"])
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (GameParameterError("The board is too large."), "The board is too large."),
        (RuntimeError("boom"), "The search failed: boom (RuntimeError in HERE)."),
        (RuntimeError(), "The search failed: it raised an error without words (RuntimeError in HERE)."),
        (KeyError("x"), "The search failed: it looked for 'x', which is not there (HERE)."),
        (MemoryError(), "The search ran out of memory; give it less among its options."),
    ],
    ids=["own error", "bug", "bug without words", "key", "memory"],
)
def test_a_failure_becomes_one_sentence_and_the_next_search_works(
    qtbot: QtBot,
    service: SearchService,
    heard: Heard,
    finish: Callable[..., Snapshot],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    where: str,
    error: Exception,
    message: str,
) -> None:
    with monkeypatch.context() as broken:
        break_search(broken, error, where)
        with qtbot.waitSignal(service.search_failed):
            service.start(NIM, mcts())
    assert [re.sub(r"line \d+ of test_search_service\.py", "HERE", each) for each in heard.failures] == [message]
    assert ("Traceback" in capsys.readouterr().err) == message.startswith("The search failed"), "a bug leaves a trace"
    assert not heard.finished
    assert not service.searching
    assert finish(mcts(20)).iterations == 20
    assert len(heard.failures) == 1


def test_of_an_agent_that_failed_no_search_is_left(
    qtbot: QtBot, service: SearchService, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        break_search(broken, AgentError("It broke."), "advance")
        with qtbot.waitSignal(service.agent_failed) as told:
            service.start(NIM, mcts())
    assert told.args == ["It broke."]
    assert not service.searching
    assert not service.holds(NIM, mcts())
    assert not heard.failures


# The end of the program


@pytest.mark.parametrize("slow_motion_s", [0.0, 30.0])
def test_shutdown_ends_the_thread_during_a_search(qtbot: QtBot, service: SearchService, slow_motion_s: float) -> None:
    service.start(GOMOKU, mcts(10**9), slow_motion_s=slow_motion_s)
    qtbot.waitSignal(service.snapshot_ready).wait()
    begin = time.perf_counter()
    service.shutdown()
    assert time.perf_counter() - begin < AT_ONCE_S
    assert not thread_runs()


def test_shutdown_drops_searches_that_still_wait(service: SearchService, heard: Heard) -> None:
    for seed in range(20):
        service.start(NIM, mcts(None, seed=seed, time_s=60.0))
    service.shutdown()
    assert not thread_runs()
    QApplication.processEvents()
    assert not heard.words


def test_shutdown_twice_or_before_any_search_is_harmless(service: SearchService) -> None:
    service.shutdown()
    service.shutdown()
    assert not thread_runs()
