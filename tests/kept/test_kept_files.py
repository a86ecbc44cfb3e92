"""A file of every kind, as nimdesk 0.2.0 wrote it, opens with all that is in it.

``0.2.0`` holds them as commit c023550 left them. They stay as they are; a later release adds a folder of its own.
"""

import shutil
from pathlib import Path

import pytest

from nimdesk.agents import make_agent
from nimdesk.experiments.atlas.tally import AtlasTally
from nimdesk.experiments.files import read
from nimdesk.experiments.plan import load_plan
from nimdesk.experiments.solved import SolvedFile
from nimdesk.games import parse_position
from nimdesk.games.certificates import read_certificate
from nimdesk.games.truth import Value
from nimdesk.play import Human
from nimdesk.play.bundle import load_bundle
from nimdesk.play.exercises import load_exercises
from nimdesk.play.library import Library
from nimdesk.play.record import load_game
from nimdesk.settings import SettingsStore

KEPT = Path(__file__).with_name("0.2.0")


def test_settings() -> None:
    store = SettingsStore(KEPT / "settings.json")
    settings = store.load()
    assert settings.position == "mnk:3,3,3"
    assert settings.players[1] == {"agent": "level3", "options": {"seed": None}}
    assert settings.laboratory["agents"][0]["options"]["memory_mb"] == 256
    assert store.problem is None


def test_the_library_of_games(tmp_path: Path) -> None:
    with Library.open(Path(shutil.copy(KEPT / "games.db", tmp_path))) as library:
        (entry,) = library.entries()
        game = library.read(entry.id).game
    assert game.last_position.text == "mnk:3,3,3 a1 c3 a3 b3 b1 a2 c1"
    assert game.players == (Human(), make_agent("level3"))
    searched = [ply.snapshot for ply in game.plies if ply.snapshot is not None]
    assert [each.agent for each in searched] == ["level3"] * 3
    assert all(each.trace is not None and len(each.trace) for each in searched)


@pytest.mark.parametrize("name", ["game", "nim"])
def test_saved_games_with_their_searches(name: str) -> None:
    game = load_game(KEPT / f"{name}.nimdesk")
    assert game.last_position.outcome is not None
    assert len(game.plies) == len(game.last_position.moves)
    assert all(ply.snapshot is not None and ply.snapshot.moves for ply in game.plies)


def test_a_bundle_of_the_laboratory() -> None:
    bundle = load_bundle(KEPT / "search.nimbundle.json")
    assert bundle.position == parse_position("mnk:3,3,3 b2 a1")
    assert [run.agent.name for run in bundle.runs] == ["uct", "mcts", "alphabeta", "flat"]
    uct, mcts, *_ = (run.snapshot for run in bundle.runs)
    assert uct.iterations == uct.total_visits == 200
    assert mcts.trace is not None
    assert mcts.trace.choice is not None


def test_exercises_and_those_that_were_shared() -> None:
    (mine,), (shared,) = (load_exercises(KEPT / name) for name in ("exercises.json", "missed.nimexercises.json"))
    assert mine.best
    assert shared.best
    assert shared.exact


@pytest.mark.parametrize("name", ["plan", "study", "searches"])
def test_plans(name: str) -> None:
    plan = load_plan(KEPT / f"{name}.json")
    assert plan == read(KEPT / f"{name.replace('plan', 'match')}.db").schedule.plan or name == "searches"


@pytest.mark.parametrize(
    ("name", "done", "complete"),
    [("match", 15, False), ("sprt", 40, True), ("rate", 8, True), ("study", 40, False), ("searches", 4, True)],
)
def test_results_of_each_kind(name: str, done: int, complete: bool) -> None:
    found = read(KEPT / f"{name}.db")
    assert (found.done, found.complete) == (done, complete)


def test_a_tuning_and_an_atlas() -> None:
    assert read(KEPT / "tune.db").complete
    atlas = read(KEPT / "atlas.db").of(AtlasTally)
    assert atlas is not None
    assert len(list(atlas.rows())) == 12


def test_solved_boards() -> None:
    file = SolvedFile(KEPT / "solved.json")
    assert [(each.game, each.value, each.plies) for each in file.boards] == [
        ("mnk:3,3,3", Value.DRAW, 9),
        ("mnk:4,3,3", Value.WIN, 7),
    ]


def test_a_certificate() -> None:
    certificate, _ = read_certificate(KEPT / "tic-tac-toe.cert")
    assert certificate.start == parse_position("mnk:3,3,3")
