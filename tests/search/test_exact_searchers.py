"""The players that know: Perfect beats everyone from a won position, the table is the theory, a budget is a budget."""

import time
from collections.abc import Callable
from typing import Literal

import pytest
from solving import solve

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move, NimGame, NimPosition, Side, parse_position
from nimdesk.games.nim.theory import winning_moves
from nimdesk.games.truth import MoveTruth, Solver, Truth, Value
from nimdesk.play.snapshots import kept
from nimdesk.search import Limit, Searcher, Snapshot, StopReason
from nimdesk.search.exact import PerfectSearcher, RandomSearcher, SolverSearcher, ValueTableSearcher
from nimdesk.search.flat import FlatSearcher
from nimdesk.search.options import FlatOptions, FlatPerfectOptions, PerfectOptions, SolverOptions, UctOptions
from nimdesk.search.parallel_uct import uct_searcher

EXACT: dict[str, Callable[[], Searcher]] = {
    "perfect": PerfectSearcher,
    "solver": SolverSearcher,
    "value-table": ValueTableSearcher,
}
PUBLISHED_UCT = UctOptions(iterations=500, exploration=0.5, log_n="root", expansion="first")
OPPONENTS: dict[str, Callable[[], Searcher]] = {
    **EXACT,
    "random": RandomSearcher,
    "flat": lambda: FlatSearcher(FlatOptions()),
    "flat-perfect": lambda: FlatSearcher(FlatPerfectOptions()),
    "uct": lambda: uct_searcher(PUBLISHED_UCT),
    "uct-perfect": lambda: uct_searcher(UctOptions(iterations=500, playouts="perfect_opponent")),
}


def analysed(searcher: Searcher, position: AnyPosition | str, seed: int = 1) -> Snapshot:
    at = parse_position(position) if isinstance(position, str) else position
    searcher.start(at, seed)
    while searcher.advance(Limit()) is None:
        pass
    return searcher.snapshot()


def choice(searcher: Searcher, position: AnyPosition | str, seed: int = 1) -> str:
    best = analysed(searcher, position, seed).best_move
    assert best is not None
    return best.text


def winner(position: AnyPosition, players: tuple[Searcher, Searcher], seed: int) -> Side | None:
    """Who wins when these two play from here, the first of them as the first side."""
    while position.outcome is None:
        best = analysed(players[position.turn], position, seed).best_move
        assert best is not None
        position = position.play(best)
    return position.outcome.winner


def nim(text: str) -> NimPosition:
    position = parse_position(text)
    assert isinstance(position, NimPosition)
    return position


def perfect(when_lost: Literal["random", "first", "longest"] = "random", time_s: float = 60.0) -> PerfectSearcher:
    return PerfectSearcher(PerfectOptions(when_lost=when_lost, time_s=time_s))


# As documents 000 and 003 have it: the first move that wins.
DOCUMENTED = PerfectOptions(when_won="first", when_lost="first", time_s=60.0)


