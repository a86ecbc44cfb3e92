"""The tree of variations: what was played instead stays, and can be looked at, promoted, deleted and brought back."""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import make_snapshot, new_game, same_snapshot, trees

from nimdesk.errors import IllegalMoveError, RecordError
from nimdesk.games import NimMove, Outcome, Side
from nimdesk.play import GameInProgress, Node
from nimdesk.play.record import load_game, save_game


def play(game: GameInProgress, *texts: str) -> GameInProgress:
    for text in texts:
        game.play(game.position.parse_move(text), by="Human")
    return game


def told(node: Node) -> str:
    """The tree below a node as chess players write it: the move, its alternatives in brackets, what follows."""
    if not node.children:
        return ""
    first, *others = node.children
    brackets = [f"({move(other)} {told(other)}".rstrip() + ")" for other in others]
    return " ".join([move(first), *brackets, told(first)]).rstrip()


def move(node: Node) -> str:
    assert node.ply is not None
    return node.ply.move.text


def shape(node: Node) -> list[tuple[int, str, str, float | None]]:
    return [
        (each.position.ply, each.ply.move.text, each.ply.by, each.ply.elapsed_s)
        for each in node.walk()
        if each.ply is not None
    ]


def same_tree(one: GameInProgress, other: GameInProgress) -> bool:
    pairs = zip(one.root.walk(), other.root.walk(), strict=True)
    return shape(one.root) == shape(other.root) and all(
        same_snapshot(a.ply.snapshot, b.ply.snapshot) for a, b in pairs if a.ply is not None and b.ply is not None
    )


def test_another_move_begins_a_variation_and_keeps_what_followed() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    assert game.last_position.text == "mnk:3,3,3 a1 c1 c2"
    game.jump(2)
    play(game, "b1")
    assert told(game.root) == "a1 b2 (c1 c2 (b1)) c3"
    assert [node.on_main_line for node in game.line] == [True, True, False, False]


def test_a_move_played_before_leads_to_the_same_place() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    before, revision = game.line, game.revision
    game.jump(1)
    play(game, "b2")
    assert told(game.root) == "a1 b2 c3"
    assert (game.node, game.at_end, game.can_redo) == (before[2], True, True)
    game.redo()
    assert (game.line, game.cursor) == (before, 3)
    assert game.revision > revision


def test_the_newer_search_of_a_move_played_again_counts_and_no_search_takes_none_away() -> None:
    game = new_game("mnk:3,3,3")
    first, second = make_snapshot(game.position, 3, seed=1), make_snapshot(game.position, 4, seed=2)
    assert first.best_move == second.best_move is not None
    for snapshot in (first, second, None):
        game.jump(0)
        game.play(second.best_move, by="MCTS" if snapshot else "Human", snapshot=snapshot)  # type: ignore[arg-type]
    assert same_snapshot(game.analysis(1), second)
    assert game.plies[0].by == "MCTS"
    assert len(game.root.children) == 1


def test_a_refused_move_leaves_the_tree_as_it_was() -> None:
    game = play(new_game("nim:3,3"), "1-1", "1-1")
    game.jump(1)
    line = game.line
    with pytest.raises(IllegalMoveError):
        game.play(NimMove(0, 3), by="Human")
    assert (told(game.root), game.line, game.cursor) == ("1-1 1-1", line, 1)


def test_looking_at_a_variation_shows_it_to_its_end() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    main = game.root.onward
    game.look_at(main[1])
    assert ([ply.move.text for ply in game.plies], game.cursor) == (["a1", "b2", "c3"], 2)
    game.look_at(main[0].children[1])
    assert ([ply.move.text for ply in game.plies], game.cursor) == (["a1", "c1", "c2"], 2)
    game.look_at(main[0])
    assert len(game.plies) == 3
    assert game.plies[1].move.text == "c1"


def test_a_promoted_variation_becomes_the_main_line() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    game.jump(2)
    play(game, "b1")
    game.promote(game.node)
    assert told(game.root) == "a1 c1 (b2 c3) b1 (c2)"
    revision = game.revision
    game.promote(game.node)
    assert game.revision == revision


