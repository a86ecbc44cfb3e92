"""Certificates as opponents: read, followed along a game whatever the other side plays, and told in words."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from certifying import made, sealed, unpacked

from nimdesk.agents import make_agent
from nimdesk.disk.paths import data_dir, resources_dir
from nimdesk.errors import GameParameterError, NimdeskError, NotationError, OptionError
from nimdesk.experiments.solved import SolvedFile
from nimdesk.games import Side, parse_position
from nimdesk.games.certificates import (
    certificate_name,
    find_certificate,
    keep_certificate,
    make_certificate,
    read_certificate,
)
from nimdesk.games.mnk.replay import MnkCertificate
from nimdesk.games.mnk.verify import sides_to_prove, unpack
from nimdesk.games.truth import Certificate, Value
from nimdesk.search import Limit, Snapshot, drive

SHIPPED = [
    "mnk:3,3,3",
    "mnk:4,3,3",
    "mnk:4,4,4",
    "mnk:5,4,4",
    "mnk:5,5,5",
    "mnk:6,5,4",
    "mnk:6,6,4",
    "mnk:7,7,4",
    "mnk:9,4,4",
]


def certified(text: str) -> Certificate:
    """One that comes with nimdesk, or is made now."""
    position = parse_position(text)
    if text not in SHIPPED:
        keep_certificate(make_certificate(position, Event()))
    path = find_certificate(position)
    assert path is not None
    return read_certificate(path)[0]


def against(certificate: Certificate, side: Side, draw: random.Random) -> Side | None:
    """Who wins where the certificate has this side, and the other completes lines and else marks any cell."""
    position = certificate.start
    while position.outcome is None:
        if position.turn is side:
            answer = certificate.advise(position).answer
            assert answer is not None
            assert answer.move.text in answer.why or "any cell" in answer.why
            position = position.play(answer.move)
        else:
            ends = [move for move in position.legal_moves if position.play(move).winner is not None]
            position = position.play(draw.choice(ends or position.legal_moves))
    return position.winner


@pytest.mark.parametrize(
    ("text", "side", "results"),
    [
        ("mnk:3,3,3", Side.SECOND, {None, Side.SECOND}),
        ("mnk:5,4,4", Side.SECOND, {None, Side.SECOND}),
        ("mnk:5,5,5", Side.SECOND, {None, Side.SECOND}),
        ("mnk:7,6,5", Side.SECOND, {None, Side.SECOND}),
        ("mnk:6,5,4", Side.FIRST, {Side.FIRST}),
        ("mnk:4,3,3 a1 b2 d3", Side.SECOND, {Side.SECOND}),
        ("mnk:4,4,4:gravity a1 b1", Side.FIRST, {None, Side.FIRST}),
        ("mnk:4,4,4:gravity a1 b1", Side.SECOND, {None, Side.SECOND}),
        ("mnk:5,4,4:exact", Side.FIRST, {None, Side.FIRST}),
        ("mnk:5,4,4:exact", Side.SECOND, {None, Side.SECOND}),
        ("mnk:5,3,3:exact", Side.FIRST, {Side.FIRST}),
        ("mnk:9,9,4", Side.FIRST, {Side.FIRST}),
        ("mnk:15,15,5 h8 a1 g7 o15", Side.FIRST, {Side.FIRST}),
    ],
)
def test_whatever_the_other_side_plays_it_gets_what_is_proven(text: str, side: Side, results: set[Side | None]) -> None:
    certificate, draw = certified(text), random.Random(7)
    assert {against(certificate, side, draw) for _ in range(25)} <= results


def test_every_game_of_a_small_board_is_held() -> None:
    """All answers to all moves, with a certificate that makes use of moves answered as others."""
    certificate = certified("mnk:4,4,4")
    whys = set()

    def play_on(position: object, depth: int) -> None:
        for move, answer in zip(position.legal_moves, certificate.advise(position).answers, strict=True):
            assert answer is not None
            after = position.play(move).play(answer.move)
            whys.add(answer.why.partition(move.text)[0])
            assert after.winner is not Side.FIRST
            if depth and after.outcome is None:
                play_on(after, depth - 1)

    play_on(certificate.start, 1)
    assert any("Position" in why for why in whys)


def test_those_that_come_along_are_those_of_the_reference_run() -> None:
    table = SolvedFile(resources_dir() / "solved.json")
    shipped = {path.name: path.stat().st_size for path in (resources_dir() / "certificates").iterdir()}
    assert set(shipped) == {certificate_name(text) for text in SHIPPED}
    for text in SHIPPED:
        board = table.find(text)
        assert board is not None
        assert board.certificate == shipped[certificate_name(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("mnk:6,5,4", (Value.WIN, Value.LOSS, Value.WIN)),
        ("mnk:4,4,4:gravity a1 b1", (Value.DRAW, Value.DRAW, Value.UNKNOWN)),
        ("mnk:5,5,5", (Value.DRAW, Value.UNKNOWN)),
    ],
)
def test_a_position_is_worth_what_the_proofs_followed_to_it_show(text: str, values: tuple[Value, ...]) -> None:
    """At the start, after the proof's own move, and after a move that only the other side's proof has an answer to."""
    certificate, proven = certified(text), []
    position = certificate.start
    for _ in values:
        proven.append(certificate.advise(position).value)
        snapshot = searched(position.text)
        assert (snapshot.proven or Value.UNKNOWN) is proven[-1]
        lost = [stats.move for stats in snapshot.moves if stats.proven is Value.LOSS]
        assert lost == (list(position.legal_moves) if proven[-1] is Value.LOSS else [])
        advised = certificate.advise(position).answer
        played = position.legal_moves[-1] if advised is None or len(proven) > 1 else advised.move
        if advised is not None:
            assert snapshot.best_move == advised.move
            assert (snapshot.stats_of(advised.move).proven or Value.UNKNOWN) is proven[-1]
        position = position.play(played)
    assert tuple(proven) == values


def test_each_of_two_paired_cells_answers_the_other() -> None:
    certificate = certified("mnk:5,5,5")
    advice = certificate.advise(certificate.start)
    answers = dict(zip(certificate.start.legal_moves, advice.answers, strict=True))
    cells = [cell for pair in advice.pairs for cell in pair]
    assert len(cells) == len(set(cells)) == 24
    for one, other in advice.pairs:
        assert answers[one].move == other
        assert answers[other].move == one
        assert "are a pair" in answers[one].why


def searched(text: str) -> Snapshot:
    searcher = make_agent("certificate").new_searcher()
    searcher.start(parse_position(text), 0)
    drive(searcher)
    return searcher.snapshot()


def test_the_agent_is_told_to_wait_while_its_certificate_is_checked_and_to_leave_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def check_until_stopped(path: Path, stop: Event, heard: Callable[[float], object]) -> None:
        heard(0.31)
        begun.set()
        assert stop.wait(600), "nobody has ended the check"
        raise KeyboardInterrupt

    begun = Event()
    monkeypatch.setattr("nimdesk.search.exact.read_certificate", check_until_stopped)
    searcher = make_agent("certificate").new_searcher()
    searcher.start(parse_position("mnk:9,4,4"), 0)
    assert searcher.advance(Limit(time_s=0.0)) is None
    assert begun.wait(60)
    snapshot = searcher.snapshot()
    assert (snapshot.best_move, snapshot.stopped) == (None, None)
    assert snapshot.comment == "The certificate is being checked (31%)."
    checking = [thread for thread in threading.enumerate() if thread.name == "nimdesk-certificate"]
    assert len(checking) == 1
    del searcher
    checking[0].join(60)
    assert not checking[0].is_alive()


def test_the_agent_says_why_and_what_will_answer_the_next_move() -> None:
    begin = searched("mnk:5,5,5")
    assert begin.comment == "The proof is that of O; it has an answer to each of these moves."
    lines = {stats.move: stats.principal_variation for stats in begin.moves}
    first, second = begin.pairs[0]
    assert lines[first] == (first, second)
    after = searched(f"mnk:5,5,5 {first.text}")
    assert after.best_move == second
    assert after.comment == f"The cells {first.text} and {second.text} are a pair: X marked one, so O marks the other."
    assert after.pairs_at(after.position.play(second)) == after.pairs
    assert after.pairs_at(after.position.play(begin.pairs[1][0])) == ()
    told = [line for line in after.listing if line.startswith("  ")]
    assert [line.split()[0] for line in told] == [move.text for move in after.position.play(second).legal_moves]


def test_a_position_in_the_middle_of_a_game_is_found_and_what_leaves_its_proof_is_refused() -> None:
    start = parse_position("mnk:4,4,4:gravity a1 b1")
    agent = make_agent("certificate")
    assert keep_certificate(make_certificate(start, Event())).start == start
    found = find_certificate(start.play(start.legal_moves[0]))
    assert found is not None
    assert read_certificate(found)[0].start.moves == start.moves
    assert agent.plays(start)
    assert not agent.plays(parse_position("mnk:9,9,5"))
    assert not agent.plays(parse_position("nim:1,2"))
    with pytest.raises(OptionError, match="no certificate of mnk:9,9,5 here"):
        searched("mnk:9,9,5")
    with pytest.raises(GameParameterError, match="are not those of its certificate"):
        searched("mnk:6,5,4 a1")


def test_a_folder_that_cannot_be_looked_into_hides_no_certificate_that_comes_with_nimdesk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", f"/{'x' * 300}")  # as one of another user
    assert find_certificate(parse_position("mnk:3,3,3")) is not None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("foreign", "this is not a certificate of nimdesk"),
        ("damaged", "its checksum differs"),
        ("unproven", "no pair is on the line"),
        ("elsewhere", "its marks are not those of the position that it names"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(change: str, sentence: str, tmp_path: Path) -> None:
    data = (resources_dir() / "certificates" / "mnk-5,5,5.cert").read_bytes()
    content = json.loads(unpack(data))
    if change == "unproven":
        del content["positions"][0]["pairs"][:2]
    elif change == "elsewhere":
        content["position"] = "mnk:5,5,5 a1"
    path = tmp_path / "some.cert"
    path.write_bytes(sealed(content))
    if change == "foreign":
        path.write_bytes(b"{}")
    elif change == "damaged":
        path.write_bytes(data[:-1])
    with pytest.raises(NimdeskError, match=sentence) as told:
        read_certificate(path)
    assert str(told.value).startswith("“some.cert” cannot be opened: ")
    assert "\n" not in str(told.value)


class Third(Event):
    """Set when it is looked at for the third time."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return self.looks >= 3


