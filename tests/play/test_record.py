"""Saved games: what is written comes back, bit for bit; what is broken is refused in one sentence."""

import base64
import errno
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import games, make_snapshot, new_game, same_snapshot

from nimdesk.agents import make_agent
from nimdesk.disk import atomic
from nimdesk.errors import RecordError
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress
from nimdesk.play.record import load_game, save_game
from nimdesk.play.schema import StopName, trace_bytes
from nimdesk.search import Limit, StopReason

Document = dict[str, Any]


def same_game(one: GameInProgress, other: GameInProgress) -> bool:
    return (
        one.players == other.players
        and one.last_position.text == other.last_position.text
        and [(ply.by, ply.elapsed_s) for ply in one.plies] == [(ply.by, ply.elapsed_s) for ply in other.plies]
        and all(same_snapshot(a.snapshot, b.snapshot) for a, b in zip(one.plies, other.plies, strict=True))
    )


@given(games(), st.data())
@settings(max_examples=60)
def test_a_saved_game_comes_back_identical(game: GameInProgress, data: st.DataObject) -> None:
    game.jump(data.draw(st.integers(0, len(game.plies))))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.nimdesk"
        save_game(game, path)
        loaded = load_game(path)
    assert same_game(game, loaded)
    assert loaded.at_end


def test_the_positions_given_at_the_start_come_back(tmp_path: Path) -> None:
    save_game(new_game("mnk:7,6,4:gravity d1 d2"), tmp_path / "a")
    assert load_game(tmp_path / "a").last_position.text == "mnk:7,6,4:gravity d1 d2"


def test_a_column_alone_is_wherever_its_mark_then_falls(tmp_path: Path) -> None:
    game = new_game("mnk:7,6,4:gravity")
    for text in ("d1", "d2", "d3", "c1"):
        game.play(game.position.parse_move(text), by="Human")
    save_game(game, tmp_path / "a")
    written = (tmp_path / "a").read_text()
    for text in ("d1", "d2", "d3"):
        assert f'"{text}"' in written
        written = written.replace(f'"{text}"', '"d"')
    (tmp_path / "a").write_text(written)
    assert load_game(tmp_path / "a").last_position == game.last_position


@pytest.mark.parametrize("text", ["nim:1,3,5,7 2-3", "mnk:3,3,3 b2", "mnk:9,9,5 e5"])
def test_a_search_that_merges_and_proves_comes_back_with_its_curves(text: str, tmp_path: Path) -> None:
    """Its values are no half points; why it stopped is in the record, and what it proved of each move."""
    game = new_game(text, second=make_agent("mcts"))
    searcher = make_agent("mcts", {"iterations": 1_500}).new_searcher()
    searcher.start(game.position, 3)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    assert (snapshot.stopped is StopReason.PROVEN) == (text != "mnk:9,9,5 e5")
    assert snapshot.best_move is not None
    assert (snapshot.comment != "") == (text != "mnk:9,9,5 e5")
    game.play(snapshot.best_move, by="MCTS", elapsed_s=0.5, snapshot=snapshot)
    save_game(game, tmp_path / "a")
    assert same_game(load_game(tmp_path / "a"), game)


def test_a_file_says_what_made_its_searches_and_goes_on_saying_so(tmp_path: Path) -> None:
    path, document = _saved(tmp_path)
    (made,) = document["made"]
    assert made["nimdesk"] == document["program"]
    assert made["cores"] > 0
    # Made elsewhere, opened here, and continued here.
    made["processor"] = "Another one"
    path.write_text(json.dumps(document))
    game = load_game(path)
    save_game(game, path)
    assert [each["processor"] for each in json.loads(path.read_bytes())["made"]] == ["Another one"]
    game.play(game.position.legal_moves[0], by="Human")
    save_game(game, path)
    assert len(json.loads(path.read_bytes())["made"]) == 2
    # A file of before, which does not say so.
    del document["made"]
    document["version"] = 7
    path.write_text(json.dumps(document))
    save_game(load_game(path), path)
    assert json.loads(path.read_bytes()) == document