def test_a_deleted_variation_comes_back() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    variation = game.line[2]
    pruned = game.prune(variation)
    assert (told(game.root), game.cursor, game.last_position.text) == ("a1 b2 c3", 1, "mnk:3,3,3 a1 b2 c3")
    game.restore(pruned)
    assert told(game.root) == "a1 b2 (c1 c2) c3"
    assert game.node is variation


def test_deleting_the_line_of_the_game_leaves_the_variation() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1")
    game.look_at(game.root.onward[2])
    pruned = game.prune(game.root.onward[1])
    assert (told(game.root), game.cursor) == ("a1 c1", 1)
    game.restore(pruned)
    assert told(game.root) == "a1 b2 (c1) c3"
    with pytest.raises(ValueError, match="start"):
        game.prune(game.root)


def test_a_search_may_come_later_than_its_move() -> None:
    game = new_game("mnk:3,3,3")
    snapshot = make_snapshot(game.position, 3)
    game.play(snapshot.moves[0].move, by="MCTS", elapsed_s=0.5)
    revision = game.revision
    game.add_search(game.node, snapshot)
    assert same_snapshot(game.analysis(1), snapshot)
    assert game.plies[0].elapsed_s == 0.5
    assert game.revision == revision
    other = play(new_game("nim:3"), "1-1")
    with pytest.raises(ValueError, match="the search is of"):
        other.add_search(other.node, snapshot)


@given(trees())
@settings(max_examples=50)
def test_every_node_is_reached_by_its_own_moves(game: GameInProgress) -> None:
    for node in game.root.walk():
        assert node.position.moves == tuple(each.ply.move for each in node.path if each.ply is not None)
        assert len({child.ply.move for child in node.children if child.ply is not None}) == len(node.children)
        assert all(child.parent is node for child in node.children)
        assert [child.rank for child in node.children] == list(range(len(node.children)))


@given(trees(), st.data())
@settings(max_examples=50)
def test_looking_anywhere_changes_nothing_that_is_saved(game: GameInProgress, data: st.DataObject) -> None:
    before, revision = shape(game.root), game.revision
    for node in data.draw(st.lists(st.sampled_from(list(game.root.walk())), max_size=8)):
        game.look_at(node)
        assert game.node is node
        assert game.line[0] is game.root
        assert not game.line[-1].children or node in game.line
        assert all(after.parent is one for one, after in zip(game.line, game.line[1:], strict=False))
    assert (shape(game.root), game.revision) == (before, revision)


@given(trees(), st.data())
@settings(max_examples=50)
def test_restoring_undoes_pruning_in_reverse_order(game: GameInProgress, data: st.DataObject) -> None:
    before, pruned = shape(game.root), []
    for _ in range(data.draw(st.integers(0, 4))):
        nodes = list(game.root.walk())[1:]
        if nodes:
            pruned.append(game.prune(data.draw(st.sampled_from(nodes))))
            assert game.line[game.cursor] is game.node
            assert set(game.line) <= set(game.root.walk())
    for each in reversed(pruned):
        game.restore(each)
    assert shape(game.root) == before


@given(trees(), st.data())
@settings(max_examples=50)
def test_promoting_moves_nothing_but_the_order(game: GameInProgress, data: st.DataObject) -> None:
    before = sorted(node.position.text for node in game.root.walk())
    node = data.draw(st.sampled_from(list(game.root.walk())))
    game.promote(node)
    assert node.on_main_line
    assert sorted(node.position.text for node in game.root.walk()) == before


@given(trees())
@settings(max_examples=50)
def test_a_saved_tree_comes_back_identical_and_keeps_the_older_version_where_it_suffices(game: GameInProgress) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.nimdesk"
        save_game(game, path)
        document = json.loads(path.read_bytes())
        loaded = load_game(path)
        save_game(loaded, Path(folder) / "b.nimdesk")
        assert path.read_bytes() == (Path(folder) / "b.nimdesk").read_bytes()
    assert same_tree(game, loaded)
    assert [node.on_main_line for node in loaded.line] == [True] * len(loaded.line)
    assert loaded.at_end
    branches = any(len(node.children) > 1 for node in game.root.walk())
    searched = any(node.ply.snapshot for node in game.root.walk() if node.ply)
    assert document["version"] == (7 if searched else 3 if branches else 2)
    assert ("variations" in document) == branches


