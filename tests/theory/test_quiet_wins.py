"""Wins by quiet moves: what is proven is what the solver knows, and what the checker of certificates proves again."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from certifying import claims, made, sealed, unpacked
from solving import BruteForce

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import GameParameterError
from nimdesk.games import MnkPosition, parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.certificate import certificate
from nimdesk.games.mnk.rules import all_cells
from nimdesk.games.mnk.solver.guided import GuidedWin, win_by
from nimdesk.games.mnk.solver.quiet import Node, QuietWin

COME_ALONG = sorted(resources_dir().glob("gomoku*.cert"))


@cache
def come_along(path: Path) -> dict[str, Any]:
    """What this file says; its positions are read when they are asked for."""
    return verify.read(path.read_bytes())


def first_reason(content: dict[str, Any]) -> list[Any]:
    """The winner's move, the answers that are named, and what follows all others."""
    reason: list[Any] = content["positions"][content["proofs"][0][2] // 8]["strategy"]
    return reason


def part(content: dict[str, Any], answer: int) -> dict[str, Any]:
    """What a proof says of the position after the winner's move and this answer."""
    move, answers, others = first_reason(content)
    own, other = content["marks"]
    after = ["strategy", None, dict(answers).get(answer, others)]
    rest = {name: given for name, given in content.items() if name != "position"}
    return {**rest, "marks": [[*own, move], [*other, answer]], "proofs": [after]}


@pytest.mark.parametrize("text", ["mnk:5,4,4:exact", "mnk:5,5,5"])
def test_what_it_wins_is_won_whatever_the_guide(text: str) -> None:
    chance, start = random.Random(5), parse_position(text)
    assert isinstance(start, MnkPosition)
    exact, won, known = BruteForce(start.game), 0, 0
    cells = start.game.m * start.game.n
    guides: list[Node] = []
    for _ in range(40):
        position = start
        for _ in range(chance.randint(cells - 10, cells - 6)):
            if position.outcome is None:
                position = position.play(chance.choice(position.legal_moves))
        if position.outcome is None:
            search = QuietWin(position)
            search.advance(300)
            (value, _plies), _moves = exact.of(position)
            assert not search.is_won or value > 0, position.text
            won, known = won + search.is_won, known + (value > 0)
            for guide in guides[-1:]:
                guided = GuidedWin(position, guide, may_go_on=lambda nodes: nodes < 3_000)
                assert not guided.find() or value > 0, position.text
            if search.is_won:
                guides.append(search.root)
    assert 2 * won > known > 0
    assert guides


def test_a_win_is_found_along_the_proof_after_another_answer() -> None:
    """Here and there the guide fails, and what is found in its place holds as well."""
    line = "mnk:15,15,5 h8 b1 i7 d3"
    position, guide = parse_position(line), made("mnk:15,15,5 h8 a1 i7 c1")
    assert isinstance(position, MnkPosition)
    guided = GuidedWin(position, win_by(guide, position), may_go_on=lambda nodes: nodes < 10_000)
    assert guided.find()
    assert guided.nodes > 100, "it had to search"
    content = unpacked(certificate(position, Event(), guide=guide))
    assert content["positions"] != unpacked(guide)["positions"], "the guide fails here and there"
    assert f"{line} is won by the first side" in claims(content)


@pytest.mark.parametrize(
    "tree",
    [
        '{"f6": {"a1": {"e5": {"k11": {}}}}}',
        '{"f6": {"a1": {"e5": {"k11": {"a2": {"g5": {}}}}}}}',
        '{"f6": {"a1": {"e5": {"k11": {"f6": {"g5": {"e5": {}}}}}}}}',
        '{"f6": {"a1": {"e5": {"k11": {"g5": {"e7": {"g7": 3}, "d4": {}, "h4": {"a2": {}}}}}}}}',
    ],
    ids=["it ends", "a poor move", "no move", "poor moves later on"],
)
def test_where_a_tree_of_moves_does_not_win_there_is_a_search(tree: str) -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    content = unpacked(certificate(position, Event(), guide=tree.encode()))
    assert f"{position.text} is won by the first side" in claims(content)


def test_on_an_empty_board_it_says_after_which_answer_no_win_is_found() -> None:
    position = parse_position("mnk:10,10,6")
    assert isinstance(position, MnkPosition)
    with pytest.raises(GameParameterError, match=r"^Along this guide no win is found in mnk:10,10,6 e5 a1\.$"):
        certificate(position, Event(), guide=b'{"e5": {"a1": {"f6": {}}}}', most=2_000)


@pytest.mark.parametrize("moves", ["f6 a1 e5 k11 g5", "f6 k1 g5 a11 e5"], ids=["as told", "from another side"])
def test_a_tree_of_moves_is_followed_where_it_wins(moves: str) -> None:
    *before, told = moves.split()
    position = parse_position(" ".join(["mnk:11,11,5", *before]))
    assert isinstance(position, MnkPosition)
    content = unpacked(certificate(position, Event(), guide=b'{"f6": {"a1": {"e5": {"k11": {"g5": {}}}}}}'))
    assert "is won by the first side" in claims(content)
    move, *_ = first_reason(content)
    assert all_cells(11, 11)[move].text == told


def test_after_the_first_move_each_answer_is_proven_once_from_whatever_side_it_is_seen() -> None:
    position = parse_position("mnk:11,11,4")
    assert isinstance(position, MnkPosition)
    content = unpacked(certificate(position, Event(), guide=b'{"f6": {"a1": {"g6": {}}}}'))
    assert claims(content).startswith("mnk:11,11,4 is won by the first side")
    _f6, answers, others = first_reason(content)
    assert (len(answers), others) == (120, None)
    guide, corner, turned = sealed(content), parse_position("mnk:11,11,4 f6 a1"), parse_position("mnk:11,11,4 f6 k1")
    assert isinstance(corner, MnkPosition)
    assert isinstance(turned, MnkPosition)
    left, right = (all_cells(11, 11)[win_by(guide, each).first() or 0] for each in (corner, turned))
    assert (right.column, right.row) == (10 - left.column, left.row)
    assert GuidedWin(turned, win_by(guide, turned), may_go_on=lambda nodes: nodes < 1_000).find()
    corners = [reference for cell, reference in answers if cell in {0, 10, 110, 120}]
    assert len(set(corners)) == 4
    assert len({reference // 8 for reference in corners}) == 1


@pytest.mark.parametrize(
    ("guide", "why"),
    [
        ("mnk:9,9,4 e5 a1", "it is of mnk:9,9,4"),
        ("mnk:11,11,5:exact f6 a1 e5 k11 f5 a11 e6 j1", "it is of mnk:11,11,5:exact"),
        ("mnk:11,11,5 a1 f6 k11 e5 a11 f5 j1 e6 k1", "the other side is to move in it"),
    ],
)
def test_a_guide_that_cannot_be_followed_is_refused_in_a_sentence(guide: str, why: str) -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    with pytest.raises(GameParameterError, match=rf"^The guide cannot be followed: {why}\.$"):
        certificate(position, Event(), guide=made(guide))


@pytest.mark.parametrize(
    ("guide", "why"),
    [
        ("{}", "the position is not in it"),
        ('{"f6": {"a1": {"e5": 3}}}', "the position is not in it"),
        ('{"f6": {"a1": {"e5": {"k11": {"f17": {}}}}}}', "“f17” in it is no cell of the board"),
        ('{"f6": {"a1": {"e5": {"k11": {"g5": {"G6": {}}}}}}}', "“G6” in it is no cell of the board"),
        ('{"f6": {"a1"}}', "it is no tree of moves"),
        ('{"f6": {"a1": {}}, "f6": {"a1": {"e5": {"k11": {}}}}}', "a name is given twice"),
        ("f6", "this is not a certificate of nimdesk"),
    ],
)
def test_what_is_no_tree_of_moves_is_refused_in_a_sentence(guide: str, why: str) -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    with pytest.raises(GameParameterError, match=rf"^The guide cannot be followed: {why}\.$"):
        certificate(position, Event(), guide=guide.encode())


def test_threats_win_where_the_answers_to_one_need_different_ones() -> None:
    """White can make a four at any time, so that no sequence wins against all answers at once."""
    position = parse_position("mnk:15,15,5 h8 a1 i7 c1 k7 e1")
    assert isinstance(position, MnkPosition)
    search = QuietWin(position)
    assert not search.is_won
    assert search.advance(20)
    assert f"{position.text} is won by the first side" in claims(unpacked(certificate(position, Event())))


def test_a_sequence_ends_with_the_first_open_four() -> None:
    """The lower fours would win as well, and rely on more cells: more answers would have to be met."""
    position = parse_position("mnk:15,15,5 h8 a2 i8 a15 j8 o15 b2 o1 c2 a9 d2 o9 f3 h15 f4 h13")
    assert isinstance(position, MnkPosition)
    (cell,) = QuietWin(position).root.sequence
    assert all_cells(15, 15)[cell].text in {"g8", "k8"}


def test_a_side_that_could_make_a_four_at_any_time_is_beaten_all_the_same() -> None:
    """No three is a threat in a sequence then: each answer is met in its own way, also after a quiet move."""
    position = parse_position("mnk:15,15,5 h8 a3 i9 a5 g7 j10 g9 a4 f6 e5")
    assert isinstance(position, MnkPosition)
    search = QuietWin(position)
    assert search.advance(1_000)
    assert search.is_won
    assert not search.root.sequence


def test_a_far_answer_to_the_first_move_of_gomoku_and_one_more_lose() -> None:
    content = unpacked(made("mnk:15,15,5 h8 a1 g7 o15"))
    assert "mnk:15,15,5 h8 a1 g7 o15 is won by the first side" in claims(content)
    kinds = {kind for position in content["positions"] for kind in position}
    assert kinds == {"strategy", "threats"}
    assert len(content["positions"]) < 100


@pytest.mark.parametrize("path", COME_ALONG, ids=lambda path: path.stem)
class TestTheProofThatTheFirstPlayerWins:
    """All of it takes the checker many minutes."""

    def test_it_names_each_answer_to_the_first_move(self, path: Path) -> None:
        content = come_along(path)
        assert content["position"] == f"mnk:15,15,5{':exact' * ('exact' in path.stem)}"
        middle, answers, others = first_reason(content)
        assert [cell for cell, _after in answers] == [cell for cell in range(15 * 15) if cell != middle]
        assert others is None

    def test_it_holds_after_one_answer(self, path: Path) -> None:
        assert "is won by the first side" in verify.check(part(come_along(path), answer=0))

    def test_it_holds_after_each_answer_and_one_more(self, path: Path) -> None:
        """This one is in the last cell of those that are named."""
        content = come_along(path)
        _move, answers, _others = first_reason(content)
        # All other answers look like one of these from another side.
        unlike = [cell for cell, reference in answers if reference % 8 == 0]
        assert len(unlike) == 35
        for cell in unlike:
            after = part(content, cell)
            _move, named, _others = first_reason(after)
            last, _reference = named[-1]
            assert "is won by the first side" in verify.check(part(after, last))


def test_the_same_steps_lead_to_the_same_proof() -> None:
    position = parse_position("mnk:11,11,5 f6 a1 e5 k11")
    assert isinstance(position, MnkPosition)
    visited = set()
    for slices in (1, 25):
        search = QuietWin(position)
        while not search.advance(slices):
            pass
        visited.add((search.is_won, search.nodes))
    assert len(visited) == 1
    assert (True, search.nodes) in visited
