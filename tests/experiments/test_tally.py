"""What is counted of games and searches, and the tables made of it."""

import csv
import io
import itertools
import math
import random
from pathlib import Path

import pytest
from msgspec.structs import replace
from runs import counted as counted_of
from runs import finished, mixed_plan

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.sections import blunder_words, crosstable
from nimdesk.experiments.matches.tally import MatchTally, SideTally
from nimdesk.experiments.matches.work import GameResult, GameTask, Matches, MatchPart, PlyResult
from nimdesk.experiments.parts import MAX_TRUTH_NODES, PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.report import TABLES, columns_text, csv_files, markdown, notes, sections
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import MoveResult, Searches, SearchesTally, SearchPart, SearchResult, SearchTally
from nimdesk.experiments.statistics import Sprt, wilson
from nimdesk.experiments.tables import cell_text
from nimdesk.experiments.truth import judge
from nimdesk.games import parse_position
from nimdesk.games.mnk.theory import MnkSolver
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import Value
from nimdesk.limit import Limit


def by_hand() -> tuple[Plan, list[Result]]:
    """Four games of a against b from 2-2, one of them lost by a fault, and two searches of one stick more."""
    players = {"a": PlayerPart(agent="random"), "b": PlayerPart(agent="uct")}
    plan = new_plan(
        "hand",
        players,
        matches=[MatchPart(players=["a", "b"], positions=["nim:2,2"], games=2)],
        searches=[SearchPart(players=["b"], positions=["nim:3,2"], repeats=2)],
    )
    good, bad = PlyResult("2-2", 100, 40, 0.5, "+"), PlyResult("1-1", 50, 20, 0.25, "-")
    idle, unknown = PlyResult("1-2", 0, 0, 0.0, "="), PlyResult("1-1", 30, 10, 0.125, "?")
    results: list[Result] = [
        GameResult(0, "nim:2,2", 1, (idle, good)),  # a first: b wins
        GameResult(1, "nim:2,2", 0, (unknown, bad, good)),  # b first: b wins
        GameResult(2, "nim:2,2", 0, (idle, bad, good, idle)),  # a first: a wins
        GameResult(3, "nim:2,2", 0, (idle,), "Random failed."),  # b first: a fails
        SearchResult(4, "1-1", "+", 100, 41, 0.5, True, (MoveResult("1-1", 90, 0.75), MoveResult("2-1", 10, 0.25))),
        SearchResult(5, "2-1", "-", 100, 43, 1.5, True, (MoveResult("1-1", 40, 0.5), MoveResult("2-1", 60, None))),
    ]
    return plan, results


@pytest.fixture
def found() -> Found:
    plan, results = by_hand()
    return counted_of(schedule_of(plan), results)


@pytest.fixture
def counted(found: Found) -> MatchTally:
    return found[MatchTally]


def test_a_result_that_is_not_what_the_plan_says_is_refused(found: Found) -> None:
    game, search = found[MatchTally].results[0], found[SearchesTally].results[0]
    empty = Found(found.schedule, Path("x.db"))
    for result, number, words in (
        (game, 4, "a result in it is of another kind than its task"),
        (search, 0, "a result in it is of another kind than its task"),
        (game, 6, "they hold a game beyond the plan's last"),
    ):
        with pytest.raises(ResultsError, match=rf"“x\.db” .*: {words}\.$"):
            empty.add(replace(result, number=number))
    kept = empty[MatchTally].results, empty[SearchesTally].results
    assert (empty.done, *map(len, kept), empty.numbers) == (0, 0, 0, set())


def test_the_moves_of_a_side_are_added_up() -> None:
    side = SideTally()
    side.add((PlyResult("2-2", 100, 40, 0.5, "+"), PlyResult("1-1", 50, 20, 0.25, "-")))
    side.add((PlyResult("1", 7, 2, 0.0, "?"),))
    assert side == SideTally(moves=3, iterations=157, nodes=62, time_s=0.75, known=2, decisions=2, mistakes=1)


