"""The theory pane says what theory says, marks the winning take, and names why the search is right or wrong."""

from __future__ import annotations

import base64
import re

import pytest
from desk import WAIT_MS, Desk, OpenDesk
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from solving import solve

from nimdesk.games import NimGame, NimPosition, parse_position, solver_for
from nimdesk.games.nim.theory import nim_columns, solve_nim, winning_moves
from nimdesk.search import Limit, MoveStats, Snapshot
from nimdesk.ui.boards.theory import theory_html, verdict_sentence
from nimdesk.ui.laboratory.board_panel import TheoryPanel
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.studied import Studied, new_agent
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.look.theme import LOOK


def nim(text: str) -> NimPosition:
    position = parse_position(text)
    assert isinstance(position, NimPosition)
    return position


def words(text: str, *, other: bool = False) -> str:
    """The pane as plain text."""
    position = parse_position(text)
    html = theory_html(position, solve(position, 10.0), "", other=other)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html.replace("&nbsp;", " "))).strip()


def chose(text: str, move: str) -> Snapshot:
    position = parse_position(text)
    best = position.parse_move(move)
    moves = tuple(MoveStats(each, 10 if each == best else 1, 0.5) for each in position.legal_moves)
    return Snapshot(position, "uct", 1, 20, 0.1, moves, best)


def test_columns_sum_and_take_of_the_textbook_position() -> None:
    text = words("nim:3,4,5")
    assert "1 3 0 1 1 ◀ take 2, leave 1 = 001" in text
    assert "Σ 0 1 0 nim-sum 2" in text
    assert "after it: nim-sum 0" in text
    assert text.endswith("Winning move: take 2 from pile 1 .")


def test_a_lost_position_marks_no_take() -> None:
    text = words("nim:1,4,5")
    assert "◀" not in text
    assert "nim-sum 0: every column is even" in text
    assert "Winning" not in text


def test_the_strip_marks_what_is_lost() -> None:
    text = words("nim:21:max3")
    assert "n 0 1 2 3 4" in text
    assert "mod 4 0 1 2 3 0" in text
    assert "the pile of 21 is won" in text
    assert "the pile of 20 is lost" in words("nim:20:max3")


def test_a_long_strip_shows_the_cells_around_the_pile() -> None:
    text = words("nim:64:max5 1-5 1-5 1-5")
    assert " 49 " in text
    assert " 0 1 2 3 4 5 6 7 8 9 10 11 12 " not in text


def test_several_piles_with_a_largest_take_show_remainders() -> None:
    assert "mod 4" in words("nim:7,9,12:max3")
    assert "1 7 3 1 1" in words("nim:7,9,12:max3")


def test_the_other_rule_says_what_changes_and_what_does_not() -> None:
    assert "nothing changes" in words("nim:3,4,5", other=True)
    assert "The rule decides: in misère play this is won" in words("nim:1,1", other=True)
    assert "the winning moves are others" in words("nim:1,1,2", other=True)
    assert "Study it in normal play" in words("nim:3,4,5:misere", other=True)


@settings(max_examples=150)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.one_of(st.none(), st.integers(1, 5)),
    st.booleans(),
    st.data(),
)
def test_the_sentence_agrees_with_theory(piles: list[int], most: int | None, misere: bool, data: st.DataObject) -> None:
    position = NimGame(tuple(piles), most, misere).start()
    truth = solve_nim(position)
    move = data.draw(st.sampled_from(position.legal_moves))
    sentence = verdict_sentence(chose(position.text, move.text), truth)
    wins = winning_moves(position)
    if not wins:
        assert "every move loses" in sentence
    elif move in wins:
        assert "theory agrees" in sentence
    else:
        assert "theory says" in sentence
        assert "while" in sentence
    after = position.play(move)
    # Where the reason is a nim-sum, it is that of the piles after the move.
    if (named := re.search(rf"{move.text} leaves the \w+ [\d, ]+ with nim-sum (\d+)", sentence)) is not None:
        assert int(named[1]) == nim_columns(after).nim_sum
    assert theory_html(position, truth, "")


def test_of_a_start_that_is_not_proven_the_literature_is_told() -> None:
    start = parse_position("mnk:15,15,5")
    told = "The literature tells that the first side can win: Allis"
    assert told in theory_html(start, solve(start, 0.05), "")
    later = start.play(start.legal_moves[0])
    assert "literature" not in theory_html(later, solve(later, 0.05), "")


def test_m_n_k_games_tell_what_was_proven_and_at_what_cost() -> None:
    text = words("mnk:3,3,3 a1 b1")
    truth = solve(parse_position("mnk:3,3,3 a1 b1"), 10.0)
    assert f"The solver proved 7 of 7 moves. It visited {truth.nodes:,} positions" in text
    assert re.search(r"4 win .*3 draw|\d win", text)


def test_the_sentence_for_m_n_k_games_names_the_refutation() -> None:
    text = "mnk:3,3,3 a1 b1"
    truth = solve(parse_position(text), 10.0)
    bad = next(each.move.text for each in truth.moves if each.move not in truth.best_moves)
    assert "theory says" in verdict_sentence(chose(text, bad), truth)


@pytest.fixture
def page(open_desk: OpenDesk) -> LaboratoryPage:
    desk: Desk = open_desk("nim:3,4,5")
    desk.window.modes.show_mode(LABORATORY)
    page = desk.laboratory
    page.tabs.setCurrentWidget(page.panel(TheoryPanel))
    desk.wait(lambda: page.model.proof.truth is not None)
    return page