def test_a_game_of_the_first_version_opens_with_what_it_did_not_keep_unknown(tmp_path: Path) -> None:
    path, document = _saved(tmp_path)
    document["version"] = 1
    search = document["plies"][1]["search"]
    for name in ("comment", "playouts", "reused", "steps"):
        search.pop(name, None)
    search["trace"].pop("playouts", None)
    for move in search["moves"]:
        move.pop("proven", None)
        move.pop("distance", None)
    path.write_text(json.dumps(document))
    snapshot, newer = load_game(path).analysis(2), make_snapshot(parse_position("mnk:3,3,3 b2"), 4, seed=2)
    assert snapshot is not None
    assert snapshot.trace is not None
    assert snapshot.trace.playouts is None
    assert newer.trace is not None
    assert (snapshot.trace.visits == newer.trace.visits).all()
    assert (snapshot.comment, snapshot.playouts, snapshot.reused, snapshot.steps) == ("", None, 0, ())
    assert {stats.proven for stats in snapshot.moves} == {None}
    assert [stats.visits for stats in snapshot.moves] == [stats.visits for stats in newer.moves]


def test_a_search_that_deepens_comes_back_with_its_depths(tmp_path: Path) -> None:
    game = new_game("mnk:3,3,3", second=make_agent("deepening"))
    game.play(game.position.parse_move("b2"), by="Human")
    searcher = make_agent("deepening").new_searcher()
    searcher.start(game.position, 3)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    assert snapshot.best_move is not None
    assert len(snapshot.steps) == 8
    game.play(snapshot.best_move, by="Alpha-beta", snapshot=snapshot)
    save_game(game, tmp_path / "a")
    again = load_game(tmp_path / "a").analysis(2)
    assert again is not None
    assert (again.steps, again.moves, again.comment) == (snapshot.steps, snapshot.moves, snapshot.comment)


def test_every_reason_to_stop_has_a_name() -> None:
    assert set(get_args(StopName)) == {reason.name.lower() for reason in StopReason}


def test_the_documented_recipe_reads_a_curve(tmp_path: Path) -> None:
    path, document = _saved(tmp_path)
    packed = document["plies"][1]["search"]["trace"]["visits"]
    visits = np.frombuffer(zlib.decompress(base64.b64decode(packed)), "<u4").reshape(4, -1)
    snapshot = load_game(path).analysis(2)
    assert snapshot is not None
    assert snapshot.trace is not None
    assert (visits == snapshot.trace.visits).all()


def _saved(folder: Path) -> tuple[Path, Document]:
    """Tic-tac-toe: b2 by a person, a1 by a search with a trace of 4 rows, c3 by a person."""
    game = new_game("mnk:3,3,3", second=make_agent("uct"))
    game.play(game.position.parse_move("b2"), by="Human", elapsed_s=1.5)
    game.play(
        game.position.parse_move("a1"), by="MCTS", elapsed_s=0.5, snapshot=make_snapshot(game.position, 4, seed=2)
    )
    game.play(game.position.parse_move("c3"), by="Human")
    path = folder / "game.nimdesk"
    save_game(game, path)
    return path, json.loads(path.read_bytes())


def _put(document: Any, *way: Any) -> None:
    """``_put(d, "a", 0, value)`` sets ``d["a"][0]``."""
    *path, key, value = way
    for step in path:
        document = document[step]
    document[key] = value


def _drop(document: Any, *way: Any) -> None:
    *path, key = way
    for step in path:
        document = document[step]
    del document[key]


def _packed(count: int, dtype: str = "<u4") -> str:
    return base64.b64encode(zlib.compress(np.zeros(count, dtype).tobytes())).decode()


