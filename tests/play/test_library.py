"""The library of games: what was written is there, whatever happens to the program, the file or the disk."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from synthetic import games, make_snapshot, new_game, same_snapshot, trees

from nimdesk.agents import make_agent
from nimdesk.disk.provenance import made_here
from nimdesk.errors import DamagedLibraryError, LibraryError
from nimdesk.games import Side, parse_position
from nimdesk.play import GameInProgress, Human, Node
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library, set_aside
from nimdesk.play.library_thread import Shelf, place_is_taken, take_place
from nimdesk.play.record import save_game


def write(library: Library, kept: KeptGame, window: int = 1) -> None:
    change = kept.change()
    assert change is not None
    library.write(change, window)
    kept.written(change)
    assert kept.change() is None


def shape(root: Node) -> list[object]:
    nodes = [node for node in root.walk() if node.ply is not None]
    return [(node.position.text, node.ply.by, node.ply.elapsed_s) for node in nodes if node.ply is not None]


def same_game(one: GameInProgress, other: GameInProgress) -> bool:
    plies = [
        (a.ply, b.ply) for a, b in zip(one.root.walk(), other.root.walk(), strict=True) if a.ply is not None and b.ply
    ]
    return (
        shape(one.root) == shape(other.root)
        and one.players == other.players
        and one.node.position.text == other.node.position.text
        and one.last_position.text == other.last_position.text
        and all(same_snapshot(a.snapshot, b.snapshot) for a, b in plies)
    )


@given(st.one_of(games(), trees()), st.data())
@settings(max_examples=25)
def test_a_game_comes_back_with_variations_searches_and_what_was_looked_at(
    game: GameInProgress, data: st.DataObject
) -> None:
    game.jump(data.draw(st.integers(0, len(game.plies))))
    kept = KeptGame(game)
    kept.paused = data.draw(st.booleans())
    with TemporaryDirectory() as folder, Library.open(Path(folder) / "games.db") as library:
        write(library, kept)
        stored = library.shown_in(1)
        again = library.read(kept.id)
        assert stored is not None
        assert again is not None
        assert same_game(again.game, game)
        assert again.paused == kept.paused
        assert again.change() is None, "what was read need not be written"
        quick = KeptGame.read(stored)
        assert quick.game.position.text == game.position.text
        assert shape(quick.game.root) == shape(game.root)


@given(trees(), st.data())
@settings(max_examples=25)
def test_writing_only_what_changed_leads_to_the_same_game(game: GameInProgress, data: st.DataObject) -> None:
    kept = KeptGame(game)
    pruned = []
    with TemporaryDirectory() as folder, Library.open(Path(folder) / "games.db") as library:
        write(library, kept)
        for number in range(data.draw(st.integers(1, 8))):
            nodes = list(game.root.walk())
            game.look_at(data.draw(st.sampled_from(nodes)))
            match data.draw(st.sampled_from(["play", "promote", "prune", "restore", "look", "player", "pause"])):
                case "play" if game.position.outcome is None:
                    search = make_snapshot(game.position, 2, number) if data.draw(st.booleans()) else None
                    game.play(data.draw(st.sampled_from(game.position.legal_moves)), by="MCTS", snapshot=search)
                case "promote":
                    game.promote(game.node)
                case "prune" if len(nodes) > 1:
                    pruned.append(game.prune(data.draw(st.sampled_from(nodes[1:]))))
                case "restore" if pruned:
                    game.restore(pruned.pop())
                case "player":
                    game.set_player(Side.FIRST, data.draw(st.sampled_from([Human(), make_agent("random")])))
                case "pause":
                    kept.paused = not kept.paused
                case _:
                    pass
            change = kept.change()
            if change is not None:
                library.write(change)
                if data.draw(st.booleans()):
                    kept.written(change)  # else it is not known to be written, and is written again
        change = kept.change()
        if change is not None:
            library.write(change)
        again = library.read(kept.id)
        assert again is not None
        assert same_game(again.game, game)
        assert again.paused == kept.paused


def test_a_variation_deleted_before_its_writing_was_confirmed_does_not_come_back(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3"))
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        kept.game.play(kept.game.position.parse_move("1-1"), by="Human")
        change = kept.change()
        assert change is not None
        library.write(change)  # and nobody tells that it got there
        kept.game.prune(kept.game.node)
        change = kept.change()
        assert change is not None
        library.write(change)
        again = library.read(kept.id)
        assert again is not None
        assert again.game.root.children == ()


def test_a_deletion_taken_back_before_its_writing_was_confirmed_is_none(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3"))
    with Library.open(tmp_path / "games.db") as library:
        kept.game.play(kept.game.position.parse_move("1-1"), by="Human")
        write(library, kept)
        pruned = kept.game.prune(kept.game.node)
        assert kept.change() is not None  # and nobody tells that it got there
        kept.game.restore(pruned)
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert shape(again.game.root) == shape(kept.game.root)


def test_what_is_taken_back_is_kept_again_though_the_library_had_forgotten_it(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3,4,5"))
    with Library.open(tmp_path / "games.db") as library:
        for text in ("1-1", "2-1"):
            kept.game.jump(0)
            kept.game.play(kept.game.position.parse_move(text), by="Human")
        first, second = kept.game.root.children
        write(library, kept)
        pruned = kept.game.prune(second)
        write(library, kept)
        kept.game.restore(pruned)
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert shape(again.game.root) == shape(kept.game.root)
        kept.game.promote(second)
        change = kept.change()
        assert change is not None
        library.write(change)  # and nobody tells that it got there
        kept.game.promote(first)
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert shape(again.game.root) == shape(kept.game.root)


def test_a_search_of_a_position_that_is_not_on_the_line_does_not_rest() -> None:
    kept = KeptGame(new_game("mnk:3,3,3 b2"))
    elsewhere = make_snapshot(new_game("mnk:3,3,3 a1").position, 9)
    assert kept.note_resting(make_snapshot(kept.game.position, 9), hint=False)
    assert kept.resting is not None
    assert kept.note_resting(elsewhere, hint=False)
    assert kept.resting is None
    assert not kept.note_resting(elsewhere, hint=False), "that is no news"


def test_what_is_deleted_after_a_game_was_read_is_gone_at_the_next_start(tmp_path: Path) -> None:
    game = new_game("nim:3,4,5")
    game.play(game.position.legal_moves[0], by="Human")
    kept = KeptGame(game)
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        again.game.prune(again.game.line[-1])
        write(library, again)
        last = library.read(kept.id)
    assert last is not None
    assert shape(last.game.root) == []


def test_moves_played_after_a_pruned_game_was_read_again_take_no_place_of_others(tmp_path: Path) -> None:
    """Pruning leaves gaps between the numbers of the nodes that stay."""
    kept = KeptGame(new_game("nim:3,4,5"))
    with Library.open(tmp_path / "games.db") as library:
        for text in ("1-1", "2-1", "2-1"):
            kept.game.play(kept.game.position.parse_move(text), by="Human")
        kept.game.jump(1)
        kept.game.play(kept.game.position.parse_move("3-1"), by="Human")
        write(library, kept)
        kept.game.prune(kept.game.root.children[0].children[0])
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        for text in ("3-1", "3-1", "1-1"):
            again.game.play(again.game.position.parse_move(text), by="Human")
        write(library, again)
        third = library.read(kept.id)
        assert third is not None
        assert third.game.last_position.text == "nim:3,4,5 1-1 3-1 3-1 3-1 1-1"


def test_the_clock_a_search_that_rests_and_a_forfeit_come_back(tmp_path: Path) -> None:
    kept = KeptGame(new_game("mnk:3,3,3 b2 a1"))
    begun = kept.change()
    assert begun is not None
    assert begun.head.used_s == 0
    with Library.open(tmp_path / "games.db") as library:
        kept.game.clock.set(kept.game.node, 73.26)
        kept.note_clock()
        assert kept.note_resting(make_snapshot(kept.game.position, 9, seed=5), hint=True)
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert again.resting is not None
        assert kept.resting is not None
        assert (again.resting.node.position.text, again.resting.hint) == ("mnk:3,3,3 b2 a1", True)
        assert same_snapshot(again.resting.snapshot, kept.resting.snapshot)
        assert again.game.clock.used_s(again.game.node) == 73.3
        assert again.change() is None
        kept.note_resting(None, hint=False)
        kept.game.lose(Side.FIRST, "MCTS ended without an answer.")
        write(library, kept)
        kept.game.jump(0)  # the place of a forfeit is not what is looked at
        write(library, kept)
        assert [entry.head.result for entry in library.entries()] == ["second"]
        again = library.read(kept.id)
        assert again is not None
        assert again.resting is None
        assert again.game.forfeit == kept.game.forfeit
        again.game.play(again.game.position.legal_moves[0], by="Human")
        write(library, again)
        read = library.read(kept.id)
        assert read is not None
        assert read.game.forfeited is None, "a move played takes it back"


def test_the_clock_is_due_after_five_seconds_and_after_a_tenth_of_a_long_turn() -> None:
    kept = KeptGame(new_game("nim:3"))

    def due(used_s: float) -> bool:
        kept.game.clock.set(kept.game.node, used_s)
        return kept.clock_due

    assert (due(5), due(5.1)) == (False, True)
    due(100)
    kept.note_clock()
    assert (due(110), due(110.1)) == (False, True)


def test_a_move_changes_the_tree_of_a_game_and_a_look_at_another_position_does_not(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3,4"))
    kept.game.play(kept.game.position.legal_moves[0], by="Human")
    with Library.open(tmp_path / "games.db") as library:
        played = kept.change()
        assert played is not None
        assert played.of_tree
        write(library, kept)
        kept.game.jump(0)
        looked = kept.change()
        assert looked is not None
        assert not looked.of_tree


def test_a_forfeit_comes_back_where_it_happened(tmp_path: Path) -> None:
    kept = KeptGame(new_game("mnk:3,3,3"))
    main, variation = kept.game.position.legal_moves[:2]
    kept.game.play(main, by="Human")
    kept.game.jump(0)
    kept.game.play(variation, by="Human")
    kept.game.look_at(kept.game.root.children[0])
    kept.game.lose(Side.SECOND, "MCTS ended without an answer.")
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        again = library.read(kept.id)
    assert again is not None
    assert again.game.forfeited is not None
    node, forfeit = again.game.forfeited
    assert (node.position.text, forfeit.side) == (f"mnk:3,3,3 {main.text}", Side.SECOND)


@pytest.mark.parametrize("version", [1, 2, 3, 5])
def test_a_library_of_an_older_version_opens_and_goes_on(tmp_path: Path, version: int) -> None:
    path = tmp_path / "games.db"
    kept = KeptGame(new_game("mnk:3,3,3"))
    for _ in range(2):
        search = make_snapshot(kept.game.position, 4)
        kept.game.play(kept.game.position.legal_moves[0], by="MCTS", snapshot=search)
    kept.game.clock.set(kept.game.node, 8.0)
    kept.note_clock()
    with Library.open(path) as library:
        write(library, kept)
    with sqlite3.connect(path) as connection:
        for statement in (
            "DROP TABLE comments",
            *(("DROP TABLE made",) if version < 4 else ()),
            *(("DROP TABLE resting", "DROP TABLE turns") if version == 1 else ()),
            f"PRAGMA user_version = {version}",
        ):
            connection.execute(statement)
    connection.close()
    looked = Library.look_into(path)
    assert looked is not None
    with looked:
        stored = looked.shown_in(1)
        assert stored is not None
        shown = KeptGame.read(stored).game
        assert shape(shown.root) == shape(kept.game.root), "a start looks before it changes it"
        assert shown.clock.used_s(shown.node) == (0.0 if version == 1 else 8.0)
    with Library.open(path) as library:
        again = library.read(kept.id)
        assert again is not None
        assert same_game(again.game, kept.game)
        assert again.change() is None
        again.game.clock.set(again.game.node, 7.0)
        again.note_clock()
        write(library, again)
        read = library.read(kept.id)
        assert read is not None
        assert read.game.clock.used_s(read.game.node) == 7.0


def test_a_game_goes_on_saying_what_made_its_searches(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "game.nimdesk", replace(made_here(), processor="Another one")

    def said(kept: KeptGame) -> list[str]:
        save_game(kept.game, path)
        return [made["processor"] for made in json.loads(path.read_bytes()).get("made", [])]

    def played(kept: KeptGame) -> None:
        search = make_snapshot(kept.game.position, 4)
        kept.game.play(kept.game.position.legal_moves[0], by="MCTS", snapshot=search)

    kept = KeptGame(new_game("mnk:3,3,3"))
    played(kept)
    kept.game.read = kept.game.revision, (elsewhere,)  # as it is where its file says so
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert said(again) == ["Another one"]
        played(again)
        write(library, again)
        assert (more := library.read(kept.id)) is not None
        assert said(more) == ["Another one", made_here().processor]
        new = KeptGame(new_game("nim:3,4,5"))
        played(new)
        write(library, new)
        assert (read := library.read(new.id)) is not None
        assert said(read) == [made_here().processor]
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("UPDATE made SET made = '[{]'")
    connection.close()
    with Library.open(tmp_path / "games.db") as library:
        assert (damaged := library.read(kept.id)) is not None
        assert same_game(damaged.game, more.game)
        assert said(damaged) == [], "what nobody knows is not made up"


def test_the_newest_games_come_first_with_what_tells_them_apart(tmp_path: Path) -> None:
    with Library.open(tmp_path / "games.db") as library:
        empty, first, second = (KeptGame(new_game(text)) for text in ("nim:9", "nim:2", "mnk:3,3,3"))
        second.game.set_player(Side.SECOND, make_agent("random"))
        for kept, moves in ((empty, []), (first, ["1-1", "1-1"]), (second, ["b2"])):
            for text in moves:
                kept.game.play(kept.game.position.parse_move(text), by="Human")
            write(library, kept)
        entries = library.entries()
        assert [entry.id for entry in entries] == [second.id, first.id]
        told = [(each.head.title, each.head.first, each.head.second, each.head.people) for each in entries]
        assert told == [("Tic-tac-toe", "Human", "Random", 1), ("Nim 2", "Human", "Human", 3)]
        assert [(each.head.result, each.head.length, each.head.last) for each in entries] == [
            ("", 1, "mnk:3,3,3 b2"),
            ("second", 2, "nim:2 1-1 1-1"),
        ]
        first.game.jump(0)
        write(library, first)
        assert [entry.id for entry in library.entries()] == [second.id, first.id], "to look at a game is not to play"
        assert library.windows_with(first.id) == [1]


def test_a_finished_game_keeps_its_result_while_something_else_is_tried_in_it(tmp_path: Path) -> None:
    game = new_game("nim:2,2 1-1 2-2 1-1")
    game.jump(1)
    game.play(game.position.parse_move("2-1"), by="Human")
    kept = KeptGame(game)
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        (entry,) = library.entries()
        assert (entry.head.result, entry.head.length, entry.head.last) == ("first", 3, "nim:2,2 1-1 2-2 1-1")
        stored = library.shown_in(1)
        assert stored is not None
        assert KeptGame.read(stored).game.last_position.text == "nim:2,2 1-1 2-1", "what was looked at"
        game.promote(game.node)
        write(library, kept)
        (entry,) = library.entries()
        assert (entry.head.result, entry.head.length) == ("", 2), "it is the game now"
        game.look_at(game.root.children[0].children[1])
        write(library, kept)
        (entry,) = library.entries()
        assert (entry.head.result, entry.head.length) == ("first", 3), "while the main line goes on: what is looked at"


def test_deleted_games_come_back_until_the_library_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    kept = [KeptGame(new_game("nim:3 1-1")) for _ in range(3)]
    with Library.open(path) as library:
        for each in kept:
            write(library, each)
        library.delete([kept[0].id, kept[1].id])
        assert [entry.id for entry in library.entries()] == [kept[2].id]
        library.restore([kept[0].id])
        assert {entry.id for entry in library.entries()} == {kept[0].id, kept[2].id}
    with Library.open(path) as library:
        assert {entry.id for entry in library.entries()} == {kept[0].id, kept[2].id}
        library.restore([kept[1].id])
        assert len(library.entries()) == 2
        assert library.read(kept[1].id) is None


def test_what_is_brought_back_here_and_deleted_elsewhere_can_be_brought_back_there(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3"))
    kept.game.play(kept.game.position.parse_move("1-1"), by="Human")
    with Library.open(tmp_path / "games.db") as elsewhere:
        with Library.open(tmp_path / "games.db") as here:
            write(here, kept)
            here.delete([kept.id])
            here.restore([kept.id])
            elsewhere.delete([kept.id])
        elsewhere.restore([kept.id])
        assert [entry.id for entry in elsewhere.entries()] == [kept.id]


def test_deleted_games_are_erased_by_another_start_only_after_a_day(tmp_path: Path) -> None:
    """So that a second window leaves what a first one can still bring back."""
    path, kept = tmp_path / "games.db", KeptGame(new_game("nim:3 1-1"))

    def erased() -> bool:
        with Library.open(path), sqlite3.connect(path) as connection:
            (count,) = connection.execute("SELECT COUNT(*) FROM games").fetchone()
        connection.close()
        return bool(count == 0)

    with Library.open(path) as library:
        write(library, kept, 0)
        library.delete([kept.id])
        assert not erased()
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE games SET deleted = deleted - 86400 - 1")
        connection.close()
        assert erased()


def test_a_deleted_game_that_is_shown_again_stays(tmp_path: Path) -> None:
    """Else what is played in it would go with it."""
    path, kept = tmp_path / "games.db", KeptGame(new_game("nim:3 1-1"))
    with Library.open(path) as library:
        write(library, kept, 0)
        library.delete([kept.id])
        kept.game.play(kept.game.position.legal_moves[0], by="You")
        write(library, kept)
        assert [entry.id for entry in library.entries()] == [kept.id]
    with Library.open(path) as library:
        assert [entry.head.length for entry in library.entries()] == [2]


def test_a_full_library_drops_the_searches_of_the_oldest_games_and_no_move(tmp_path: Path) -> None:
    most = 400_000
    with Library.open(tmp_path / "games.db", most_bytes=most) as library:
        played = []
        for number in range(30):
            game = new_game("nim:9,9,9")
            for _ in range(6):
                move = game.position.legal_moves[number % 3]
                game.play(move, by="UCT", snapshot=make_snapshot(game.position, rows=60))
            played.append(KeptGame(game))
            # The first is shown in another window all the time.
            write(library, played[-1], 2 if number == 0 else 1)
            assert library.used_bytes <= most + 100_000
        read = [library.read(kept.id) for kept in played]
    searched = []
    for kept, again in zip(played, read, strict=True):
        assert again is not None
        assert shape(again.game.root) == shape(kept.game.root), "all moves are there"
        searched.append(all(ply.snapshot is not None for ply in again.game.plies))
        assert searched[-1] or all(ply.snapshot is None for ply in again.game.plies)
    first = searched.index(True, 1)
    assert searched == [True, *[False] * (first - 1), *[True] * (30 - first)]
    assert 5 < first < 28, "some had to go, and the newest stay"


def test_a_game_in_which_nothing_was_played_is_forgotten_when_no_window_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    empty, shown = KeptGame(new_game("nim:3")), KeptGame(new_game("nim:4"))
    with Library.open(path) as library:
        write(library, empty)
        write(library, shown)
    with Library.open(path) as library:
        assert library.game(empty.id) is None
        assert library.game(shown.id) is not None


def test_a_first_start_has_no_library_and_looking_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    assert Library.look_into(path) is None
    assert not path.exists()
    path.touch()
    assert Library.look_into(path) is None
    with Library.open(path) as library:
        assert library.shown_in(1) is None
        assert library.entries() == []
    assert path.read_bytes()[68:72] == b"nimg", "what SQLite's header calls it, today and in files of before"


def test_two_processes_keep_their_own_games_in_one_library(tmp_path: Path) -> None:
    with Library.open(tmp_path / "games.db") as one, Library.open(tmp_path / "games.db") as other:
        games = KeptGame(new_game("nim:3,4,5")), KeptGame(new_game("mnk:3,3,3"))
        for _ in range(5):
            for place, (library, kept) in enumerate(zip((one, other), games, strict=True), 1):
                kept.game.play(kept.game.position.legal_moves[0], by="Human")
                write(library, kept, place)
        for place, kept in enumerate(games, 1):
            stored = one.shown_in(place)
            assert stored is not None
            assert same_game(KeptGame.read(stored).game, kept.game)


def test_every_window_has_a_place_of_its_own(tmp_path: Path) -> None:
    first, lock = take_place(tmp_path)
    second, other = take_place(tmp_path)
    assert (first, second) == (1, 2)
    assert lock is not None
    assert other is not None
    assert place_is_taken(tmp_path, 1)
    lock.close()
    assert not place_is_taken(tmp_path, 1)
    again, lock = take_place(tmp_path)
    assert again == 1
    assert lock is not None
    for each in (lock, other):
        each.close()


@pytest.mark.parametrize("content", [b"not a database" * 500, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_broken_library_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.db"
    path.write_bytes(content)
    with pytest.raises(DamagedLibraryError, match=r"^[^.]*games\.db”[^.]*\.$"):
        Library.open(path)
    with pytest.raises(DamagedLibraryError):
        Library.look_into(path)
    assert set_aside(path) == tmp_path / "games.broken-1.db"
    Library.open(path).close()
    assert (tmp_path / "games.broken-1.db").read_bytes() == content
    path.write_bytes(content)
    assert set_aside(path) == tmp_path / "games.broken-2.db"


def test_only_a_game_of_a_file_is_changed_since_it_was_saved_there() -> None:
    kept = KeptGame(new_game("nim:3,4,5"))
    kept.game.play(kept.game.position.legal_moves[0], by="you")
    assert not kept.modified, "it has no file"
    kept.mark_saved("mine.nimdesk")
    assert not kept.modified
    kept.game.play(kept.game.position.legal_moves[0], by="you")
    assert kept.modified
    kept.mark_saved("mine.nimdesk")
    assert not kept.modified


def test_a_game_that_was_changed_since_it_was_saved_still_is_after_a_restart(tmp_path: Path) -> None:
    with Library.open(tmp_path / "games.db") as library:
        for plies in range(4):
            kept = KeptGame(new_game("nim:3,4,5"))
            kept.mark_saved("mine.nimdesk")
            for _ in range(plies):
                kept.game.play(kept.game.position.legal_moves[0], by="you")
            write(library, kept)
            again = library.read(kept.id)
            assert again is not None
            assert again.modified == kept.modified == (plies > 0)


def test_a_broken_library_that_cannot_be_renamed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_path: Path) -> Path:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr("nimdesk.disk.atomic.set_aside", refused)
    with pytest.raises(LibraryError, match=r"games\.db” is broken and cannot be set aside: permission denied\.$"):
        set_aside(tmp_path / "games.db")


def test_what_was_on_its_way_to_a_broken_library_is_set_aside_with_it(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).write_text(f"damaged{ending}")
    aside = set_aside(path)
    found = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert found == {aside.name + ending: f"damaged{ending}" for ending in ("", "-wal", "-shm")}


def test_who_reads_the_library_meanwhile_holds_up_no_move(tmp_path: Path) -> None:
    path, kept = tmp_path / "games.db", KeptGame(new_game("mnk:3,3,3"))
    with Library.open(path) as library:
        write(library, kept)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM nodes").fetchone()
        kept.game.play(kept.game.position.legal_moves[0], by="Human")
        write(library, kept)
        assert reader.execute("SELECT count(*) FROM nodes").fetchone() == before
        reader.close()


@pytest.mark.parametrize("table", ["games", "nodes", "made"])
def test_a_game_is_not_written_where_no_start_could_read_it(tmp_path: Path, table: str) -> None:
    path, kept = tmp_path / "games.db", KeptGame(new_game("mnk:3,3,3"))
    with Library.open(path) as library:
        write(library, kept)
    with sqlite3.connect(path) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
        ((size,),) = connection.execute("PRAGMA page_size")
        connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(content)
    kept.game.play(kept.game.position.parse_move("b2"), by="Human")
    again = KeptGame(kept.game)
    change = again.change()
    assert change is not None
    shelf = Shelf(path)
    assert "the file is now called “games.broken-1.db”" in shelf.write(change, shown=True)
    stored = shelf.do(lambda library: library.game(again.id))
    assert stored is not None
    assert same_game(KeptGame.read(stored).game, again.game)
    shelf.close()
    shelf.leave()


@pytest.mark.parametrize("place", [f"{'x' * 300}/games.db", f"{'x' * 300}.db", f"{'x' * 250}.db"])
def test_a_place_that_cannot_be_looked_into_has_no_last_game_and_is_told_when_a_game_is_kept(
    tmp_path: Path, place: str
) -> None:
    """As a folder of another user; for root, of all people, a name that no file can have stands for it."""
    shelf, kept = Shelf(tmp_path / place), KeptGame(new_game("nim:3"))
    assert shelf.last_game() == (None, "")
    change = kept.change(of_nothing=True)
    assert change is not None
    with pytest.raises(LibraryError, match=r"^Games cannot be kept in “"):
        shelf.write(change, shown=True)
    shelf.leave()


def test_pages_broken_in_the_middle_are_said_and_the_game_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    kept = KeptGame(new_game("mnk:5,5,4"))
    with Library.open(path) as library:
        for _ in range(9):
            search = make_snapshot(kept.game.position, 200)
            kept.game.play(kept.game.position.legal_moves[0], by="MCTS", snapshot=search)
            write(library, kept)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(DamagedLibraryError), Library.open(path) as library:
        library.entries()
    set_aside(path)
    kept.forget()
    with Library.open(path) as library:
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert same_game(again.game, kept.game)


def test_a_damaged_search_costs_that_search_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    kept = KeptGame(new_game("mnk:3,3,3"))
    with Library.open(path) as library:
        for _ in range(2):
            search = make_snapshot(kept.game.position, 4)
            kept.game.play(kept.game.position.legal_moves[0], by="MCTS", snapshot=search)
            write(library, kept)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE searches SET search = '{' WHERE node = 1")
    connection.close()
    with Library.open(path) as library:
        again = library.read(kept.id)
    assert again is not None
    assert [ply.snapshot is None for ply in again.game.plies] == [True, False]


def test_a_library_of_a_newer_program_and_other_databases_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    Library.open(path).close()
    for statement, words, kind in (
        ("PRAGMA user_version = 99", "newer nimdesk", LibraryError),
        ("PRAGMA application_id = 7", "not a library of games", DamagedLibraryError),
    ):
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()
        with pytest.raises(kind, match=words):
            Library.open(path)
    with pytest.raises(LibraryError, match="that is a folder"):
        Library.open(tmp_path)


def test_a_player_that_is_not_known_here_is_a_person_and_said(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3 1-1"))
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        stored = library.shown_in(1)
    assert stored is not None
    assert KeptGame.read(stored).problem == ""
    again = KeptGame.read(
        replace(stored, head=replace(stored.head, players='[{"agent": "deep"}, {"player": "human"}]'))
    )
    assert again.game.players == (Human(), Human())
    assert "there is no agent" in again.problem.lower()
    lacking = KeptGame.read(replace(stored, head=replace(stored.head, players='[{"player": "human"}]')))
    assert lacking.game.players == (Human(), Human())
    assert lacking.problem.startswith("A player of this game is not known here; a person plays instead.")


# The disk


def test_a_folder_that_cannot_be_made_or_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match=r"^Games cannot be kept in “[^”]*”: [^.]*\.$"):
        Library.open(tmp_path / "file" / "games.db")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="to root every folder is writable")
def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    kept = KeptGame(new_game("nim:3 1-1"))
    with Library.open(path) as library:
        write(library, kept)
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LibraryError, match="cannot be written to"):
            Library.open(path)
        assert take_place(tmp_path) == (1, None)
        found, problem = Shelf(path).last_game()
        assert problem == ""
        assert found is not None
        assert same_game(found.game, kept.game)
    finally:
        tmp_path.chmod(0o700)


def play_for_ever(library: Library, kept: KeptGame) -> None:
    while True:
        search = make_snapshot(kept.game.position, 300)
        kept.game.play(kept.game.position.legal_moves[0], by="MCTS", snapshot=search)
        write(library, kept)


def test_on_a_full_disk_nothing_is_lost_and_writing_goes_on_when_there_is_room(
    tmp_path: Path, limit_files: Callable[[int], None]
) -> None:
    kept = KeptGame(new_game("mnk:9,9,5"))
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
        limit_files(200_000)
        try:
            with pytest.raises(LibraryError, match=r"^Games cannot be kept in “[^”]*”: [^.]*\.$"):
                play_for_ever(library, kept)
            written = library.game(kept.id)
            assert written is not None
            assert len(written.nodes) == len(kept.game.plies) - 1, "what was written before is there"
        finally:
            limit_files(-1)
        write(library, kept)
        again = library.read(kept.id)
        assert again is not None
        assert same_game(again.game, kept.game)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_kills_at_random_moments_lose_nothing_but_the_move_in_flight(tmp_path: Path) -> None:
    script = Path(__file__).with_name("killed_again_and_again.py")
    result = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "26", "20261122"],
        capture_output=True,
        text=True,
        timeout=1000,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    kills, played = map(int, result.stdout.split())
    assert kills == 26
    assert played > 15


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell what is open")
def test_a_library_that_is_refused_is_not_left_open(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Library.open(path):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = len(os.listdir("/proc/self/fd"))
    for attempt in (Library.look_into, Library.open):
        with pytest.raises(LibraryError, match="newer nimdesk") as refused:
            attempt(path)
        # Whoever holds the error holds what its functions knew.
        assert len(os.listdir("/proc/self/fd")) == before, refused.value


def test_a_search_that_comes_for_no_node_of_the_game_is_dropped() -> None:
    kept = KeptGame(new_game("nim:3 1-1"))
    before = shape(kept.game.root)
    kept.add_search(1_000, make_snapshot(parse_position("nim:3"), 4))
    assert shape(kept.game.root) == before


def test_a_search_of_before_does_not_rest_in_a_game_that_goes_on(tmp_path: Path) -> None:
    kept = KeptGame(new_game("nim:3 1-1"))
    with Library.open(tmp_path / "games.db") as library:
        write(library, kept)
    for number, node in kept.numbered:
        kept.add_resting(number, make_snapshot(node.position, 4), hint=False)
    assert kept.resting is None