@pytest.mark.slow
class TestPerfectBeatsEveryone:
    """Document 003's tournaments: 21 sticks (1 mod 4) are lost for the first player, 22 are won; all games of all."""

    @pytest.mark.parametrize("opponent", OPPONENTS)
    def test_as_the_second_player_from_21(self, opponent: str) -> None:
        players = OPPONENTS[opponent](), perfect()
        results = [winner(parse_position("nim:21:max3:misere"), players, seed) for seed in range(25)]
        assert results == [Side.SECOND] * 25

    @pytest.mark.parametrize("opponent", OPPONENTS)
    def test_as_the_first_player_from_22(self, opponent: str) -> None:
        players = perfect(), OPPONENTS[opponent]()
        results = [winner(parse_position("nim:22:max3:misere"), players, seed) for seed in range(25)]
        assert results == [Side.FIRST] * 25

    @pytest.mark.parametrize("player", EXACT)
    @pytest.mark.parametrize(
        "text", ["nim:3,4,5", "nim:1,3,5,6:misere", "nim:2,2,1:misere", "nim:9,6,4:max3", "nim:7,5:max2:misere"]
    )
    def test_and_so_do_all_who_know_from_any_won_nim(self, player: str, text: str) -> None:
        players = EXACT[player](), RandomSearcher()
        assert winning_moves(nim(text))
        assert {winner(parse_position(text), players, seed) for seed in range(20)} == {Side.FIRST}

    @pytest.mark.parametrize("opponent", ["random", "flat", "uct"])
    def test_in_line_games_it_never_loses_and_wins_what_is_won(self, opponent: str) -> None:
        for seed in range(3):
            as_first, as_second = (perfect(), OPPONENTS[opponent]()), (OPPONENTS[opponent](), perfect())
            assert winner(parse_position("mnk:3,3,3"), as_first, seed) is not Side.SECOND
            assert winner(parse_position("mnk:3,3,3"), as_second, seed) is not Side.FIRST
            assert winner(parse_position("mnk:4,3,3"), as_first, seed) is Side.FIRST

    def test_the_documents_own_results_come_out(self) -> None:
        """003: flat as the first player loses 0:10 to Perfect, who as the first player still wins 10:0 from 21."""
        start = parse_position("nim:21:max3:misere")
        flat = FlatSearcher(FlatOptions())
        assert sum(winner(start, (flat, perfect()), seed) is Side.FIRST for seed in range(30)) == 0
        # Perfect starts from a lost position here, and flat lets nearly every win go by.
        assert sum(winner(start, (perfect(), flat), seed) is Side.FIRST for seed in range(30)) >= 25
        # The two that do not err leave the second player the win, whoever plays which side.
        reader = FlatSearcher(FlatPerfectOptions())
        for players in ((perfect(), reader), (reader, perfect()), (perfect(), ValueTableSearcher())):
            assert {winner(start, players, seed) for seed in range(10)} == {Side.SECOND}


class TestPerfect:
    def test_of_the_documents_takes_the_smallest_winning_take(self) -> None:
        for text in ("nim:22:max3:misere", "nim:3,4,5", "nim:5,3:max3:misere", "nim:2,1,1", "nim:64,63,1"):
            position = nim(text)
            if winning_moves(position):
                assert choice(PerfectSearcher(DOCUMENTED), position) == winning_moves(position)[0].text

    def test_in_a_lost_position_plays_as_it_was_told(self) -> None:
        lost = "nim:21:max3:misere"
        assert {choice(perfect(), lost, seed) for seed in range(40)} == {"1-1", "1-2", "1-3"}
        assert choice(perfect(), lost, 5) == choice(perfect(), lost, 5)
        # One fixed seed must not play the same in every position of a game.
        assert len({choice(perfect(), f"nim:{sticks}:max3:misere", 1) for sticks in range(5, 62, 4)}) == 3
        assert {choice(perfect("first"), lost, seed) for seed in range(5)} == {"1-1"}
        # 1-3-5-7 is lost, in 16 plies at best; taking a whole pile would shorten it.
        truth = solve(parse_position("nim:1,3,5,7"), 1.0)
        longest = choice(perfect("longest"), "nim:1,3,5,7")
        assert truth.of(parse_position("nim:1,3,5,7").parse_move(longest)).distance == truth.distance == 16

    @pytest.mark.parametrize("text", ["mnk:3,3,3 a1 b1 b2 a2", "mnk:4,4,3 b2 a1", "mnk:7,6,4:gravity d1 d2 c1 c2"])
    def test_wins_soonest_whatever_the_seed(self, text: str) -> None:
        truth = solve(parse_position(text), 60.0)
        assert truth.value is Value.WIN
        assert len(truth.quickest_moves) < len(truth.best_moves)
        assert {choice(perfect(), text, seed) for seed in range(20)} <= {move.text for move in truth.quickest_moves}

    @pytest.mark.parametrize("player", ["perfect", "solver", "level6"])
    @pytest.mark.parametrize("text", ["take:wythoff:2,2", "take:4.07:4", "take:{1,3,4}:3"])
    def test_a_win_at_once_is_taken_where_theory_has_no_distances(self, player: str, text: str) -> None:
        position = parse_position(text)
        (at_once,) = position.winning_moves
        truth = solve(position, 60.0)
        assert truth.quickest_moves == (at_once,)
        assert len(truth.best_moves) > 1, "others win as well, more slowly"
        for seed in range(8):
            snapshot = analysed(make_agent(player).new_searcher(position), position, seed)
            assert snapshot.best_move == at_once

    def test_in_line_games_plays_what_draws_and_resists_as_it_was_told(self) -> None:
        assert choice(perfect(), "mnk:3,3,3") == "b2", "all moves draw: the game prefers the centre"
        assert choice(PerfectSearcher(DOCUMENTED), "mnk:3,3,3") == "a1"
        assert choice(perfect(), "mnk:3,3,3 a1") == "b2"
        lost = parse_position("mnk:3,3,3 a1 b1 b2")
        truth = solve(lost, 60.0)
        assert truth.value is Value.LOSS
        assert {choice(perfect(), lost, seed) for seed in range(40)} == {move.text for move in lost.legal_moves}
        resisting = lost.parse_move(choice(perfect("longest"), lost))
        assert truth.of(resisting).distance == truth.distance


