"""Every kind of file that nimdesk reads: good ones, and what nimdesk does with them; ``FILES``."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import json_mutations
import msgspec
import numpy as np
import sql_mutations
from certifying import sealed, unpacked
from kinds import Kind, check_sentence
from msgspec.structs import astuple, replace
from solving import BruteForce
from synthetic import make_snapshot, new_game

from nimdesk.agents import OptionValue, make_agent
from nimdesk.disk.paths import results_dir
from nimdesk.disk.provenance import made_here
from nimdesk.errors import DamagedLibraryError, GameParameterError, IllegalMoveError, NimdeskError
from nimdesk.experiments.atlas.work import AtlasResult, AtlasSet
from nimdesk.experiments.files import Found, list_runs
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameResult, GameTask
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import atlas_plan, load_plan
from nimdesk.experiments.report import csv_files, sections
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.solved import (
    KeptWork,
    SolvedBoard,
    SolvedFile,
    solved_cells,
    solved_csv,
    solved_rows,
    solved_words,
    source_words,
)
from nimdesk.experiments.store import Store
from nimdesk.experiments.studies.kind import StudyForm
from nimdesk.experiments.studies.work import Study
from nimdesk.experiments.tuning import tuning_plan
from nimdesk.games import MnkGame, MnkMove, parse_position, solver_for
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.certificate import certificate
from nimdesk.games.truth import KeptSolver, Value
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress
from nimdesk.play.bundle import Bundle, SavedRun, load_bundle, save_bundle
from nimdesk.play.exercises import Exercise, load_exercises, save_exercises
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library
from nimdesk.play.library_thread import Shelf
from nimdesk.play.record import load_game, save_game
from nimdesk.search import Snapshot
from nimdesk.settings import Settings, SettingsStore

_BEFORE = Path(__file__).parent.parent / "experiments" / "before"
_RESOURCES = Path(__file__).parent.parent.parent / "resources"
# A person at a study waits for the proof that the plan asks for; here nobody does.
_MOST_PROOF = 10_000
# With so many empty cells brute force is a matter of moments.
_MOST_EMPTY = 11


def _spoil_json(path: Path, random: Random, huge: int) -> None:
    path.write_bytes(json_mutations.mutated(json.loads(path.read_bytes()), random, huge=huge))


def _spoil_database(path: Path, random: Random, huge: int) -> None:
    sql_mutations.mutate(path, random, huge=huge)


# Saved games


def _game_files(folder: Path) -> list[Path]:
    short = new_game("nim:1,3,5,7", second=make_agent("uct", {"seed": 3, "exploration": 0.5}))
    for number, text in enumerate(("2-3", "4-7", "3-5", "1-1")):
        snapshot = make_snapshot(short.position, 3, number) if number % 2 else None
        short.play(short.position.parse_move(text), by="MCTS", elapsed_s=number / 8, snapshot=snapshot)
    tree = new_game("mnk:3,3,3", make_agent("random"), make_agent("level2"))
    for number, text in enumerate(("b2", "a1", "c3")):
        tree.play(tree.position.parse_move(text), by="Human", snapshot=make_snapshot(tree.position, 4, 2 + number))
    for at, text in ((0, "a1"), (1, "b1"), (2, "c1")):
        tree.jump(at)
        tree.play(tree.position.parse_move(text), by="Human")
    paths = [folder / "short.nimdesk", folder / "tree.nimdesk", folder / "empty.nimdesk"]
    for game, path in zip((short, tree, new_game("mnk:4,3,3:gravity")), paths, strict=True):
        save_game(game, path)
    return paths


def _snapshot_meaning(snapshot: Snapshot | None) -> object:
    if snapshot is None:
        return None
    trace = snapshot.trace
    parts = [] if trace is None else [getattr(trace, name) for name in trace.__slots__ if name != "moves"]
    return repr(replace(snapshot, trace=None)), [np.array(part).tolist() for part in parts]


def _game_meaning(game: GameInProgress) -> object:
    nodes = [
        (
            node.position.text,
            node.rank,
            node.ply and (node.ply.by, node.ply.elapsed_s, _snapshot_meaning(node.ply.snapshot)),
        )
        for node in game.root.walk()
    ]
    return game.game, game.players, nodes


def _use_game(path: Path) -> None:
    game = load_game(path)
    again = path.with_name("again.nimdesk")
    save_game(game, again)
    assert _game_meaning(load_game(again)) == _game_meaning(game), "it means something else when it was saved again"


# Bundles


def _bundle_files(folder: Path) -> list[Path]:
    position = parse_position("nim:3,4,5 2-1")
    shown = {"axis": "iterations", "log": True, "views": ["convergence", "tree"], "two_views": False, "truth": True}
    runs = []
    for seed, name in enumerate(("uct", "mcts", "deepening", "flat")):
        snapshot = replace(make_snapshot(position, 4 * (seed != 2), seed), agent=name)
        runs.append(SavedRun(make_agent(name), seed, snapshot, ((3, 0.5, 9.0, 1), (9, 0.75, 99.0, -1))))
    save_bundle(Bundle(position, tuple(runs), shown), folder / "story.nimbundle.json")
    return [folder / "story.nimbundle.json"]


def _bundle_meaning(bundle: Bundle) -> object:
    runs = [(run.agent, run.seed, run.rows, _snapshot_meaning(run.snapshot)) for run in bundle.runs]
    return bundle.position.text, bundle.shown, runs


def _use_bundle(path: Path) -> None:
    bundle = load_bundle(path)
    again = path.with_name("again.nimbundle.json")
    save_bundle(bundle, again)
    assert _bundle_meaning(load_bundle(again)) == _bundle_meaning(bundle), "it means something else when saved again"


# Exercises


def _exercise_files(folder: Path) -> list[Path]:
    box = [
        Exercise(position="nim:3,4,5 1-2 3-5", best=["2-3"], line=["2-3", "1-1"], played="2-4", exact=True, asked=2),
        Exercise(position="mnk:3,3,3 b2", best=["a1", "c3"], sentence="Gave away a draw.", due_s=1_700_000_000),
    ]
    save_exercises(box, folder / "box.nimexercises.json")
    return [folder / "box.nimexercises.json"]


def _use_exercises(path: Path) -> None:
    box = load_exercises(path)
    again = path.with_name("again.nimexercises.json")
    save_exercises(box, again)
    assert load_exercises(again) == box, "it means something else when it was saved again"


# Plans and studies


def _plan_files(folder: Path) -> list[Path]:
    paths = [Path(shutil.copy(_RESOURCES / "levels.json", folder / "levels.json"))]
    for name in ("match", "searches", "sprt"):
        paths.append(Path(shutil.copy(_BEFORE / name / "plan.json", folder / f"{name}.json")))
    study = {
        "format": "nimdesk-study", "version": 1, "agents": [{"agent": "uct"}, {"agent": "flat", "options": {}}],
        "positions": ["nim:3,4,5", "mnk:3,3,3"], "budgets": [100, 500], "seeds": 20, "seed": 0, "solver_nodes": 5000,
    }  # fmt: skip
    assert set(study) == set(StudyForm.__struct_fields__)
    (folder / "study.json").write_text(json.dumps(study))
    sets = [AtlasSet(starts=["mnk:4,4,3", "nim:1,2,4"], plies=1)]
    atlas = atlas_plan("small", [PlayerPart(agent="uct")], sets, [10, 20, 100], 20)
    (folder / "atlas.json").write_bytes(atlas.to_json())
    return [*paths, folder / "study.json", folder / "atlas.json"]


def _use_plan(path: Path) -> None:
    plan = load_plan(path)
    again = path.with_name("again.json")
    again.write_bytes(plan.to_json())
    assert load_plan(again) == plan, "it means something else when it was saved again"
    schedule = schedule_of(plan)
    for number in (0, schedule.total // 2, schedule.total - 1):
        schedule.task(number)
    Found(schedule)


# Results


def _store_files(folder: Path) -> list[Path]:
    before = [Path(shutil.copy(_BEFORE / f"{name}.db", folder)) for name in ("match", "searches", "sprt", "study")]
    return [*before, _store_of_an_atlas(folder / "atlas.db"), _store_of_tuning(folder / "tuning.db")]


def _store_of_an_atlas(path: Path) -> Path:
    agents = [PlayerPart(agent="uct", options={"exploration": 0.5}), PlayerPart(agent="mcts")]
    plan = atlas_plan(
        "small", agents, [AtlasSet(starts=["mnk:3,3,3 a1 b2 c3", "nim:1,2,4"], plies=1)], [10, 20, 100], 20
    )
    searched = {"searches": 20, "optimal": (9, 19, 12), "regret": (11, 1, 8), "settled": (8, 12, 12)}
    with Store.open_for(path, plan) as store:
        store.add(AtlasResult(number=0, value="draw", moves=6, best=6))
        for number in range(1, schedule_of(plan).total, 2):
            result = AtlasResult(number=number, value="win", moves=1, best=1, wrong="1-1", plies=4)
            store.add(replace(result, **searched), made=made_here(by="2 threads"))
    return path


def _store_of_tuning(path: Path) -> Path:
    agent = make_agent("uct", {"iterations": 9})
    settings: list[dict[str, OptionValue]] = [{"exploration": value} for value in (0.1, 0.5, 1.0)]
    plan = tuning_plan(agent, settings, ["nim:1,2"], games=2, confirm=4)
    schedule = schedule_of(plan)
    with Store.open_for(path, plan) as store:
        for number in range(schedule.total):
            task = schedule.task(number)
            assert isinstance(task, GameTask)
            store.add(GameResult(number, task.setting.position, (0, 1, None)[number % 3], ()))
    return path


def _use_store(path: Path) -> None:
    try:
        _read_store(path)
    finally:
        _check_list(path)


def _read_store(path: Path) -> None:
    with Store.open_to_read(path) as store:
        schedule = schedule_of(store.plan)
        found = Found(schedule, path)
        if (study := schedule.of(Study)) is None or study.part.solver_nodes <= _MOST_PROOF:
            found.prove()
            found.read(store)
        else:
            list(store.results())
    csv_files(found)
    for section in sections(found):
        assert all(cell.isprintable() for row in section.rows for cell in row), section.title
    for game in list(found[MatchTally].results)[:3]:
        save_game(game_of(schedule, game), path.with_name("game.nimdesk"))
    copy = Path(shutil.copy(path, path.with_name("copy.db")))
    with Store.open_for(copy, schedule.plan) as store:
        assert store.count() >= len(found.numbers)


def _check_list(path: Path) -> None:
    """The good results are listed whatever lies beside them."""
    folder = results_dir()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_BEFORE / "match.db", folder / "good.db")
    shutil.copy(path, folder / "wrong.db")
    entries = {entry.path.name: entry for entry in list_runs()}
    assert entries["good.db"].plan is not None, "the good results are not listed"
    if "wrong.db" in entries and entries["wrong.db"].problem:
        check_sentence(entries["wrong.db"].problem)
    (folder / "wrong.db").unlink()


# Tables of solved boards


def _solved_files(folder: Path) -> list[Path]:
    ours = SolvedFile(folder / "ours.json")
    for board in SolvedFile(_RESOURCES / "solved.json").boards[::40]:
        ours.add(board)
    return [ours.path]


def _use_solved(path: Path) -> None:
    file = SolvedFile(path)
    rows = solved_rows(file)
    said = [solved_words(rows), *(made.words for made in file.made), *map(source_words, rows)]
    assert all(text.isprintable() for text in (*said, *(cell for row in rows for cell in solved_cells(row)))), path
    solved_csv(rows)
    for row in rows:
        new_game(row.example)
    other = SolvedFile(Path(shutil.copy(path, path.with_name("again.json"))))
    other.add(SolvedBoard(game="nim:3,9", value=Value.WIN, time_s=1.0, limit_s=1.0, nodes=0, how="By theory."))
    kept = [board for board in SolvedFile(other.path).boards if board.game != "nim:3,9"]
    assert kept == [board for board in file.boards if board.game != "nim:3,9"], "a board is lost"


# Kept work of the solver


# The games by the names of the files, how many positions are behind when the work is kept, and the right value.
_AT_WORK = {
    "small": ("mnk:4,3,3", 200, Value.WIN),
    "drawn": ("mnk:5,5,4", 4_000, Value.DRAW),
    "large": ("mnk:10,9,5", 2_000, Value.UNKNOWN),
}


def _kept_files(folder: Path) -> list[Path]:
    for name, (game, nodes, _) in _AT_WORK.items():
        (folder / f"{name}.part").write_bytes(kept_work(game, nodes))
    return sorted(folder.glob("*.part"))


def kept_work(game: str, nodes: int) -> bytes:
    """The work of a solver at a board after so many positions."""
    start = parse_position(game)
    solver = solver_for(start)
    assert isinstance(solver, KeptSolver)
    solver.start(start)
    assert not solver.advance(Limit(nodes=nodes)), f"{game} is done before"
    data = solver.keep()
    assert data is not None
    return data


def resealed(data: bytes, change_head: Callable[[bytes], bytes], change_body: Callable[[bytes], bytes]) -> bytes:
    """Kept work of which the line of JSON, or what follows it, is another one, with a right digest."""
    first, head, body = data.split(b"\n", 2)
    rest = change_head(head) + b"\n" + change_body(body)
    return first[:-64] + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _spoil_kept(path: Path, random: Random, huge: int) -> None:
    """Bytes of the file, or what it says, or its tables, the latter two with a right digest."""
    data, kind = path.read_bytes(), random.randrange(6)

    def other_head(head: bytes) -> bytes:
        return json_mutations.mutated(json.loads(head), random, huge=huge).replace(b"\n", b"")

    def other_body(body: bytes) -> bytes:
        return json_mutations.with_bad_bytes(body, random, huge)

    def other_words(body: bytes) -> bytes:
        """Mostly of the last rows, and nothing tells that they are not right."""
        words = bytearray(body)
        for _ in range(random.choice((1, 20, 500))):
            at = len(words) - 8 * random.randint(1, len(words) // 32)
            words[at : at + 8] = random.choice((random.randbytes(8), b"\xff" * 8, bytes(8)))
        return bytes(words)

    def same(part: bytes) -> bytes:
        return part

    if kind == 0:
        path.write_bytes(json_mutations.with_bad_bytes(data, random, huge))
    else:
        change_body = {1: same, 2: same, 3: other_body, 4: other_body, 5: other_words}[kind]
        path.write_bytes(resealed(data, other_head if kind < 4 else same, change_body))


def _use_kept(path: Path) -> None:
    """What is refused is as if it were not there; from anything else the work goes on to an end that can be shown."""
    game, _, value = _AT_WORK[path.stem]
    told: list[str] = []
    work = KeptWork(parse_position(game), path, keep_s=1e9, tell=told.append)
    begun = work.truth.elapsed_s
    for _ in range(100):
        if work.advance(begun + 0.2) or work.truth.elapsed_s >= begun + 0.2:
            break
    truth = work.truth
    solved = SolvedFile(path.with_name("solved.json"))
    solved.add(
        SolvedBoard(
            game=game, value=truth.value, plies=truth.distance, time_s=truth.elapsed_s, limit_s=60.0,
            nodes=truth.nodes, how=truth.explanation,
        )
    )  # fmt: skip
    assert all(cell.isprintable() for row in solved_rows(SolvedFile(solved.path)) for cell in solved_cells(row))
    if told:
        assert "is damaged or of another version of nimdesk, so the work begins anew." in told[0]
        assert truth.value in (Value.UNKNOWN, value), "the work that began anew proves what is not so"
        raise NimdeskError("The work begins anew.")


# Certificates


def _certificate_files(folder: Path) -> list[Path]:
    paths = []
    for number, text in enumerate(("mnk:3,3,3", "mnk:4,3,3 b2", "mnk:4,4,4", "mnk:3,3,3:gravity", "mnk:2,2,2 a1")):
        paths.append(folder / f"{number}.cert")
        paths[-1].write_bytes(certificate(parse_position(text), Event()))
    return paths


def _spoil_certificate(path: Path, random: Random, huge: int) -> None:
    """Bytes of the file, or what it says, with a right checksum."""
    data = path.read_bytes()
    if random.random() < 0.2:
        path.write_bytes(json_mutations.with_bad_bytes(data, random, huge))
        return
    path.write_bytes(sealed(json_mutations.mutated(unpacked(data), random, huge=huge)))


def _use_certificate(path: Path) -> None:
    with redirect_stdout(StringIO()) as said:
        code = verify.main([str(path)])
    text, *drawn = said.getvalue().removesuffix("\n").split("\n")
    check_sentence(text)
    assert bool(drawn) is not bool(code)
    if code:
        raise NimdeskError(text)
    content: Any = verify.read(path.read_bytes())
    sides = [sorted(content["marks"][0], key=int), sorted(content["marks"][1], key=int)]
    if content["m"] * content["n"] - sum(map(len, sides)) > _MOST_EMPTY:
        return
    with suppress(IllegalMoveError, GameParameterError):  # a board, or a way there, that only the checker knows
        position = MnkGame(*(content[name] for name in ("m", "n", "k", "gravity"))).start()
        for cell in (cell for pair in zip_longest(*sides) for cell in pair if cell is not None):
            position = position.play(MnkMove(cell % content["m"], cell // content["m"]))
        named = content.get("position", position.text)
        assert parse_position(named).board == position.board, f"proven is not what it names: {text}"
        (value, _plies), _moves = BruteForce(position.game).of(position)
        winner = None if value == 0 else content["turn"] if value > 0 else 1 - content["turn"]
        assert winner == content["winner"], f"proven is what is not so: {text}"


# The library


def _library_files(folder: Path) -> list[Path]:
    path = folder / "games.db"
    with Library.open(path) as library:
        for window, text in enumerate(("nim:1,3,5,7", "mnk:3,3,3", "mnk:4,3,3:gravity"), 1):
            kept = KeptGame(new_game(text, second=make_agent("uct")))
            kept.id = 10**18 * window  # else drawn at random, and the same seed would make another file
            for number in range(4):
                game = kept.game
                snapshot = make_snapshot(game.position, 3, number) if number % 2 else None
                game.play(game.position.legal_moves[0], by="MCTS", elapsed_s=number / 4, snapshot=snapshot)
            kept.game.jump(2)
            kept.game.play(kept.game.position.legal_moves[-1], by="Human")
            change = kept.change()
            assert change is not None
            library.write(change, window)
    return [path]


def _use_library(path: Path) -> None:
    copy = path.with_name("copy.db")
    for ending in ("", "-wal"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            shutil.copy(beside, copy.with_name(copy.name + ending))
    try:
        _read_library(path)
    finally:
        _keep_in_library(copy)


def _read_library(path: Path) -> None:
    library = Library.look_into(path)
    if library is None:
        return
    with library:
        for entry in library.entries():
            assert 0 <= entry.changed < 2**40
            _read_game(library, entry.id)
        library.shown_in(1)


def _read_game(library: Library, game: int) -> None:
    try:
        kept = library.read(game)
    except NimdeskError as error:
        check_sentence(str(error))
        return
    if kept is not None:
        save_game(kept.game, library.path.with_name("again.nimdesk"))


def _keep_in_library(path: Path) -> None:
    """A game is kept whatever was there before, or the reason is told."""
    shelf = Shelf(path)
    try:
        _, problem = shelf.last_game()
        if problem:
            check_sentence(problem)
        kept = KeptGame(new_game("nim:2"))
        kept.id = 15 * 10**17
        kept.game.play(kept.game.position.parse_move("1-1"), by="Human")
        change = kept.change()
        assert change is not None
        news = shelf.write(change, shown=True)
        if news:
            check_sentence(news)
        stored = shelf.do(lambda library: library.game(kept.id))
        assert stored is not None
        assert [row.move for row in stored.nodes] == ["1-1"]
    except DamagedLibraryError:
        raise AssertionError("a damaged library is not set aside") from None
    finally:
        shelf.close()
        shelf.leave()


# Settings


def _settings_files(folder: Path) -> list[Path]:
    path = folder / "settings.json"
    human, agent = {"player": "human"}, make_agent("uct", {"iterations": 900}).to_json()
    settings = Settings(
        theme="dark", players=[human, agent], convergence={"x": "linear", "band": True}, shares={"board": 0.61},
        experiments={"study": "{}", "plan": '{"format": "nimdesk-plan"'},
        laboratory={"agents": [{**agent, "seed": 3}], "axis": "nodes", "limits": {"time_s": 2.0}, "views": ["tree"]},
        window_geometry="AAEC/w==", recent_games=["/home/a.nimdesk"], games_folder="/home",
    )  # fmt: skip
    SettingsStore(path).save(settings)
    document: dict[str, Any] = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, "of_a_newer_one": {"volume": [3, {"a": None}]}}))
    return [path]


def _use_settings(path: Path) -> None:
    before = path.read_bytes()
    store = SettingsStore(path)
    settings = store.load()
    if store.problem:
        check_sentence(store.problem)
    there = path if path.exists() else path.with_name("settings.broken-1.json")
    assert there.read_bytes() == before, "what was there is lost"
    again = path.with_name("again.json")
    store.path = again
    store.save(settings)
    other = SettingsStore(again)
    assert astuple(other.load()) == astuple(settings), "they mean something else when they were saved again"
    assert other.problem is None
    names = _names(again)
    other.save(settings)
    assert _names(again) == names, "what a newer version wrote is lost"


def _names(path: Path) -> set[str]:
    return set(msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw]))


FILES = (
    Kind("game", _game_files, _spoil_json, _use_game),
    Kind("bundle", _bundle_files, _spoil_json, _use_bundle),
    Kind("exercises", _exercise_files, _spoil_json, _use_exercises),
    Kind("plan", _plan_files, _spoil_json, _use_plan),
    Kind("settings", _settings_files, _spoil_json, _use_settings),
    Kind("solved", _solved_files, _spoil_json, _use_solved),
    Kind("kept-work", _kept_files, _spoil_kept, _use_kept),
    Kind("certificate", _certificate_files, _spoil_certificate, _use_certificate),
    Kind("results", _store_files, _spoil_database, _use_store),
    Kind("library", _library_files, _spoil_database, _use_library),
)