SEARCH = ("plies", 1, "search")
TRACE = (*SEARCH, "trace")
STEP = {"depth": 3, "nodes": 9, "elapsed_s": 0.1, "best_move": "b2", "value": None}
BREAKS: list[tuple[str, Callable[[Document], None]]] = [
    ("whose “format” is “nimdesk-game”", lambda d: _put(d, "format", "chess")),
    ("whose “format” is “nimdesk-game”", lambda d: _drop(d, "format")),
    ("newer nimdesk (its version is 9, this program reads up to 8)", lambda d: _put(d, "version", 9)),
    ("“version” must be a whole number", lambda d: _put(d, "version", "1")),
    ("“version” must be a whole number", lambda d: _put(d, "version", True)),
    ("in the game: nim needs 1 to 12 piles", lambda d: _put(d, "game", "nim:" + ",".join("1" * 13))),
    ("does not name a game", lambda d: _put(d, "game", "chess")),
    ("the field “game” is missing", lambda d: _drop(d, "game")),
    ("there is no field “extra”; ", lambda d: _put(d, "extra", 1)),
    ("in “players”: expected list of length >= 2", lambda d: _drop(d, "players", 0)),
    ("in player 2: there is no agent “uctt”; did you mean uct?", lambda d: _put(d, "players", 1, "agent", "uctt")),
    ("in player 2: iterations is", lambda d: _put(d, "players", 1, "options", "iterations", -1)),
    ("in player 1: expected object, got whole number", lambda d: _put(d, "players", 0, 1)),
    ("in move 3: the move b2 is not legal here: the cell is taken", lambda d: _put(d, "plies", 2, "move", "b2")),
    ("in move 3: “2-3” is not a move on this board", lambda d: _put(d, "plies", 2, "move", "2-3")),
    ("in move 1, in “by”: expected text, got whole number", lambda d: _put(d, "plies", 0, "by", 1)),
    ("in move 1, in “elapsed_s”: expected number >= 0", lambda d: _put(d, "plies", 0, "elapsed_s", -1)),
    ("there is no field “visits” in move 2, in “search”; ", lambda d: _put(d, *SEARCH, "visits", 1)),
    ("in move 2, in “search.seed”: expected whole number <= ", lambda d: _put(d, *SEARCH, "seed", 2**63)),
    (
        "in move 2, in “search.stopped”: invalid enum value 'bored'; allowed are iterations, time",
        lambda d: _put(d, *SEARCH, "stopped", "bored"),
    ),
    ("in move 2: in its search: the move b2 is not legal here", lambda d: _put(d, *SEARCH, "moves", 0, "pv", ["b2"])),
    ("must start with that move", lambda d: _put(d, *SEARCH, "moves", 0, "pv", ["a2"])),
    ("must list every legal move once", lambda d: _drop(d, *SEARCH, "moves", 3)),
    ("best move b2 is not legal", lambda d: _put(d, *SEARCH, "best_move", "b2")),
    ("mean value of a1 is 7.0; it must be 0 to 1", lambda d: _put(d, *SEARCH, "moves", 0, "mean_value", 7)),
    ("the trace's iterations must rise", lambda d: _put(d, *TRACE, "iterations", [3, 2, 1, 0])),
    ("the trace's iterations must rise", lambda d: _put(d, *TRACE, "iterations", [1, 2, 3, 10**6])),
    ("the trace has 4 iterations but 3 times", lambda d: _drop(d, *TRACE, "elapsed_s", 0)),
    ("seconds from 0 on that do not fall", lambda d: _put(d, *TRACE, "elapsed_s", [3, 2, 1, 0])),
    ("but playouts for 1; it needs as many", lambda d: _put(d, *TRACE, "playouts", [1])),
    ("the trace's playouts must be 0 to its iterations", lambda d: _put(d, *TRACE, "playouts", [3, 2, 1, 0])),
    ("the trace's playouts must be 0 to its iterations", lambda d: _put(d, *TRACE, "playouts", [0, 0, 0, 10**6])),
    ("the trace's choice must be 0 to 7", lambda d: _put(d, *TRACE, "choice", [0, 0, 8, 0])),
    ("the search's playouts are 1000000", lambda d: _put(d, *SEARCH, "playouts", 10**6)),
    ("the best move b2 at depth 3 is not legal", lambda d: _put(d, *SEARCH, "steps", [STEP])),
    ("value 'mate'; allowed are win, draw, loss or null", lambda d: _put(d, *SEARCH, "moves", 0, "proven", "mate")),
    ("visits is not base64 of zlib data", lambda d: _put(d, *TRACE, "visits", "???")),
    ("visits is not base64 of zlib data", lambda d: _put(d, *TRACE, "visits", "AAAA")),
    ("visits must hold 4 rows of 8 numbers", lambda d: _put(d, *TRACE, "visits", _packed(31))),
    ("visits must hold 4 rows of 8 numbers", lambda d: _put(d, *TRACE, "visits", _packed(33))),
    ("visits must hold 4 rows of 8 numbers", lambda d: _put(d, *TRACE, "visits", "")),
    ("value_sum must hold 4 rows of 8", lambda d: _put(d, *TRACE, "value_sum", _packed(4, "<f8"))),
    ("value_sum must be 0 to the number of visits", lambda d: _put(d, *TRACE, "visits", _packed(32))),
]