class TestSolver:
    def test_wins_soonest_and_loses_latest(self) -> None:
        for text in ("mnk:3,3,3 a1 b1", "mnk:3,3,3 a1 b1 b2", "mnk:4,3,3", "nim:5,3:max3:misere", "nim:1,3,5,7"):
            position = parse_position(text)
            snapshot = analysed(SolverSearcher(SolverOptions(time_s=60.0)), position)
            truth = solve(position, 60.0)
            best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
            assert (best.proven, best.distance) == (truth.value, truth.distance)

    def test_plays_a_won_game_to_its_end_in_the_number_of_plies_it_said(self) -> None:
        position = parse_position("mnk:4,3,3")
        solver = SolverSearcher(SolverOptions(time_s=60.0))
        distance = solve(position, 60.0).distance
        plies = 0
        while position.outcome is None:
            best = analysed(solver, position).best_move
            assert best is not None
            position, plies = position.play(best), plies + 1
        assert (plies, position.winner) == (distance, Side.FIRST)

    @pytest.mark.parametrize("player", EXACT)
    @pytest.mark.parametrize("text", ["nim:3,4,5:misere 3-4", "nim:21:max3", "nim:13:max3"])
    def test_all_say_what_is_proven_and_nothing_else(self, player: str, text: str) -> None:
        snapshot = analysed(EXACT[player](), text)
        truth = solve(snapshot.position, 1.0)
        assert [(stats.move, stats.proven, stats.distance) for stats in snapshot.moves] == [
            (move.move, move.value, move.distance) for move in truth.moves
        ]
        assert all(
            (stats.visits, stats.mean_value, stats.principal_variation) == (0, None, ()) for stats in snapshot.moves
        )
        assert (snapshot.agent, snapshot.iterations, snapshot.trace) == (player, 0, None)
        assert snapshot.stopped is StopReason.COMPLETE
        assert snapshot.comment.endswith(".")
        kept(snapshot, snapshot.position)

    def test_comments_say_how_it_ends(self) -> None:
        assert "21 mod 4 = 1" in analysed(perfect(), "nim:21:max3:misere").comment
        assert "wins in 5 plies" in analysed(SolverSearcher(SolverOptions(time_s=60.0)), "mnk:3,3,3 a1 b1").comment

    @pytest.mark.parametrize("player", EXACT)
    def test_a_finished_game_is_refused_in_words(self, player: str) -> None:
        with pytest.raises(ValueError, match="the game is over"):
            EXACT[player]().start(parse_position("nim:1 1-1"), 0)