def test_games_are_counted_by_role_and_for_the_pair(counted: MatchTally) -> None:
    a_first, b_first = counted.settings
    assert (a_first.games, a_first.wins, a_first.draws, a_first.plies) == (2, [1, 1], 0, 6)
    assert (b_first.games, b_first.wins, b_first.forfeits) == (2, [2, 0], 1)
    (pairing,) = counted.pairings
    assert pairing.counts == (1, 0, 3)
    assert pairing.score == 0.25
    assert b_first.win_rate(0) == 1.0  # type: ignore[arg-type]
    assert b_first.win_interval(0) == wilson(2, 2)  # type: ignore[arg-type]


def test_a_drawn_game_is_half_a_point() -> None:
    plan, _ = by_hand()
    tally = MatchTally(schedule_of(plan)[Matches])
    (pairing,) = tally.pairings
    assert pairing.score is None
    for number, winner in enumerate((0, None, None)):  # a wins as the first, then draws twice
        tally.add(GameResult(number, "nim:2,2", winner, ()))
    assert pairing.counts == (1, 2, 0)
    assert pairing.score == pytest.approx(2 / 3)


def test_a_sequential_test_counts_its_games_in_order_and_none_after_the_deciding_one() -> None:
    players = {"a": PlayerPart(agent="random"), "b": PlayerPart(agent="random")}
    test = Sprt(elo0=0, elo1=400)
    matches = [
        MatchPart(players=["a", "b"], positions=["nim:2,2"], games=100, sprt=test),
        MatchPart(players=["a", "b"], positions=["nim:2,3"], games=100, sprt=test),
        MatchPart(players=["a", "b"], positions=["nim:2,4"], games=1),
    ]
    tally = MatchTally(schedule_of(new_plan("tests", players, matches=matches))[Matches])
    first, second, plain = tally.pairings
    total = tally.total
    last = next(games for games in range(1, 200) if test.decision(games, 0, 0) == "H1") - 1
    assert 1 < last < 100

    def won(number: int) -> GameResult:
        task = tally.matches.task(number)
        assert isinstance(task, GameTask)
        return GameResult(number, "nim:2,2", int(task.setting.swapped), ())

    tally.add(won(last + 3))
    tally.add(won(1))
    assert (first.games, tally.done) == (0, 2), "they wait for the first"
    tally.add(won(0))
    assert (first.games, tally.done) == (2, 3)
    assert (first.counts, second.counts) == ((2, 0, 0), (0, 0, 0))
    for number in range(2, last + 1):
        assert first.decision is None
        assert tally.counts(last + 3)
        tally.add(won(number))
    assert (first.decision, first.games, tally.done) == ("H1", last + 1, last + 1)
    assert [tally.counts(number) for number in (0, last, last + 1, last + 3)] == [True, True, False, False]
    assert tally.total == total - (first.pairing.tasks - first.games)
    # The others go on.
    begin, end = second.pairing.first, plain.pairing.first
    tally.add(won(begin))
    tally.add(won(end))
    assert (second.games, second.decision, plain.games, tally.done) == (1, None, 1, last + 3)
    assert tally.counts(begin + 50)
    assert tally.counts(end + 1)


@pytest.mark.parametrize(("best", "spared"), [(1, 4), (2, 2), (3, 0), (9, 0)])
def test_all_games_of_a_part_are_to_be_played_but_those_of_players_who_are_not_among_the_best(
    best: int, spared: int
) -> None:
    parts = [
        MatchPart(players=list("abcd"), format="gauntlet", positions=["nim:2,2"], games=1, best=each)
        for each in (9, best)
    ]
    players = {each: PlayerPart(agent="random") for each in "abcd"}
    tally = MatchTally(schedule_of(new_plan("halving", players, matches=parts))[Matches])
    assert tally.total == tally.matches.tasks - spared == 12 - spared


def test_games_of_a_later_part_count_once_the_part_before_is_complete() -> None:
    parts = [
        MatchPart(players=list("abcd"), format="gauntlet", positions=["nim:2,2"], games=1, best=each) for each in (9, 9)
    ]
    players = {each: PlayerPart(agent="random") for each in "abcd"}
    tally = MatchTally(schedule_of(new_plan("halving", players, matches=parts))[Matches])
    assert [each.plays for each in tally.pairings] == [True] * 3 + [None] * 3
    moves = PlyResult("2-2", 1, 1, 0.0, "+"), PlyResult("1-2", 1, 1, 0.0, "+")
    for number in [*range(6, 12), *range(5)]:
        tally.add(GameResult(number, "nim:2,2", 1, moves))
    assert [each.games for each in tally.pairings] == [2, 2, 1, 0, 0, 0]
    tally.add(GameResult(5, "nim:2,2", 1, moves))
    assert [each.games for each in tally.pairings] == [2] * 6