def test_a_variation_comes_back_into_its_first_move_where_that_was_played_again() -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    pruned = game.prune(game.root.children[0])
    play(game, "a1", "b3")
    game.restore(pruned)
    assert told(game.root) == "a1 b3 (b2 c3)"
    assert game.node is game.root.children[0]


def test_a_forfeit_is_saved_where_it_happened(tmp_path: Path) -> None:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    game.lose(Side.FIRST, "MCTS ended without an answer.")
    save_game(game, tmp_path / "a")
    assert json.loads((tmp_path / "a").read_bytes())["version"] == 4
    loaded = load_game(tmp_path / "a")
    assert loaded.forfeit is None, "the main line went on"
    loaded.look_at(next(node for node in loaded.root.walk() if node.position.text.endswith("c1 c2")))
    assert loaded.forfeit == game.forfeit
    assert loaded.result == Outcome(Side.SECOND, "MCTS ended without an answer.")
    save_game(loaded, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    game.jump(0)
    play(game, "b3")
    save_game(game, tmp_path / "a")
    assert json.loads((tmp_path / "a").read_bytes())["version"] == 3


def test_a_forfeit_in_no_line_or_in_a_game_that_is_over_is_refused(tmp_path: Path) -> None:
    game = play(new_game("nim:2"), "1-1", "1-1")
    path = tmp_path / "game.nimdesk"
    save_game(game, path)
    document = json.loads(path.read_bytes()) | {"version": 4}
    for of, words in ((1, "it must be in a line, 0 to 0, not 1"), (0, "line 0 ends by the rules")):
        document["forfeit"] = {"of": of, "side": "first", "reason": "It failed."}
        path.write_text(json.dumps(document))
        with pytest.raises(RecordError, match=words):
            load_game(path)


def _document(folder: Path) -> tuple[Path, dict[str, Any]]:
    game = play(new_game("mnk:3,3,3"), "a1", "b2", "c3")
    game.jump(1)
    play(game, "c1", "c2")
    path = folder / "game.nimdesk"
    save_game(game, path)
    return path, json.loads(path.read_bytes())


def _change(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["variations"][0].update({name: value})


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_change("of", 1), "in variation 1: it must leave a line before it, 0 to 0, not 1"),
        (_change("after", 3), "line 0 has no move after move 3"),
        (_change("after", 9), "line 0 has no move after move 9"),
        (_change("plies", []), "in variation"),
        (lambda d: d["variations"][0]["plies"][0].update(move="b2"), "its first move b2 was played there before"),
        (lambda d: d["variations"][0]["plies"][0].update(move="a1"), "in variation 1, move 1: "),
        (lambda d: d["variations"][0]["plies"][1].update(by=3), "in variation 1, move 2, in “by”: expected text"),
        (_change("deep", 1), "there is no field “deep” in variation 1; "),
    ],
)
def test_a_wrong_variation_is_refused_in_one_sentence(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None], words: str
) -> None:
    path, document = _document(tmp_path)
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(RecordError) as caught:
        load_game(path)
    assert words in str(caught.value)
    assert ". " not in str(caught.value)


def test_hundreds_of_variations_inside_each_other_come_back(tmp_path: Path) -> None:
    """Nothing here recurses: a game may branch at every move of a variation of a variation."""
    game = new_game("nim:" + ",".join(["64"] * 12))
    while len(game.position.legal_moves) > 1:
        one, two, *_ = game.position.legal_moves
        game.play(two, by="Human")
        game.undo()
        game.play(one, by="Human")
    assert sum(1 for _ in game.root.walk()) > 1500
    save_game(game, tmp_path / "a")
    assert shape(load_game(tmp_path / "a").root) == shape(game.root)