class TestABudget:
    """What is played when the time is up before everything is proven."""

    @pytest.mark.parametrize("name", ["perfect", "solver"])
    def test_ends_the_search_of_a_game_beyond_reach(self, name: str) -> None:
        searcher = make_agent(name, {"time_s": 0.15}).new_searcher()
        searcher.start(parse_position("mnk:15,15,5"), 1)
        assert searcher.snapshot().best_move is None
        slices = 0
        while (reason := searcher.advance(Limit(time_s=0.02 * (slices + 1)))) is None:
            slices += 1
            assert searcher.snapshot().stopped is None
        snapshot = searcher.snapshot()
        assert reason is snapshot.stopped is StopReason.TIME
        assert searcher.advance(Limit()) is StopReason.TIME
        assert snapshot.elapsed_s >= 0.15
        assert all(stats.proven is None for stats in snapshot.moves)
        assert snapshot.best_move is not None
        assert snapshot.best_move.text == "h8"
        assert snapshot.comment == "Time was up and 225 of 225 moves are not worked out; nothing is proven of h8."
        kept(snapshot, snapshot.position)

    @pytest.mark.parametrize(
        ("values", "played", "says"),
        [
            ("LUDU", "a2", "Time was up and 2 of 4 moves are not worked out; a2 is proven to be a draw at least."),
            ("LUUL", "a2", "Time was up and 2 of 4 moves are not worked out; nothing is proven of a2."),
            ("LLUL", "a2", "Time was up and 1 of 4 moves is not worked out; nothing is proven of a2."),
        ],
    )
    def test_plays_a_draw_before_the_unknown_before_a_loss(
        self, values: str, played: str, says: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: HalfKnown(values))
        for searcher in (perfect(time_s=0.01), SolverSearcher(SolverOptions(time_s=0.01))):
            snapshot = analysed(searcher, FOUR_LEFT)
            assert snapshot.best_move is not None
            assert (snapshot.best_move.text, snapshot.comment) == (played, says)
            assert [stats.proven for stats in snapshot.moves] == [
                None if letter == "U" else value_of(letter) for letter in values
            ]

    def test_says_that_nothing_is_proven_of_the_move_though_the_value_is_known(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: HalfKnown("LLUU", value=Value.DRAW))
        snapshot = analysed(perfect(time_s=0.01), FOUR_LEFT)
        assert snapshot.comment == "Time was up and 2 of 4 moves are not worked out; nothing is proven of a2."

    def test_plays_a_win_that_is_proven_though_others_are_unknown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: HalfKnown("UDWW", distances=(None, 4, 3, 1)))
        documented = PerfectSearcher(PerfectOptions(when_won="first", time_s=0.01))
        quickest = SolverSearcher(SolverOptions(time_s=0.01)), perfect(time_s=0.01)
        for searcher, played in ((documented, "a2"), *((searcher, "c2") for searcher in quickest)):
            assert choice(searcher, FOUR_LEFT) == played
            assert searcher.snapshot().comment == "X can win, with a2 or c2."

    def test_is_not_spent_on_compiling(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is compiled at the very first start of nimdesk; that takes longer than a search may."""

        class ToBeCompiled(HalfKnown):
            def start(self, position: AnyPosition) -> None:
                time.sleep(0.5)
                super().start(position)

            def advance(self, limit: Limit) -> bool:
                return True

        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: ToBeCompiled("DWLL", (4, 3, 2, 2)))
        snapshot = analysed(perfect(time_s=0.05), FOUR_LEFT)
        assert snapshot.stopped is StopReason.COMPLETE
        assert snapshot.elapsed_s < 0.5

    def test_without_distances_the_longest_resistance_is_the_first_move(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: HalfKnown("LLLL"))
        assert choice(perfect("longest", 0.01), FOUR_LEFT) == "b1"
        assert choice(SolverSearcher(SolverOptions(time_s=0.01)), FOUR_LEFT) == "b1"
        monkeypatch.setattr("nimdesk.search.exact.solver_for", lambda _: HalfKnown("LLLL", distances=(2, None, 4, 4)))
        assert choice(perfect("longest", 0.01), FOUR_LEFT) == "a2"


FOUR_LEFT = "mnk:3,2,3 a1 b2"  # b1, c1, a2 and c2 are left, X to move


def value_of(letter: str) -> Value:
    return {"W": Value.WIN, "D": Value.DRAW, "L": Value.LOSS, "U": Value.UNKNOWN}[letter]


class HalfKnown:
    """A solver that never finds out more than it was given."""

    progress = 0.5

    def __init__(
        self, values: str, distances: tuple[int | None, ...] = (None,) * 4, value: Value = Value.UNKNOWN
    ) -> None:
        self._values, self._distances, self._value = values, distances, value

    def start(self, position: AnyPosition) -> None:
        values = [value_of(letter) for letter in self._values]
        known = self._value
        if Value.WIN in values:
            known = Value.WIN
        elif set(values) == {Value.LOSS}:
            known = Value.LOSS
        moves: tuple[Move, ...] = position.legal_moves
        truths = tuple(map(MoveTruth, moves, values, self._distances))
        self._truth = Truth(position, known, None, truths)

    def advance(self, limit: Limit) -> bool:
        return False

    def truth(self) -> Truth:
        return self._truth


def test_the_half_known_solver_is_a_solver() -> None:
    solver: Solver = HalfKnown("LLLL")
    assert solver.progress == 0.5


class TestValueTable:
    @pytest.mark.parametrize(
        "text", ["nim:21:max3:misere", "nim:21:max3", "nim:12:misere", "nim:3,4,5", "nim:1,3,5:misere", "nim:6,7:max4"]
    )
    def test_is_what_theory_says_of_every_position_of_the_game(self, text: str) -> None:
        searcher = ValueTableSearcher()
        start = nim(text)
        for piles in all_below(start.game):
            position = NimPosition(start.game, piles, ())
            truth = solve(position, 1.0)
            snapshot = analysed(searcher, position)
            assert [stats.proven for stats in snapshot.moves] == [move.value for move in truth.moves]
            assert snapshot.best_move == (winning_moves(position) or position.legal_moves)[0]

    def test_can_be_looked_at(self) -> None:
        listing = analysed(ValueTableSearcher(), "nim:21:max3:misere 1-3").listing
        assert len(listing) == 1 + 22
        assert listing[:4] == (
            "sticks  value  best take",
            "     0  win    over: the opponent took the last stick, and loses",
            "     1  loss   none: every move loses",
            "     2  win    1",
        )
        assert listing[-1] == "    21  loss   none: every move loses"
        for sticks, line in enumerate(listing[1:]):
            assert line.split()[:2] == [str(sticks), "loss" if sticks % 4 == 1 else "win"]
        several = analysed(ValueTableSearcher(), "nim:1,2,3").listing
        assert (several[0], several[-2], several[-1]) == (
            "piles  value  best take",
            "  2-3  win    1 from 3",
            "1-2-3  loss   none: every move loses",
        )

    def test_of_a_larger_game_is_listed_in_part(self) -> None:
        snapshot = analysed(ValueTableSearcher(), "nim:20,20,20")
        assert snapshot.tree_nodes == 1771
        assert len(snapshot.listing) == 1 + 1_000 + 1
        assert snapshot.listing[-1] == "… and 771 larger positions"
        assert snapshot.comment.startswith("First can win")

    @pytest.mark.parametrize("text", ["nim:64,64,64", "nim:" + ",".join(["64"] * 12)])
    def test_of_too_large_a_game_is_refused_in_one_sentence(self, text: str) -> None:
        with pytest.raises(OptionError, match=r"^Nim 64-64.* positions, too many for a value table of 10,000; choose"):
            ValueTableSearcher().start(parse_position(text), 0)

    def test_of_another_game_is_refused_in_one_sentence(self) -> None:
        with pytest.raises(OptionError, match=r"^The value table plays Nim only, not Tic-tac-toe; choose Solver"):
            ValueTableSearcher().start(parse_position("mnk:3,3,3"), 0)


def all_below(game: NimGame) -> list[tuple[int, ...]]:
    """Every position of the game but the last one, without a stick."""
    found: list[tuple[int, ...]] = [()]
    for size in game.piles:
        found = [(*piles, left) for piles in found for left in range(size + 1)]
    return found[1:]