def test_moves_belong_to_the_side_that_played_them(counted: MatchTally) -> None:
    first, second = counted.settings[0].sides
    # a moves first: =, and =, +; b answers: +, and -, =.
    assert (first.moves, first.known, first.decisions, first.mistakes) == (3, 3, 1, 0)
    assert (second.moves, second.known, second.decisions, second.mistakes) == (3, 3, 2, 1)
    assert second.blunder_rate == 0.5
    assert second.optimal == 2
    assert second.mean_iterations == 50
    b = counted.pairings[0].side(1)
    assert (b.moves, b.decisions, b.mistakes) == (6, 3, 1)  # and ?, + and = of the games where b moved first
    assert b.time_s == 0.75 + 0.625


def test_blunders_say_of_how_many_decisions_where_not_all_moves_could_be_judged(found: Found) -> None:
    blunders = {each.title: [row[each.headers.index("Blunders")] for row in each.rows] for each in sections(found)
                if "Blunders" in each.headers}  # fmt: skip
    assert list(blunders.values()) == [["50.0% : 33.3% of 3"], ["0.0% : 50.0%", "0.0% of 1 : 100.0%"]]
    judged, unknown = SideTally(moves=9, known=9, decisions=4, mistakes=1), SideTally(moves=9)
    few, idle = SideTally(moves=9, known=3, decisions=2), SideTally(moves=9, known=9)
    assert blunder_words((judged, unknown), shares=False) == "1 : –"
    assert blunder_words((idle, few), shares=False) == "– : 0 of 2"


def test_in_a_position_with_moves_played_the_other_side_may_begin() -> None:
    players = {"a": PlayerPart(agent="random"), "b": PlayerPart(agent="random")}
    match = MatchPart(players=["a", "b"], positions=["nim:2,2 1-1"], games=1, swap=False)
    tally = MatchTally(schedule_of(new_plan("x", players, matches=[match]))[Matches])
    tally.add(GameResult(0, "nim:2,2 1-1", 1, (PlyResult("2-1", 7, 0, 0.0, "+"), PlyResult("1-1", 0, 0, 0.0, "="))))
    first, second = tally.settings[0].sides
    assert (first.iterations, second.iterations) == (0, 7)


def test_searches_are_counted(found: Found) -> None:
    (search,) = found[SearchesTally].settings
    assert search.choices == {"1-1": 1, "2-1": 1}
    assert (search.verdicts["+"], search.verdicts["-"], search.verdicts["="]) == (1, 1, 0)
    assert search.mean_nodes == 42
    assert search.mean_value("1-1") == 0.625
    assert search.mean_value("2-1") == 0.25
    assert search.mean_value("2-2") is None
    assert [found.counts(number) for number in range(found.total)] == [True] * 6


def test_the_mean_value_of_a_move_is_that_of_all_its_searches_in_any_order() -> None:
    def search(value: float | None, failure: str = "") -> SearchResult:
        return SearchResult(0, "", "?", 1, 1, 0.0, True, (MoveResult("a", 1, value),), failure)

    setting = schedule_of(mixed_plan(1))[Searches].settings[0]
    values = [0.1, 0.2, 0.3, 0.7, 1 / 3]
    for order in itertools.permutations([*values, None]):
        tally = SearchTally(setting)
        for value in order:
            tally.add(search(value))
        assert tally.mean_value("a") == math.fsum(values) / 5
    tally.add(search(None, "It failed."))
    assert (tally.searches, tally.failed, tally.complete, tally.choices) == (6, 1, 7, {})


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_tables_in_csv(found: Found) -> None:
    files = csv_files(found)
    games = rows(files["games.csv"])
    assert [row["winner"] for row in games] == ["second", "first", "first", "first"]
    assert [row["verdicts"] for row in games] == ["=+", "?-+", "=-+=", "="]
    assert (games[1]["first_simulations"], games[1]["second_simulations"]) == ("130", "50")
    assert games[3]["forfeit"] == "Random failed."
    (pairing,) = rows(files["pairings.csv"])
    assert (pairing["wins"], pairing["losses"], pairing["score"], pairing["opponent_mistakes"]) == (
        "1",
        "3",
        "0.25",
        "1",
    )
    (choice,) = rows(files["choices.csv"])
    assert choice["choices"] == "1-1:1 2-1:1"
    assert choice["right_rate"] == "0.5"
    assert [row["mean_s"] for row in rows(files["times.csv"])][-1] == "1"


