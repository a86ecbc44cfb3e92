"""What once went wrong with a file, each as a small test."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fuzzed_files import FILES, kept_work, resealed
from kinds import check_sentence
from synthetic import new_game

from nimdesk.disk.paths import results_dir
from nimdesk.errors import LONGEST_SENTENCE, LibraryError, NimdeskError, PlanError, ResultsError, brief, quoted, shown
from nimdesk.experiments.files import list_runs, read
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import load_plan, new_plan
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.solved import solve_board
from nimdesk.experiments.store import Store
from nimdesk.games import parse_position
from nimdesk.games.truth import Value
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library
from nimdesk.play.library_thread import Shelf
from nimdesk.play.record import load_game, save_game
from nimdesk.settings import MAX_BYTES, Settings, SettingsStore

BEFORE = Path(__file__).parent.parent / "experiments" / "before"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS number, x AS result FROM c"


# Sentences


def test_a_sentence_is_one_line_of_at_most_300_letters_that_can_be_seen() -> None:
    error = NimdeskError(f"The file “{'x' * 100_000}” and “\u200b\u202e\n\u3164”: “{'é' * 1_000}” cannot be opened.")
    text = str(error)
    assert len(text) <= LONGEST_SENTENCE
    assert text.isprintable()
    assert text.startswith("The file “xxx")
    assert "and “�� �”" in text
    assert text.endswith("” cannot be opened.")


def test_a_short_quotation_is_whole_and_a_long_sentence_loses_its_longest_quotation_first() -> None:
    path = f"/home/{'folder/' * 20}game.nimdesk"
    assert brief(f"The game “{path}” cannot be opened.") == f"The game “{path}” cannot be opened."
    text = brief(f"The game “{path}” cannot be opened: “{'x' * 900}” is no move.")
    assert path in text
    assert text.endswith("xxx” is no move.")


@pytest.mark.parametrize("letter", ["\u200b", "\u202e", "\ufeff", "\u3164", "\u115f", "\ufe0f", "\0", "\x1b", "\ud800"])
def test_a_letter_that_cannot_be_seen_is_shown_as_one_that_can(letter: str) -> None:
    assert quoted(f"Random{letter}") == "“Random�”"
    assert shown(f"a{letter}b") == "a�b"


def test_a_text_of_a_hundred_megabytes_makes_a_short_sentence_at_once() -> None:
    assert len(str(NimdeskError(f"“{'x' * 10**8}” is unknown."))) <= LONGEST_SENTENCE


# JSON


def refused(path: Path, kind: type[NimdeskError], use: Any) -> str:
    before = path.read_bytes()
    with pytest.raises(kind) as caught:
        use(path)
    check_sentence(str(caught.value))
    assert path.read_bytes() == before
    return str(caught.value)


def game_document(folder: Path) -> dict[str, Any]:
    save_game(new_game("nim:1,3,5,7 2-3"), folder / "game.nimdesk")
    document: dict[str, Any] = json.loads((folder / "game.nimdesk").read_bytes())
    return document


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"format": "nimdesk-game", "version": 1, "program": "\xa5"}', "its text is not UTF-8"),
        (b'{"format": "nimdesk-game", "version": 1, "\xff": 1}', "its text is not UTF-8"),
        (b'{"format": ["nimdesk-game"], "version": 1}', "whose “format” is"),
        (b'{"format": "nimdesk-game", "version": [' + b"[]," * 1_000_000 + b"[]]}", "must be a whole number"),
        (b'{"format": "nimdesk-game", "version": 1, "players": [' + b"[]," * 4_000_001 + b"[]]}", "4,000,000 values"),
        (b'{"format": "nimdesk-game", "version": 1, "' + b"x" * 2**25 + b'": 1}', "a text in it is longer than 16 MB"),
        (b'{"format": "nimdesk-game", "version": 1, "' + b"x" * 2**24 + b'": 1}', "there is no field “xxx"),
        (b" " * (2**27 + 1), "larger than 128 MB"),
    ],
    ids=["text", "name", "format", "version", "values", "long text", "long name", "long file"],
)
def test_a_document_that_is_no_game_is_refused_without_much_memory(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "game.nimdesk"
    path.write_bytes(data)
    with pytest.raises(NimdeskError) as caught:
        load_game(path)
    check_sentence(str(caught.value))
    assert words in str(caught.value)


@pytest.mark.parametrize("number", ["1e999", "9" * 5_000, "-1e999"])
def test_a_number_that_no_machine_holds_in_the_options_of_a_player_names_the_player(
    tmp_path: Path, number: str
) -> None:
    plan = json.loads((BEFORE / "match" / "plan.json").read_bytes())
    name = next(iter(plan["players"]))
    plan["players"][name]["options"] = {"seed": 12345}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan).replace("12345", number))
    assert f"“players[{name}].options" in refused(path, PlanError, load_plan)


def test_a_name_with_brackets_and_dots_is_no_path(tmp_path: Path) -> None:
    plan = json.loads((BEFORE / "match" / "plan.json").read_bytes())
    plan["players"]["a].b[0]"] = {"agent": "uct", "optoins": {}}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    assert "did you mean options?" in refused(path, PlanError, load_plan)


# Plans


def test_a_plan_of_ten_million_games_is_opened_at_once() -> None:
    players = {name: PlayerPart(agent="random") for name in "ab"}
    positions = [f"nim:{number}" for number in range(1, 6)]
    match = MatchPart(players=["a", "b"], positions=positions, games=1_000_000)
    schedule = schedule_of(new_plan("many", players, matches=[match]))
    assert schedule.total == 10_000_000
    assert schedule.task(9_999_999).number == 9_999_999


def test_a_plan_with_more_pairings_than_anybody_could_read_is_refused_before_they_are_made() -> None:
    players = {f"p{number}": PlayerPart(agent="random", options={"seed": number}) for number in range(64)}
    positions = [f"nim:{a},{b}" for a in range(1, 33) for b in range(1, 32)]
    match = MatchPart(players=list(players), positions=positions, games=1)
    with pytest.raises(PlanError, match="in 3,999,744 ways; 100,000 are allowed"):
        schedule_of(new_plan("many", players, matches=[match]))


# Results


def results(folder: Path, *statements: str, name: str = "match", values: tuple[object, ...] = ()) -> Path:
    """A file of results in which this was done."""
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(shutil.copy(BEFORE / f"{name}.db", folder / "results.db"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        for statement in statements:
            connection.execute(statement, values if "?" in statement else ())
    return path


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE results", f"CREATE VIEW results AS {ENDLESS}"),
        ("DROP TABLE meta", "CREATE VIEW meta AS SELECT 'plan' AS key, zeroblob(999999999) AS value"),
        ("DROP TABLE results", "CREATE VIRTUAL TABLE results USING fts5(number, result)"),
        ("ALTER TABLE results ADD COLUMN more AS (hex(zeroblob(9999))) VIRTUAL",),
        ("CREATE TRIGGER odd AFTER INSERT ON results BEGIN DELETE FROM results; END",),
        ("CREATE INDEX odd ON results(hex(result))",),
        ("DROP TABLE results",),
        ("CREATE TABLE more(x)",),
    ],
    ids=["endless view", "huge view", "virtual table", "computed column", "trigger", "index", "no table", "more"],
)
def test_results_with_tables_that_are_not_ours_are_not_read(tmp_path: Path, statements: tuple[str, ...]) -> None:
    path = results(tmp_path, *statements)
    assert "the tables in it are not those that nimdesk makes" in refused(path, ResultsError, read)


def test_results_that_were_analysed_by_sqlite_are_still_ours(tmp_path: Path) -> None:
    assert read(results(tmp_path, "ANALYZE")).done


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("number", -1),
        ("number", 2**62),
        ("winner", 2),
        ("start", 3),
        ("kind", "search"),
        ("plies", [["1-1", -1, 0, 0.5, "+"]]),
        ("plies", [["1-1", 1, 0, 1e308, "+"]]),
        ("plies", [["1-1", 1, 0, -0.5, "+"]]),
        ("plies", [["1-1", 1, 0, 0.5, "x"]]),
    ],
)
def test_a_result_that_cannot_be_is_told_and_nothing_is_counted(tmp_path: Path, column: str, value: object) -> None:
    with Store.open_to_read(BEFORE / "match.db") as store:
        document = json.loads(_first(BEFORE / "match.db"))
        assert store.count()
    document[column] = value
    changed = "UPDATE results SET result = ? WHERE number = (SELECT min(number) FROM results)"
    path = results(tmp_path, changed, values=(json.dumps(document),))
    refused(path, ResultsError, read)


def _first(path: Path) -> str:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        text: str = connection.execute("SELECT result FROM results ORDER BY number").fetchone()[0]
        return text


@pytest.mark.parametrize("value", ["x'00ff'", "NULL", "3", "1e308", "''", "CAST(x'7bff7d' AS TEXT)", "'{\"kind\": 1}'"])
def test_a_value_that_is_no_text_is_told(tmp_path: Path, value: str) -> None:
    for number, table in enumerate(("UPDATE meta SET value = {} WHERE key = 'plan'", "UPDATE results SET result = {}")):
        if value != "NULL":
            refused(results(tmp_path / str(number), table.format(value)), ResultsError, read)


def test_good_results_are_listed_beside_any_others(tmp_path: Path) -> None:
    folder = results_dir()
    results(folder, "UPDATE meta SET value = x'00ff' WHERE key = 'plan'").rename(folder / "1.db")
    results(folder, "DROP TABLE results", f"CREATE VIEW results AS {ENDLESS}").rename(folder / "2.db")
    results(folder).rename(folder / "3.db")
    (folder / "4.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 9_000)
    (folder / "5.db").mkdir()
    entries = {entry.path.name: entry for entry in list_runs()}
    assert len(entries) == 5
    assert entries["3.db"].done > 0
    for name in ("1.db", "2.db", "4.db", "5.db"):
        check_sentence(entries[name].problem)


def test_a_table_whose_name_is_no_text_is_told(tmp_path: Path) -> None:
    name = "UPDATE sqlite_master SET sql = CAST(x'ff00ff' AS TEXT), name = CAST(x'c5' AS TEXT) WHERE name = 'results'"
    refused(results(tmp_path, "PRAGMA writable_schema = ON", name), ResultsError, read)


@pytest.mark.parametrize("place", [".", "/", "", ".."])
def test_a_folder_is_no_place_for_results_and_nothing_is_made_beside_it(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = load_plan(BEFORE / "match" / "plan.json")
    with pytest.raises(ResultsError, match="that is a folder, not a file"):
        Store.open_for(Path(place), plan)
    assert list(tmp_path.iterdir()) == []


# The library


def library(folder: Path, *statements: str) -> Path:
    path = folder / "games.db"
    with Library.open(path) as opened:
        for window in (1, 2):
            kept = KeptGame(new_game("nim:3"))
            kept.game.play(kept.game.position.parse_move(f"1-{window}"), by="Human", elapsed_s=1.0)
            change = kept.change()
            assert change is not None
            opened.write(change, window)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.mark.parametrize("value", ["4294967296", "1e308", "-1", "'x'", "x'00'"])
def test_seconds_that_cannot_be_are_told_when_the_game_is_opened(tmp_path: Path, value: str) -> None:
    with Library.open(library(tmp_path, f"UPDATE nodes SET elapsed_s = {value}")) as opened:
        entry = opened.entries()[0]
        with pytest.raises(LibraryError, match="a row in it is damaged"):
            opened.read(entry.id)


@pytest.mark.parametrize("change", ["changed = 1e300", "people = 9", "title = x'00'", "length = 'x'", "node = -1"])
def test_a_game_whose_row_is_damaged_hides_no_other(tmp_path: Path, change: str) -> None:
    path = library(tmp_path, f"UPDATE games SET {change} WHERE id = (SELECT min(id) FROM games)")
    with Library.open(path) as opened:
        assert len(opened.entries()) == 1


def test_a_library_with_tables_that_are_not_ours_is_not_read(tmp_path: Path) -> None:
    path = library(tmp_path, "DROP TABLE windows", "CREATE VIEW windows AS SELECT 1 AS place, 2 AS game")
    with pytest.raises(LibraryError, match="is not a library of games"):
        Library.look_into(path)


# Settings


def test_a_library_that_loses_a_move_at_once_is_set_aside(tmp_path: Path) -> None:
    """SQLite itself reads and writes on a page whose rows are out of order, and does not find what it has written."""
    (path,) = next(kind for kind in FILES if kind.name == "library").make(tmp_path)
    row, other = (number.to_bytes(8, "big") + b"\2" for number in (2 * 10**18, 1))
    assert row in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(row, other))
    kept = KeptGame(new_game("nim:2"))
    kept.id = 15 * 10**17
    kept.game.play(kept.game.position.parse_move("1-1"), by="Human")
    change, shelf = kept.change(), Shelf(path)
    assert change is not None
    assert "a move is lost there at once; the file is now called “games.broken" in shelf.write(change, shown=True)
    stored = shelf.do(lambda library: library.game(kept.id))
    assert stored is not None
    assert [node.move for node in stored.nodes] == ["1-1"]
    shelf.close()
    shelf.leave()


def test_deep_settings_are_left_out_where_they_could_not_be_written_again(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(
        '{"theme": "dark", "laboratory": {"a": ' + "[" * 900 + "]" * 900 + '}, "new": ' + "[" * 900 + "]" * 900 + "}"
    )
    store = SettingsStore(path)
    settings = store.load()
    assert "Laboratory" in (store.problem or "")
    store.save(settings)
    assert SettingsStore(path).load() == settings == Settings(theme="dark")


def test_settings_that_would_be_too_long_when_indented_are_written_without(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "dark", "new": [' + "[]," * 300_000 + "[]]}")
    store = SettingsStore(path)
    store.save(store.load())
    assert path.stat().st_size <= MAX_BYTES["nimdesk-settings"]
    assert SettingsStore(path).load() == Settings(theme="dark")


def test_what_a_newer_version_wrote_is_kept_to_the_letter(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"new": 1e999, "other": 123456789012345678901234567890, "third": -0.0}')
    store = SettingsStore(path)
    store.save(store.load())
    for words in ('"other": 123456789012345678901234567890', '"third": -0.0'):
        assert words in path.read_text()


# Kept work of the solver


GAME = "mnk:4,3,3"


def tables(size: bytes, rows: bytes = b"") -> bytes:
    """Kept work whose first table has this size (JSON: its rows, how many are filled) and rows; the other is empty."""

    def change(head: bytes) -> bytes:
        return re.sub(rb"\"sizes\":\[\[\d+,\d+\],\[(\d+),\d+\]", b'"sizes":[%b,[\\1,0]' % size, head)

    return resealed(kept_work(GAME, 200), change, lambda _: rows)


def changed(old: bytes, new: bytes) -> bytes:
    """Kept work that says something else, with a right digest."""

    def change(head: bytes) -> bytes:
        assert re.search(old, head)
        return re.sub(old, new, head, count=1)

    return resealed(kept_work(GAME, 200), change, lambda body: body)


def row(number: int) -> bytes:
    return number.to_bytes(4, "little")


@pytest.mark.parametrize(
    "made",
    [
        lambda: b"",
        lambda: b"PK\x03\x04 as former versions made it",
        lambda: kept_work(GAME, 200)[:-1],
        lambda: kept_work(GAME, 200) + b"x",
        lambda: kept_work("mnk:5,5,4", 200),
        lambda: tables(b"[0,0]"),
        lambda: tables(b"[8191,0]"),
        lambda: tables(b"[1000000000000,0]"),
        lambda: tables(b"[8192,1000000000000]"),
        lambda: tables(b"[8192.5,0]"),
        lambda: tables(b"[8192,1]", row(8192) + bytes(16)),
        lambda: tables(b"[8192,2]", 2 * row(5) + bytes(32)),
        lambda: tables(b"[8192,1]", row(5) + bytes(8)),
        lambda: tables(b"[8192,0],[8,0]"),
        lambda: changed(rb"\"elapsed_s\":[^,]*", b'"elapsed_s":1e300'),
        lambda: changed(rb"\"elapsed_s\":[^,]*", b'"elapsed_s":-1e300'),
        lambda: changed(rb"\"nodes\":\d+", b'"nodes":-1'),
        lambda: changed(rb"\"nodes\":\d+", b'"nodes":' + b"9" * 5_000),
        lambda: changed(rb"\"defended\":[^,]*", b'"defended":2'),
        lambda: changed(rb"\[true,\d+,", b"[true,-7,"),
        lambda: changed(rb"\"asked\":", b'"asked":' + b"[" * 10_000),
    ],
    ids=[
        "nothing", "another format", "cut", "too long", "another board", "no rows", "odd rows", "too many rows",
        "too many filled", "half a row", "row outside", "row twice", "cut row", "three tables", "endless",
        "negative time", "negative nodes", "long number", "share", "answer", "deep",
    ],
)  # fmt: skip
def test_kept_work_that_cannot_be_is_as_if_it_were_not_there(made: Callable[[], bytes], tmp_path: Path) -> None:
    part = tmp_path / "work.part"
    part.write_bytes(made())
    assert_begins_anew(part)


def test_kept_work_with_a_right_digest_is_gone_on_with(tmp_path: Path) -> None:
    part, told = tmp_path / "work.part", list[str]()
    for data in (
        tables(b"[8192,0]"),
        tables(b"[8192,1]", row(5) + bytes(16)),
        changed(rb"\"nodes\":\d+", b'"nodes":7000'),
    ):
        part.write_bytes(data)
        board = solve_board(parse_position(GAME), 60.0, Event(), part, 60.0, told.append)
        assert board is not None
        assert (board.value, board.plies, told) == (Value.WIN, 7, [])
        assert not part.exists()
    assert board.nodes > 7000


@pytest.mark.skipif(os.name != "posix", reason="no pipe has a name there")
def test_a_pipe_in_the_place_of_kept_work_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "work.part")
    assert_begins_anew(tmp_path / "work.part")


def test_a_folder_in_the_place_of_kept_work_is_left_there(tmp_path: Path) -> None:
    (tmp_path / "work.part").mkdir()
    assert_begins_anew(tmp_path / "work.part")
    assert (tmp_path / "work.part").is_dir()


def test_kept_work_in_a_far_folder_is_told_of_in_a_short_sentence(tmp_path: Path) -> None:
    folder, told = tmp_path.joinpath(*["folder" * 20] * 3), list[str]()
    folder.mkdir(parents=True)
    (folder / "work.part").mkdir()
    # Neither read nor replaced: a folder is in the way.
    assert solve_board(parse_position("mnk:7,7,5"), 0.1, Event(), folder / "work.part", 0.0, told.append)
    about = [words for words in told if "work.part" in words]
    assert {words.partition("“")[0] for words in about} == {
        "mnk:7,7,5: what was kept in ", "The work goes on, but cannot be kept in "
    }  # fmt: skip
    assert all(words == brief(words) for words in about)


def assert_begins_anew(part: Path) -> None:
    told: list[str] = []
    board = solve_board(parse_position(GAME), 60.0, Event(), part, 60.0, told.append)
    assert [words.partition(" is damaged")[0] for words in told] == [f"{GAME}: what was kept in “{part}”"]
    assert board is not None
    assert (board.value, board.plies) == (Value.WIN, 7)
    assert board.time_s < 60