@pytest.mark.parametrize(("words", "damage"), BREAKS, ids=[f"{n}-{words[:30]}" for n, (words, _) in enumerate(BREAKS)])
def test_a_wrong_document_is_refused_in_one_sentence(
    tmp_path: Path, words: str, damage: Callable[[Document], None]
) -> None:
    path, document = _saved(tmp_path)
    damage(document)
    path.write_text(json.dumps(document))
    _assert_refused(path, words)


def _assert_refused(path: Path, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        load_game(path)
    text = str(caught.value)
    assert words in text
    assert path.name in text
    assert text.endswith((".", "?"))
    assert ". " not in text.removesuffix(".")
    assert len(text) <= 300
    assert text.isprintable()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be opened: it is empty."),
        (b"\0\0\0", "it is not a saved game of nimdesk: it does not begin as one"),
        (b"\xff\xfe{}", "it is not a saved game of nimdesk: it does not begin as one"),
        (b'{"format": "nimdesk-game", "version": 1', "its end is missing"),
        (b'{"format": "nimdesk-game",\n "version": 1,, }', "from byte 42 on, in line 2"),
        (b'{"format": "nimdesk-game", "version": 1e999}', "."),
        (b'{"format": "nimdesk-game", "version": ' + b"9" * 5000 + b"}", "."),
        (b"[]", "it does not begin as one"),
        (b"3", "it does not begin as one"),
        (b"[" * 100_000, "it does not begin as one"),
        (b'{"format":' + b"[" * 1_000_000, "nested too deeply"),
    ],
)
def test_a_file_of_garbage_is_refused_in_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "game.nimdesk"
    path.write_bytes(content)
    _assert_refused(path, words)


@given(st.binary(min_size=1, max_size=6), st.integers(0, 10**6), st.integers(0, 6))
@settings(max_examples=60)
def test_damage_anywhere_gives_a_game_or_a_sentence(junk: bytes, where: int, removed: int) -> None:
    with TemporaryDirectory() as folder:
        path, _ = _saved(Path(folder))
        data = path.read_bytes()
        where %= len(data)
        path.write_bytes(data[:where] + junk + data[where + removed :])
        with suppress(RecordError):
            load_game(path)


def test_a_hostile_text_is_cut_and_made_visible(tmp_path: Path) -> None:
    path, document = _saved(tmp_path)
    document["players"][1]["agent"] = "\0\n" + "x" * 10**6
    path.write_text(json.dumps(document))
    _assert_refused(path, "there is no agent")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, document = _saved(tmp_path)
    document["plies"][1]["search"]["trace"]["visits"] = _packed(10**7)
    path.write_text(json.dumps(document))
    _assert_refused(path, "must hold 4 rows of 8 numbers, and nothing more")
    monkeypatch.setattr("nimdesk.play.record.MAX_TRACE_BYTES", trace_bytes(4, 8) - 1)
    _assert_refused(path, "in move 2: the curves up to here take more than")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = _saved(tmp_path)
    monkeypatch.setattr("nimdesk.disk.documents.MAX_BYTES", {"nimdesk-game": 100})
    _assert_refused(path, "larger than")
    before = path.read_bytes()
    with pytest.raises(RecordError, match="larger than"):
        save_game(new_game("mnk:3,3,3"), path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    _assert_refused(tmp_path / "none.nimdesk", "there is no such file")
    _assert_refused(tmp_path, "that is a folder")
    (tmp_path / "file").touch()
    _assert_refused(tmp_path / "file" / "game", "a file, not a folder")
    with pytest.raises(RecordError, match="no file can have that name"):
        load_game(tmp_path / "a\0b")


@pytest.mark.parametrize(
    ("target", "words"),
    [("nowhere/game", "no such file or folder"), ("file/game", "a file, not a folder"), ("a\0b", "no file can have")],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, target: str, words: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordError, match=words) as caught:
        save_game(new_game("nim:3"), tmp_path / target)
    assert str(caught.value).isprintable()


def test_a_full_disk_leaves_the_old_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = _saved(tmp_path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(RecordError, match="no space is left on the disk"):
        save_game(new_game("nim:3"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