def test_no_time_is_in_a_file_that_is_reproducible() -> None:
    named = [(table.name, column.name) for table in TABLES for column in table.columns]
    assert {name for name, column in named if "time" in column or column.endswith("_s")} == {"times"}


def test_every_column_is_explained() -> None:
    text = columns_text()
    for table in TABLES:
        assert f"**{table.name}.csv**" in text
        assert all(f"`{column.name}`: {column.about}" in text for column in table.columns)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (3, "3"), (0.25, "0.25"), (1 / 3, "0.333333"), (2.0, "2"), (-1e-9, "0"), (float("inf"), "inf")],
)
def test_numbers_in_csv(value: float | None, text: str) -> None:
    assert cell_text(value) == text


def test_the_order_of_results_makes_no_difference(tmp_path: Path) -> None:
    finished(mixed_plan(4), tmp_path / "x.db")
    stored = read(tmp_path / "x.db")
    before = csv_files(stored)
    for seed in range(3):
        shuffled = [*stored[MatchTally].results, *stored[SearchesTally].results]
        random.Random(seed).shuffle(shuffled)
        assert csv_files(counted_of(stored.schedule, shuffled)) == before


def test_the_crosstable_mirrors_itself(tmp_path: Path) -> None:
    finished(mixed_plan(4), tmp_path / "x.db")
    table = crosstable(read(tmp_path / "x.db")[MatchTally])
    names = table.headers[1:-1]
    cell = {(row[0], name): text for row in table.rows for name, text in zip(names, row[1:-1], strict=True)}
    for (one, other), text in cell.items():
        if text != "–":
            assert float(text[:-1]) + float(cell[other, one][:-1]) == pytest.approx(100, abs=0.11)
    assert cell["mcts", "mcts"] == "–"


def test_the_columns_of_a_large_crosstable_have_the_numbers_of_their_rows() -> None:
    players = {f"a-player-with-a-long-name-{i}": PlayerPart(agent="random") for i in range(8)}
    part = MatchPart(players=list(players), positions=["nim:1"], games=1)
    table = crosstable(counted_of(schedule_of(new_plan("many", players, matches=[part])), [])[MatchTally])
    assert table.headers == ("Player", *"12345678", "All others")
    assert [row[0] for row in table.rows] == [f"{number} {name}" for number, name in enumerate(players, 1)]


def test_the_report_has_every_section_and_note(found: Found) -> None:
    text = markdown(found)
    for section in sections(found):
        assert f"## {section.title}" in text
        assert all(len(row) == len(section.headers) for row in section.rows)
    assert "1 game was lost by a player that failed." in notes(found)


def test_of_many_rows_the_first_are_shown_and_the_csv_files_have_all() -> None:
    players = {name: PlayerPart(agent="random") for name in "ab"}
    matches = [MatchPart(players=["a", "b"], positions=["nim:2,2"], games=1)] * 1_300
    searches = [SearchPart(players=["a"], positions=["nim:3,2"], repeats=1)] * 201
    found = Found(schedule_of(new_plan("many", players, matches=matches, searches=searches)))
    shown = {section.title.partition(":")[0]: section for section in sections(found)}
    left_out = {"Pairings": 1_100, "By role and position": 2_400, "Moves": 2_400, "Searches": 1}
    assert {title: len(shown[title].rows) for title in left_out} == dict.fromkeys(left_out, 200)
    for title, number in left_out.items():
        assert shown[title].note == f"{number:,} more rows are in the CSV file."
    assert shown["Pairings"].rows[0][:2] == ("a", "b")
    files = csv_files(found)
    assert len(files["pairings.csv"].splitlines()) == 1 + 1_300
    assert len(files["table.csv"].splitlines()) == 1 + 2_600


