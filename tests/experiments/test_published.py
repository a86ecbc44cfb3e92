"""The published tables: their plans run, their figures are those of the documents, and what is said of them holds."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from runs import finished, tasks

from nimdesk.errors import PlanError
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameResult, GameTask
from nimdesk.experiments.plan import plan_from_json
from nimdesk.experiments.published import BUILT_IN, built_in, published_as
from nimdesk.experiments.published.figures import measured, verdict_words
from nimdesk.experiments.published.nim_tables import win_fraction
from nimdesk.experiments.report import markdown, notes, sections
from nimdesk.experiments.schedule import schedule_of
from nimdesk.games import AnyPosition, Move, Side, parse_position
from nimdesk.limit import Limit
from nimdesk.search.alphabeta import AlphaBetaSearcher


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_plan_is_in_order(name: str) -> None:
    plan = BUILT_IN[name].plan
    assert plan.name == name
    assert plan_from_json(plan.to_json()) == plan
    schedule = schedule_of(plan)
    assert not any(note.startswith("Not reproducible") for note in schedule.notes)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_figure_is_of_something_that_the_plan_runs(name: str) -> None:
    schedule = schedule_of(BUILT_IN[name].plan)
    run = {
        (*task.setting.players, task.setting.position)
        if isinstance(task, GameTask)
        else (task.setting.player, task.setting.position)
        for task in tasks(schedule)
    }
    for figure in BUILT_IN[name].figures:
        assert figure.where in run
        assert figure.low is None or (figure.high is not None and 0 <= figure.low <= figure.high)


def test_the_sizes_are_those_of_the_documents() -> None:
    sizes = {name: schedule_of(each.plan).total for name, each in BUILT_IN.items()}
    # Five piles; 500/100, 500/0 and 500/5000 in both orders, and 500/500: 1,000 games each.
    assert sizes["000-piles"] == 5 * 7 * 1_000
    assert sizes["002-table-1"] == 5 * 2
    assert sizes["002-table-3"] == 26 * 100
    rows = {figure.where for figure in BUILT_IN["002-table-3"].figures}
    assert len(rows) == 26


def test_rows_of_table_3_of_document_002_add_up() -> None:
    totals: dict[tuple[str, ...], float] = {}
    for figure in BUILT_IN["002-table-3"].figures:
        assert figure.low is not None
        totals[figure.where] = totals.get(figure.where, 0.0) + figure.low
    # Two rows are printed with a sum of 99.
    assert {round(100 * total) for total in totals.values()} == {99, 100}


def test_an_unknown_table() -> None:
    with pytest.raises(PlanError, match=r"There is no published table “002-tabel-3”; did you mean 002-table-3\?$"):
        built_in("002-tabel-3")


def ran(name: str, games: int, folder: Path) -> Found:
    finished(BUILT_IN[name].plan.repeated(games), folder / "x.db")
    return read(folder / "x.db")


def test_what_theory_says_of_document_003_comes_out_also_of_a_smaller_plan(tmp_path: Path) -> None:
    found = ran("003-tournaments", 10, tmp_path)
    table = published_as(found.schedule.plan)
    assert table is BUILT_IN["003-tournaments"]
    text = markdown(found)
    assert "## Published and ours" in text
    assert table.source in text
    for comparison in table.compare(found):
        first, second, position = comparison.figure.where
        if position.startswith("nim:21") and second in ("Perfect", "Value"):
            assert comparison.ours.value == 0.0, first
            assert comparison.verdict == "both 0 %"


def test_the_counts_of_nodes_that_come_out_exactly(tmp_path: Path) -> None:
    plan = BUILT_IN["002-table-1"].plan
    finished(msgspec.structs.replace(plan, searches=plan.searches[:1]), tmp_path / "x.db")
    found = read(tmp_path / "x.db")
    compared = [each for each in BUILT_IN["002-table-1"].compare(found) if each.figure.quantity == "nodes"]
    found = {(each.figure.where, each.verdict): each.ours.value for each in compared}
    assert found[("Without ordering", "mnk:3,3,2"), "agrees"] == 165
    assert found[("Without ordering", "mnk:3,3,3"), "agrees"] == 18_297
    assert found[("With ordering", "mnk:3,3,2"), "differs"] == 128


def test_one_game_tells_nothing_of_a_table_of_shares(tmp_path: Path) -> None:
    compared = BUILT_IN["000-piles"].compare(ran("000-piles", 1, tmp_path))
    assert {each.verdict for each in compared} <= {"cannot tell", "differs"}
    assert sum(each.verdict == "differs" for each in compared) <= 3


def test_verdicts_are_counted_apart(tmp_path: Path) -> None:
    found = ran("003-tournaments", 12, tmp_path)
    compared = BUILT_IN["003-tournaments"].compare(found)
    counts = Counter(each.verdict for each in compared)
    assert sum(counts.values()) == len(BUILT_IN["003-tournaments"].figures)
    words, text = verdict_words(compared), markdown(found)
    extreme = counts["both 0 %"] + counts["both 100 %"]
    assert words.startswith(f"{counts['agrees'] + counts['differs']} of {sum(counts.values())} figures can be told: ")
    assert f"{counts['cannot tell']} cannot be told" in words
    assert f"{extreme} are 0 % or 100 % on both sides" in words
    assert words in text


def test_only_what_a_document_prints_stands_under_published(tmp_path: Path) -> None:
    found = ran("004-reliability", 4, tmp_path)
    parts = {section.title: section for section in sections(found)}
    assert all("exact" not in figure.printed for figure in BUILT_IN["004-reliability"].figures)
    assert len(parts["Exact and measured"].rows) == 57
    assert {row[-1] for row in parts["Exact and measured"].rows} == {"within its error"}
    verdicts = {row[0]: row[-1] for row in parts["Published and ours"].rows if row[1] == "right choices"}
    assert set(verdicts.values()) <= {"agrees", "differs", "cannot tell", "both 100 %"}, "every sentence is judged"


def test_notes_tell_the_numbers_of_their_own_run(tmp_path: Path) -> None:
    for games in (1, 2):
        (tmp_path / str(games)).mkdir()
        found = ran("002-table-2", games, tmp_path / str(games))
        (note,) = [each for each in notes(found) if "45 %" in each]
        shares = {
            each.setting.position: each.wins[0] / each.games
            for each in found[MatchTally].settings
            if each.setting.players == ("MCTS 5", "MCTS 500")
        }
        assert len(shares) == 3
        for position, share in shares.items():
            assert f"{share:.1%}".replace("%", " %") + f" of {games} on {position}" in note
        assert "12.9" not in note


def test_table_3_has_the_groups_the_times_and_the_conclusions_of_the_document(tmp_path: Path) -> None:
    found = ran("002-table-3", 1, tmp_path)
    parts = {section.title.partition(":")[0]: section for section in sections(found)}
    for title in ("Figure 5", "Figure 6"):
        assert [row[0] for row in parts[title].rows] == sorted(row[0] for row in parts[title].rows)
        assert {row[0] for row in parts[title].rows} == {"k = 3", "k = 4"}
    times = parts["Seconds a move"]
    assert len(times.rows) == 26
    assert times.rows[0][3] == "0.1628 : 0.0040"
    (larger,) = [note for note in notes(found) if "larger than 5x5" in note]
    for board in ("6,6,3", "6,6,4", "6,6,5", "7,7,3"):
        assert larger.count(board) == 1, "each board is told where the sentence holds, does not, or cannot be told"


def test_table_000_has_the_seconds_a_game_as_this_run_measured_them(tmp_path: Path) -> None:
    found = ran("000-piles", 2, tmp_path)
    (section,) = [each for each in sections(found) if each.title.startswith("Seconds a game")]
    assert "prints none of these times" in section.note
    assert "not reproducible" in section.note
    games = finished_games(found)
    assert len(section.rows) == 35
    for row in section.rows:
        took_s = [sum(ply.time_s for ply in game.plies) for where, game in games if where == row[:3]]
        assert len(took_s) == 2
        assert float(row[5]) == pytest.approx(sum(took_s) / 2, rel=0.01)


def finished_games(found: Found) -> list[tuple[tuple[str, ...], GameResult]]:
    """Each game with its players and its start."""
    games = []
    for result in found[MatchTally].results:
        setting = found[MatchTally].matches.task(result.number).setting
        games.append(((*setting.players, setting.position), result))
    return games


@pytest.mark.parametrize("name", [name for name, table in BUILT_IN.items() if table.readings])
def test_the_notes_of_a_table_lead_to_the_readings_that_explain_it(name: str, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "resources" / "readings.md").read_text(encoding="utf-8")
    assert f"\n## {BUILT_IN[name].readings}\n" in text
    (note,) = [note for note in notes(ran(name, 1, tmp_path)) if "Which mistakes" in note]
    assert note.endswith(BUILT_IN[name].readings_url)


def test_the_percentages_of_table_1_are_those_of_its_counts() -> None:
    counts: dict[str, dict[str, float]] = {}
    for figure in BUILT_IN["002-table-1"].figures:
        if figure.low is not None:
            counts.setdefault(figure.where[1], {})[f"{figure.where[0]}, {figure.quantity}"] = figure.low
    for each in counts.values():
        part = each["With ordering, nodes"] / each["Without ordering, nodes"]
        assert each["With ordering, part of the nodes"] == pytest.approx(part, abs=0.0001)


def test_win_fractions_of_document_004_are_those_of_its_program() -> None:
    """Its loop, all draws of the random numbers counted instead of some of them drawn."""

    def wins(num_items: int, first_move: int) -> float:
        def go_on(total: int, win: bool) -> float:
            if total >= num_items:
                return float(win)
            return sum(go_on(total + step, not win) for step in (1, 2, 3)) / 3

        return go_on(first_move, True)

    for sticks in range(1, 13):
        for take in range(1, min(3, sticks) + 1):
            assert win_fraction(sticks - take) == pytest.approx(wins(sticks, take))


def test_document_004_measured_is_what_is_exact(tmp_path: Path) -> None:
    found = ran("004-reliability", 4, tmp_path)
    for figure in BUILT_IN["004-reliability"].exact:
        assert measured(figure, found).value == pytest.approx(figure.low, abs=0.02)


@cache
def answer(position: AnyPosition) -> Move:
    searcher = AlphaBetaSearcher()
    searcher.start(position, 0)
    searcher.advance(Limit())
    move = searcher.snapshot().best_move
    assert move is not None
    return move


def ends(position: AnyPosition, side: Side) -> Iterator[Side | None]:
    """The winners of all games in which ``side`` is alpha-beta, six moves deep, and the other plays anything."""
    if position.outcome is not None:
        yield position.winner
    elif position.turn is side:
        yield from ends(position.play(answer(position)), side)
    else:
        for move in position.legal_moves:
            yield from ends(position.play(move), side)


@pytest.mark.parametrize("side", Side)
def test_alpha_beta_of_document_002_never_loses_at_tic_tac_toe(side: Side) -> None:
    """So that the 82% and the 70% that MCTS is said to have won against it cannot be right."""
    assert side.other not in set(ends(parse_position("mnk:3,3,3"), side))