def test_a_check_ends_when_it_is_told_to(tmp_path: Path) -> None:
    path, stop = tmp_path / "some.cert", Third()
    path.write_bytes(make_certificate(parse_position("mnk:4,4,4:gravity a1 c1"), Event()))
    with pytest.raises(KeyboardInterrupt):
        read_certificate(path, stop)
    assert stop.looks == 3
    assert read_certificate(path)[0].start == parse_position("mnk:4,4,4:gravity a1 c1")


def test_a_check_tells_how_much_of_the_certificate_was_looked_at() -> None:
    data, parts = made("mnk:4,4,4"), list[float]()
    MnkCertificate(data, Event(), parts.append)
    count = len(unpacked(data)["positions"])
    assert parts == [number / count for number in range(1, count + 1)]


@pytest.mark.parametrize("winner", [7, -1, 1.0, True, "x", []])
def test_a_winner_that_is_none_is_told(winner: object) -> None:
    content = {**unpacked(made("mnk:4,3,3")), "winner": winner}
    with pytest.raises(NotationError, match="it does not name a value"):
        MnkCertificate(sealed(content), Event())


def test_what_took_long_to_check_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data, stopped = made("mnk:4,4,4"), Event()
    stopped.set()
    MnkCertificate(data, Event())
    with pytest.raises(KeyboardInterrupt):
        MnkCertificate(data, stopped)
    monkeypatch.setattr("nimdesk.games.mnk.replay._REMEMBERED_S", 0.0)
    claim = MnkCertificate(data, Event()).claim
    assert claim.startswith("mnk:4,4,4 is a draw")
    assert MnkCertificate(data, stopped).claim == claim
    with pytest.raises(KeyboardInterrupt):
        MnkCertificate(made("mnk:4,3,3"), stopped)
    (note,) = (data_dir() / "proven").iterdir()
    for damaged in (b"", b"mnk:4,4,4 is won by the first side (0 answers)", b"\xff"):
        note.write_bytes(damaged)
        with pytest.raises(KeyboardInterrupt):
            MnkCertificate(data, stopped)


@pytest.mark.parametrize("text", ["mnk:3,3,3", "mnk:4,3,3", "mnk:4,3,3:gravity", "mnk:4,4,4:gravity a1 b1 c1 a2"])
def test_what_the_checker_does_not_need_leads_no_game_astray(text: str) -> None:
    """Certificates with something odd in them that are proven all the same."""
    draw, proven = random.Random(3), 0
    content = json.loads(unpack(make_certificate(parse_position(text), Event())))
    sides = sides_to_prove(content["winner"], [frozenset(side) for side in content["marks"]], content["gravity"])
    for _ in range(150):
        odd = json.loads(json.dumps(content))
        ((kind, given),) = draw.choice(odd["positions"]).items()
        place = given[1] if kind == "strategy" else given
        if isinstance(place, list):
            place.insert(0, draw.choice([[], [1], [draw.randrange(9), 10**9], [5, None], "x", {}, None, [2, 3, 4]]))
        try:
            certificate = MnkCertificate(sealed(odd), Event())
        except NotationError:
            continue
        proven += 1
        for side in sides:
            against(certificate, Side(side), draw)
    assert proven > 10