@pytest.mark.parametrize(
    ("player", "written"),
    [
        ("<img src=x>", r"\<img src=x>"),
        (r"\<img src=x>", r"\\\<img src=x>"),
        ("![x](file:///dev/zero)", r"!\[x](file:///dev/zero)"),
        (r"\![x](file:///dev/zero)", r"\\!\[x](file:///dev/zero)"),
        (r"!\[x](y)", r"!\\[x](y)"),
    ],
)
def test_a_name_in_the_report_is_no_tag_and_no_picture_of_the_page(player: str, written: str) -> None:
    match = MatchPart(players=[player, player], positions=["nim:2,2"], games=2)
    plan = new_plan("x", {player: PlayerPart(agent="random")}, title=player, matches=[match])
    text = markdown(counted_of(schedule_of(plan), [GameResult(0, "nim:2,2", 1, (PlyResult("2-2", 0, 0, 0.0, "+"),))]))
    assert text.startswith(f"# {written}\n")
    assert text.count(written) > 1
    assert player not in text.replace(written, "")


def test_what_a_person_wrote_does_not_tell_a_terminal_what_to_do() -> None:
    match = MatchPart(players=["random", "random"], positions=["nim:2,2"], games=2)
    about = "one\x1b[31m\r\x9b2J\ttwo\nthree"
    plan = new_plan("x", {"random": PlayerPart(agent="random")}, title="\x1b]0;x\x07", about=about, matches=[match])
    text = markdown(counted_of(schedule_of(plan), []))
    assert text.startswith("# �]0;x�\n")
    assert "one�[31m��2J�two\nthree" in text
    assert all(letter.isprintable() for letter in text.replace("\n", ""))


@pytest.mark.parametrize("text", ["nim:3,4,5", "nim:1,3,5,7", "nim:9:max3:misere", "nim:2,2,1:misere", "nim:1:max3"])
def test_verdicts_in_nim_are_those_of_theory(text: str) -> None:
    position = parse_position(text)
    truth = solve_nim(position)
    values = {each.value for each in truth.moves}
    for each in truth.moves:
        expected = "=" if len(values) == 1 else "+" if each.value is truth.value else "-"
        assert judge(position, each.move, 0) == expected


def test_verdicts_on_a_board_are_those_of_the_solver() -> None:
    position = parse_position("mnk:3,3,3 a1")
    verdicts = {move.text: judge(position, move, MAX_TRUTH_NODES) for move in position.legal_moves}
    # After a corner only the centre draws.
    assert verdicts == {move.text: "+" if move.text == "b2" else "-" for move in position.legal_moves}
    assert judge(position, position.legal_moves[0], 0) == "?"
    assert judge(parse_position("mnk:15,15,5"), parse_position("mnk:15,15,5").legal_moves[0], 100) == "?"


def test_a_bounded_proof_does_not_depend_on_the_speed_of_the_machine() -> None:
    """However the work is sliced, the same is proven: the solver's table does not grow within MAX_TRUTH_NODES."""
    chance = random.Random(5)
    unknown = 0
    for text in ("mnk:5,5,4", "mnk:6,6,4", "mnk:7,6,4:gravity", "mnk:8,8,5"):
        position = parse_position(text)
        while position.outcome is None:
            whole, sliced = MnkSolver(distances=False), MnkSolver(distances=False)
            whole.start(position)
            whole.advance(Limit(nodes=MAX_TRUTH_NODES))
            sliced.start(position)
            nodes = 0
            while nodes < MAX_TRUTH_NODES and not sliced.advance(Limit(nodes=nodes)):
                nodes = min(nodes + chance.choice((7, 50, 333)), MAX_TRUTH_NODES)
            sliced.advance(Limit(nodes=MAX_TRUTH_NODES))
            assert whole.truth().moves == sliced.truth().moves
            unknown += any(each.value is Value.UNKNOWN for each in whole.truth().moves)
            for _ in range(3):
                if position.outcome is None:
                    position = position.play(chance.choice(position.legal_moves))
    assert unknown, "no position was too hard, and nothing was tested"
