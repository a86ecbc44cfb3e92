"""What the starts of games are worth: worked out, kept, gone on with, and compared with what is published."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError
from nimdesk.experiments.solved import SolvedFile, solved_csv, solved_rows, usual_boards, work
from nimdesk.games import kit_of, parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.truth import Value

SMALL = ["mnk:3,3,3", "mnk:4,3,3", "mnk:4,4,4:gravity"]


def worked(file: SolvedFile, games: list[str], limit_s: float = 60.0, folder: Path | None = None) -> list[str]:
    return [board.game for board in work(file, games, limit_s, threading.Event(), folder)]


def test_a_run_goes_on_where_it_was_and_tries_again_what_had_too_little_time(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    running = work(SolvedFile(path), [*SMALL, "mnk:9,4,4"], 0.05, threading.Event())
    assert next(running).game == "mnk:3,3,3"
    running.close()  # as killed: what was found is on the disk
    again = SolvedFile(path)
    assert [board.game for board in again.boards] == ["mnk:3,3,3"]
    assert worked(again, [*SMALL, "mnk:9,4,4"], 0.05) == [*SMALL[1:], "mnk:9,4,4"]
    last = SolvedFile(path)
    hard = last.find("mnk:9,4,4")
    assert hard is not None
    assert (hard.value, hard.plies) == (Value.UNKNOWN, None)
    assert worked(last, [*SMALL, "mnk:9,4,4"], 0.05) == []
    assert worked(last, ["mnk:9,4,4"], 0.06) == ["mnk:9,4,4"]


def test_a_run_that_is_told_to_stop_keeps_no_half_result(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    path = tmp_path / "some.json"
    assert list(work(SolvedFile(path), SMALL, 60.0, stop)) == []
    assert not path.exists()


def test_a_board_that_takes_long_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    path, positions = tmp_path / "some.json", [0]
    for _ in range(2):
        stop = threading.Event()

        def tell(words: str, stop: threading.Event = stop) -> None:
            positions.append(int(words.split(" positions")[0].split()[-1].replace(",", "")))
            stop.set()

        assert list(work(SolvedFile(path), ["mnk:7,7,5"], 60.0, stop, keep_s=0.0, tell=tell)) == []
    (part,) = tmp_path.glob("*.part")
    whole = part.read_bytes()
    (board,) = work(SolvedFile(path), ["mnk:7,7,5"], 60.0, threading.Event())
    assert (board.value, board.plies) == (Value.DRAW, 49)
    assert positions[0] < positions[1] < positions[2] < board.nodes
    assert not part.exists()
    # From what is damaged, or is another board's, it does not go on, and says so.
    for data in (whole, whole[: len(whole) // 2]):
        path.unlink()
        other, told = part.with_name(part.name.replace("7,7,5", "4,3,3")), list[str]()
        other.write_bytes(data)
        (board,) = work(SolvedFile(path), ["mnk:4,3,3"], 60.0, threading.Event(), tell=told.append)
        assert board.complete
        assert told == [
            f"mnk:4,3,3: what was kept in “{other}” is damaged or of another version of nimdesk, so the work begins "
            "anew."
        ]
        assert not other.exists()


def test_no_work_is_lost_where_its_result_cannot_be_kept(tmp_path: Path) -> None:
    file = SolvedFile(tmp_path / "some.json")
    file.path.mkdir()
    with pytest.raises(NimdeskError, match="The results cannot be written to"):
        list(work(file, ["mnk:7,7,5"], 60.0, threading.Event(), keep_s=0.0))
    (part,) = tmp_path.glob("*.part")
    file.path.rmdir()
    with pytest.raises(NimdeskError, match="The certificate cannot be written to"):
        worked(file, ["mnk:3,3,3"], folder=tmp_path / "none")
    kept = SolvedFile(file.path)
    assert [(board.complete, board.certificate) for board in kept.boards if board.game == "mnk:3,3,3"] == [(True, None)]
    assert part.exists()


def test_links_in_place_of_what_is_kept_and_of_certificates_lead_nowhere(tmp_path: Path) -> None:
    path, victim = tmp_path / "some.json", tmp_path / "victim"
    victim.write_bytes(b"somebody's")
    part, certificate = tmp_path / "some mnk-7,7,5.part", tmp_path / "mnk-3,3,3.cert"
    for link in (part, certificate):
        link.symlink_to(victim)
    stop = threading.Event()
    list(work(SolvedFile(path), ["mnk:7,7,5"], 60.0, stop, keep_s=0.0, tell=lambda words: stop.set()))
    worked(SolvedFile(path), ["mnk:3,3,3"], folder=tmp_path)
    assert victim.read_bytes() == b"somebody's"
    assert verify.check(verify.read(certificate.read_bytes())).startswith("mnk:3,3,3 is a draw")


def test_certificates_are_written_beside_and_checked(tmp_path: Path) -> None:
    file = SolvedFile(tmp_path / "some.json")
    assert worked(file, SMALL[:2]) == SMALL[:2]
    assert worked(file, SMALL[:2], folder=tmp_path) == SMALL[:2]
    assert worked(file, SMALL[:2], folder=tmp_path) == []
    proven = sorted(verify.check(verify.read(path.read_bytes())) for path in tmp_path.glob("*.cert"))
    assert proven[0].startswith("mnk:3,3,3 is a draw")
    assert proven[1].startswith("mnk:4,3,3 is won by the first side")
    written = {path.stat().st_size for path in tmp_path.glob("*.cert")}
    assert {board.certificate for board in file.boards} == written


def test_certificates_are_written_into_another_folder_too_and_again_where_one_is_gone(tmp_path: Path) -> None:
    file, folders = SolvedFile(tmp_path / "some.json"), [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
        assert worked(file, SMALL[:2], folder=folder) == SMALL[:2]
    one, other = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert one == other
    (folders[0] / sorted(one)[0]).unlink()
    assert len(worked(file, SMALL[:2], folder=folders[0])) == 1
    assert {path.name: path.read_bytes() for path in folders[0].iterdir()} == one


def test_a_certificate_that_was_written_is_still_noted_where_the_time_suffices_for_no_other(tmp_path: Path) -> None:
    file, other = SolvedFile(tmp_path / "some.json"), tmp_path / "other"
    other.mkdir()
    worked(file, SMALL[:1], folder=tmp_path)
    before = file.find(SMALL[0])
    assert before is not None
    assert before.certificate
    list(work(file, SMALL[:1], 0.0, threading.Event(), other))
    assert list(other.iterdir()) == []
    assert SolvedFile(file.path).find(SMALL[0]) == before


def test_the_reference_run_agrees_with_all_that_is_published() -> None:
    rows = solved_rows(SolvedFile(resources_dir() / "solved.json"))
    # “unknown” would be a verdict, as it is of ours.
    assert {row.published_words for row in rows if row.board is not None and row.published is None} == {"–"}
    assert set(usual_boards()) == {row.game for row in rows} - {"nim"}
    assert [row.game for row in rows if row.agrees is False] == []
    assert sum(row.agrees is True for row in rows) >= 100
    known = {row.game: (row.value, row.board.plies) for row in rows if row.board is not None and row.board.complete}
    assert known["mnk:7,7,5"] == ("draw", 49)
    assert known["mnk:6,5,4"] == ("win", 11)
    assert known["mnk:6,6,4:gravity"] == ("loss", 36)
    boards = [(m, n, k) for m in range(1, 8) for n in range(1, m + 1) for k in range(1, m + 1)]
    assert all(f"mnk:{m},{n},{k}" in known for m, n, k in boards)
    # What is won stays so with one more column, since the other side never wins.
    won = [(m, n, k) for m, n, k in boards if m < 7 and known[f"mnk:{m},{n},{k}"][0] == "win"]
    assert [board for board in won if known["mnk:{},{},{}".format(board[0] + 1, *board[1:])][0] != "win"] == []


def test_values_of_small_boards_are_worked_out_again_as_the_reference_has_them(tmp_path: Path) -> None:
    reference = SolvedFile(resources_dir() / "solved.json")
    games = ["mnk:5,3,3", "mnk:5,5,4", "mnk:6,6,5", "mnk:7,6,5", "mnk:6,5,4", "mnk:5,4,4:gravity", "mnk:4,5,4:gravity"]
    file = SolvedFile(tmp_path / "some.json")
    assert worked(file, games) == games
    for game in games:
        ours, theirs = file.find(game), reference.find(game)
        assert ours is not None
        assert theirs is not None
        assert (ours.value, ours.plies) == (theirs.value, theirs.plies)


@pytest.mark.parametrize(
    ("game", "value", "plies"),
    [
        ("mnk:7,6,4:gravity", Value.WIN, 41),
        ("mnk:8,8,4:gravity", Value.LOSS, 62),
        ("mnk:4,13,4:gravity", Value.DRAW, 52),
        ("mnk:8,8,5", Value.DRAW, None),
        ("mnk:9,6,6", Value.DRAW, None),
        ("mnk:8,4,4", Value.DRAW, None),
        ("mnk:9,4,4", Value.WIN, None),
        ("mnk:4,10,4", Value.WIN, None),
        ("mnk:15,15,5", Value.WIN, None),
    ],
)
def test_published_values_are_those_of_the_sources(game: str, value: Value, plies: int | None) -> None:
    start = parse_position(game)
    tell = kit_of(start).published
    assert tell is not None
    told = tell(start.game)
    assert told is not None
    assert (told.value, told.distance) == (value, plies)
    assert told.source


@pytest.mark.parametrize("game", ["mnk:11,4,4", "mnk:4,19,4", "mnk:10,10,5", "mnk:4,14,4:gravity", "mnk:5,5,5:gravity"])
def test_what_no_source_tells_is_unknown(game: str) -> None:
    start = parse_position(game)
    tell = kit_of(start).published
    assert tell is not None
    assert tell(start.game) is None


def test_the_csv_has_the_sources_and_empty_cells_for_the_unknown(tmp_path: Path) -> None:
    file = SolvedFile(tmp_path / "some.json")
    worked(file, ["mnk:9,4,4"], 0.01)
    worked(file, ["mnk:4,3,3"])
    lines = solved_csv(solved_rows(file)).splitlines()
    assert lines[0].startswith("game,value,plies,value_s")
    assert lines[1].startswith('"mnk:9,4,4",unknown,,,')
    assert "The advantage of the initiative" in lines[2]
    assert lines[2].endswith("yes")
    assert lines[3].startswith('nim,"win, unless the nim-sum is 0"')


@pytest.mark.parametrize("content", [b"", b"[]", b'{"schema": "another", "boards": []}', b'{"boards": [{"game": 1}]}'])
def test_a_broken_file_is_told_in_a_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(content)
    with pytest.raises(NimdeskError, match="is no table of solved boards") as told:
        SolvedFile(path)
    assert "\n" not in str(told.value)