def test_a_search_that_goes_by_the_mean_is_told_with_its_mean(page: LaboratoryPage, qtbot: QtBot) -> None:
    page.model.agents.set_all((Studied(new_agent("flat"), 1),))
    page.model.searches.set_limit(1200.0)
    page.model.searches.run()
    panel = page.panel(TheoryPanel)
    qtbot.waitUntil(lambda: not page.model.searches.running, timeout=WAIT_MS)
    page.display.draw_now()
    state = page.model.shown.at.state
    assert state is not None
    assert state.best_move is not None
    stats = state.stats_of(state.best_move)
    assert stats is not None
    assert f"(with a mean value of {stats.mean_value:.2f})" in panel.verdict.text()
    assert "of the visits" not in panel.verdict.text()


def test_links_point_and_play(page: LaboratoryPage) -> None:
    page.panel(TheoryPanel).text.highlighted.emit(QUrl("move:1-2"))
    assert page.model.pointing.move == page.model.place.position.parse_move("1-2")
    page.panel(TheoryPanel).text.highlighted.emit(QUrl())
    assert page.model.pointing.move is None
    page.panel(TheoryPanel).text.anchorClicked.emit(QUrl("move:1-2"))
    assert page.model.place.position.text == "nim:3,4,5 1-2"


def test_the_switch_shows_the_other_rule_and_its_link_studies_it(page: LaboratoryPage) -> None:
    page.panel(TheoryPanel).other.click()
    assert "misère" in page.panel(TheoryPanel).text.toPlainText()
    page.panel(TheoryPanel).text.anchorClicked.emit(QUrl("rule:other"))
    assert page.model.place.position.text == "nim:3,4,5:misere"
    assert not page.panel(TheoryPanel).other.isChecked()


def test_nothing_is_given_away_while_truth_is_hidden(page: LaboratoryPage) -> None:
    page.set_truth_shown(False)
    assert "hidden" in page.panel(TheoryPanel).text.toPlainText()
    assert "nim-sum" not in page.panel(TheoryPanel).text.toPlainText()
    assert not page.panel(TheoryPanel).other.isVisible()


def test_each_pile_with_a_winning_take_is_marked() -> None:
    text = words("nim:9,14,21:max5:misere")
    assert re.findall(r"◀ (take \d+, leave \d+)", text) == ["take 2, leave 7", "take 2, leave 12", "take 2, leave 19"]


def test_a_proof_under_way_is_not_called_given_up() -> None:
    position = parse_position("mnk:8,7,4:gravity")
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit(nodes=2_000))
    truth, sentence = solver.truth(), "What this position is worth is not proven. (proving, 3%)"
    html = theory_html(position, truth, sentence, proving=True)
    assert html.count("is not proven.") == 1
    assert "(proving, 3%)" in html
    assert f"so far it has proven 0 of 8 moves, and visited {truth.nodes:,} positions" in html
    assert "budget" not in html
    at_the_end = theory_html(position, truth, "")
    assert "Not proven within the budget" in at_the_end
    assert "It gave up.</p>" in at_the_end, "of no move it has proven anything"


def test_the_page_of_a_position_that_is_being_worked_out_does_not_call_it_given_up(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5")
    desk.window.modes.show_mode(LABORATORY)
    page = desk.laboratory
    panel = page.panel(TheoryPanel)
    page.tabs.setCurrentWidget(panel)
    desk.wait(lambda: page.model.proof.truth is not None)
    page.display.draw_now()
    assert page.model.proof.proving
    text = panel.text.toPlainText()
    assert text.startswith("Working it out…")
    assert "The solver is at work: so far it has proven 0 of 225 moves" in text
    assert "gave up" not in text


def test_a_take_away_game_shows_its_values_as_words_and_as_a_picture(qapp: QApplication) -> None:
    position = parse_position("take:0.77:9,12")
    html = theory_html(position, solve(position, 10.0), "")
    assert "Grundy values of 0.77: 9 has 4, 12 has 4." in html
    assert "In the shaded part they repeat, by the rule of Guy and Smith forever." in html
    picture = re.search(r"src='data:image/png;base64,([^']+)'", html)
    assert picture is not None
    image = QImage.fromData(base64.b64decode(picture[1]))
    assert {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 8)} > {
        LOOK.theme.win,
        LOOK.theme.text,
    }
    misere = parse_position("take:0.77:9:misere")
    assert "Grundy" not in theory_html(misere, solve(misere, 60.0), "")


def test_a_draw_by_pairs_is_drawn_as_numbers_on_the_board() -> None:
    text = words("mnk:5,4,5 c2")
    assert "Why O cannot win: every line that O could still complete holds both cells of one number." in text
    board = text.partition("marks the other. ")[2].split()
    assert len(board) == 20
    assert board[12] == "X", "the row at the top comes first"
    numbers = [each for each in board if each.isdigit()]
    assert sorted(numbers) == sorted(2 * sorted(set(numbers)))
    # A line is a whole row here: each row without X holds a pair.
    assert all(len(set(row)) < 5 or "X" in row for row in (board[at : at + 5] for at in range(0, 20, 5)))
    assert "Why" not in words("mnk:4,3,3 b2")
