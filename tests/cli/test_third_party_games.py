"""Games of other packages: the example in ``resources/examples`` as installed, and packages that are broken."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_games import LOADED
from bad_kernels import ENDS_LATE
from calling import Nimdesk, run_python
from example_packages import example_site, installed
from plugin_packages import install

from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.errors import GameParameterError, IllegalMoveError, NotationError
from nimdesk.experiments.plan import MatchPart, PlayerPart, new_plan
from nimdesk.games import (
    AnyPosition,
    kernel_of,
    kit_of,
    load_plugin_games,
    parse_game,
    parse_position,
    presets,
    solver_for,
)
from nimdesk.games.base import describe_outcome, describe_turn
from nimdesk.games.kit import KITS
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, record
from nimdesk.plugins.games import load_game


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Where packages can be installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    with installed(str(folder)):
        yield folder


@pytest.fixture
def _kayles() -> Iterator[None]:
    with installed(example_site("kayles")):
        yield


@pytest.mark.usefixtures("_kayles")
class TestKayles:
    def test_it_is_found_when_its_notation_is_not_known(self) -> None:
        assert "kayles" not in KITS
        position = parse_position("kayles:3,4 1-2 2-3+4")
        assert position.summary == "!.! !!.."
        assert [move.text for move in position.legal_moves] == ["1-1", "1-3", "2-1", "2-1+2", "2-2"]
        assert KITS["kayles"] is kit_of(position)

    def test_it_is_among_the_well_known_games_once_these_are_listed(self) -> None:
        load_plugin_games()
        assert [preset.game.text for preset in presets()][-1] == "kayles:3,4,5"

    def test_the_command_line_lists_it(self, nimdesk: Nimdesk) -> None:
        listed = " ".join(nimdesk("games").out.split())
        assert "Kayles kayles:3,4,5 Take one pin, or two side by side, and be the last to do so." in listed
        assert listed.endswith(":misere for misère play) or kayles:3,4,5 (rows of pins).")

    def test_a_position_alone_is_no_command(self, nimdesk: Nimdesk) -> None:
        assert nimdesk("kayles:3,4").err.startswith(
            "nimdesk: “kayles:3,4” is a position, not a command; write “nimdesk"
        )

    def test_its_words_are_those_of_its_rules(self) -> None:
        assert describe_turn(parse_position("kayles:3")) == "First to move"
        assert describe_outcome(parse_position("kayles:3 1-2 1-1 1-3")) == "First wins: took the last pin"

    @pytest.mark.parametrize(
        ("text", "error", "sentence"),
        [
            ("kayles:3,99", GameParameterError, "Kayles has 1 to 9 rows of 1 to 30 pins, like 3,4,5."),
            ("kayles:x", NotationError, "“x” in “kayles:x” is not understood; give the rows of pins, like 3,4,5."),
            ("kayles:1 1-2", NotationError, "Move 1 of “kayles:1 1-2”: “1-2” is not a move here. Legal moves: 1-1."),
            ("kayles:1 1-1 2", NotationError, "Move 2 of “kayles:1 1-1 2”: “2” is not a move here: the game is over."),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said_in_a_sentence(self, text: str, error: type[Exception], sentence: str) -> None:
        with pytest.raises(error) as caught:
            parse_position(text)
        assert str(caught.value) == sentence

    def test_a_move_that_is_not_legal_is_refused(self) -> None:
        position = parse_position("kayles:2 1-1")
        with pytest.raises(IllegalMoveError, match=r"The move 1-1 is not legal here: .* Legal moves: 1-2\."):
            position.play(position.moves[0])

    @pytest.mark.parametrize("text", ["kayles:3,4,5", "kayles:1,2,3", "kayles:6,2", "kayles:7 1-4"])
    def test_its_theory_agrees_with_looking_at_all_positions(self, text: str) -> None:
        position = parse_position(text)
        solver = solver_for(position)
        solver.start(position)
        assert solver.advance(Limit())
        truth = solver.truth()
        assert truth.complete
        plain = PlainSolver()
        plain.start(position)
        assert plain.advance(Limit())
        assert truth.value is plain.truth().value
        assert truth.best_moves == plain.truth().best_moves


@pytest.fixture
def bare(site: Path) -> None:
    """The rules of Kayles with an entry point that names nothing else."""
    rules = Path(example_site("kayles"), "kayles.py").read_text(encoding="utf-8")
    modules = {"bare_kayles": rules.replace("kayles:", "bare:")}
    install(site, "bare-kayles", {"bare": "bare_kayles:KaylesGame"}, modules, "nimdesk.games")


@pytest.mark.usefixtures("bare")
def test_a_position_class_alone_is_a_game() -> None:
    position = parse_position("bare:3,4")
    kit = kit_of(position)
    assert (kit.name, kit.presets, kit.kernel, kit.new_solver) == ("bare", (), None, None)
    with pytest.raises(GameParameterError, match=r"There are no compiled rules for bare:3,4\."):
        kernel_of(position)


def players() -> list[str]:
    """Every agent of the catalogue but those that play one kind of game alone, or need a certificate."""
    return [name for name in CATALOGUE if name not in ("flat-perfect", "certificate", "threats")]


def small_budget(name: str) -> str:
    """The agent as matches have it, with little to search."""
    budget = CATALOGUE[name].traits.budget
    return f"{name}:{budget}=20" if CATALOGUE[name].traits.counts == "iterations" and budget else name


@pytest.fixture(params=["kayles:2,3", "bare:2,3"])
def small(request: pytest.FixtureRequest, _kayles: None, bare: None) -> AnyPosition:
    """Kayles with its theory, and as rules alone."""
    load_game(request.param.partition(":")[0], trusted=True)
    return parse_position(request.param)


class TestEveryAgent:
    @pytest.mark.parametrize("name", players())
    def test_plays_it_to_the_end_and_the_game_is_saved(self, name: str, small: AnyPosition, tmp_path: Path) -> None:
        agent = make_agent(name)
        game = GameInProgress(small, (agent.with_budget(60, small), agent))
        while game.last_position.outcome is None:
            position = game.last_position
            searcher = agent.with_budget(60, position).new_searcher(position)
            searcher.start(position, seed=1)
            while searcher.advance(Limit()) is None:
                pass
            snapshot = searcher.snapshot()
            assert snapshot.best_move in position.legal_moves
            game.play(snapshot.best_move, by=name, snapshot=snapshot)
        record.save_game(game, tmp_path / "game.json")
        assert record.load_game(tmp_path / "game.json").last_position == game.last_position

    @pytest.mark.parametrize("name", players())
    def test_analyses_it(self, name: str, small: AnyPosition, nimdesk: Nimdesk) -> None:
        traits = CATALOGUE[name].traits
        limited = traits.counts == "iterations" and traits.budget
        few = (f"--{traits.budget.replace('_', '-')}", "20") if limited else ()
        result = nimdesk("analyse", small.text, "--agent", name, *few)
        assert (result.code, result.err) == (0, "")
        assert "best move: " in result.out

    def test_meets_another_in_matches(self, small: AnyPosition, nimdesk: Nimdesk, tmp_path: Path) -> None:
        match = ("match", *map(small_budget, players()), "--format", "gauntlet")
        result = nimdesk(*match, "--position", small.text, "--games", "1", "--out", str(tmp_path / "matches.db"))
        assert result.code == 0
        assert all(name in result.out for name in players())

    def test_is_studied(self, small: AnyPosition, nimdesk: Nimdesk) -> None:
        agents = ("--agent", "uct", "--agent", "mcts", "--agent", "flat")
        result = nimdesk("study", *agents, "--position", small.text, "--budgets", "10,60", "--seeds", "3")
        assert (result.code, result.err) == (0, "")
        assert f"{small.text}: " in result.out

    def test_is_compared_with_the_exact_answer(self, small: AnyPosition, nimdesk: Nimdesk) -> None:
        assert "First can win" in nimdesk("solve", small.text).out


@pytest.mark.parametrize(
    "code",
    [
        "import sys; from nimdesk.__main__ import main; sys.argv[1:] = ['solve', 'kayles:3,4']; main()",
        "import nimdesk; nimdesk.position('kayles:3,4')",
        "import sys; from nimdesk.experiments.tasks import run_tasks_of; run_tasks_of(sys.argv[1].encode(), [0], ())",
    ],
    ids=["command line", "library", "worker of a cluster"],
)
@pytest.mark.usefixtures("_kayles")
def test_each_way_into_nimdesk_finds_games_of_packages(code: str) -> None:
    part = MatchPart(players=["one", "other"], positions=["kayles:3,4"], games=1, swap=False)
    plan = new_plan("match", {name: PlayerPart(agent="random") for name in part.players}, matches=[part])
    path = os.pathsep.join([example_site("kayles"), *filter(None, sys.path)])
    done = run_python("-c", code, plan.to_json().decode(), env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (0, "")


BROKEN = {
    "raises": ("1 / 0", "division by zero (ZeroDivisionError in line 1 of raises_module.py)."),
    "leaves": ("raise SystemExit(3)", "it ended itself by sys.exit(3) (line 1 of leaves_module.py)."),
    "nothing": ("", "module 'nothing_module' has no attribute 'GAME' (AttributeError)."),
    "foreign": ("GAME = 7", "“foreign_module:GAME” is neither a subclass of Game nor a GameKit."),
    "misnamed": (
        "from nimdesk.games.nim.kit import KIT as GAME",
        "the game is called “nim”, but its entry point is not.",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_loses_its_own_game_and_nothing_else(name: str, site: Path, nimdesk: Nimdesk) -> None:
    code, why = BROKEN[name]
    install(site, f"some-{name}", {name: f"{name}_module:GAME"}, {f"{name}_module": code}, "nimdesk.games")
    sentence = f"The game “{name}” of the package some-{name} cannot be loaded: {why}"
    for _ in range(2):
        with pytest.raises(NotationError) as caught:
            parse_game(f"{name}:3")
        assert str(caught.value) == sentence
    listed = nimdesk("games")
    assert (listed.code, listed.err) == (0, "")
    assert sentence in " ".join(listed.out.split())
    assert parse_game("nim:3,4,5").text == "nim:3,4,5"


def test_a_package_cannot_take_the_name_of_a_game_that_is_there(site: Path) -> None:
    install(site, "other-nim", {"nim": "other_nim:GAME"}, {"other_nim": "raise RuntimeError"}, "nimdesk.games")
    load_plugin_games()
    assert parse_game("nim:3").text == "nim:3"
    assert "other_nim" not in sys.modules


SOUND = LOADED[0].code
LINE = SOUND.count("\n") + 1
"""Where what is added to it begins."""


def install_sound(site: Path, name: str, added: str) -> None:
    """A game with sound rules, in which these lines then change something."""
    module = f"{name}_module"
    sys.modules.pop(module, None)  # of the test before
    install(
        site, f"acme-{name}", {name: f"{module}:KIT"}, {module: SOUND.replace("sound", name) + added}, "nimdesk.games"
    )


def with_parts(parts: str) -> str:
    """The line that gives the game these parts."""
    return f"KIT = GameKit(KIT.name, G, presets=KIT.presets, {parts})\n"


VALUE_TABLE, MINIMAX, PERFECT = (
    ("analyse", "parts:7", "--agent", name) for name in ("value-table", "minimax", "perfect")
)
SOLVE = ("solve", "parts:7")


SOLVER = """from nimdesk.games.plain_solver import PlainSolver
class Solver(PlainSolver):
    {}
"""


@pytest.mark.parametrize("words", [SOLVE, PERFECT])
def test_a_solver_that_fails_is_told_in_a_sentence(words: tuple[str, ...], site: Path, nimdesk: Nimdesk) -> None:
    install_sound(
        site, "parts", SOLVER.format("def advance(self, limit): sys.exit()") + with_parts("new_solver=Solver")
    )
    result = nimdesk(*words)
    why = f"it ended itself by sys.exit() (line {LINE + 2} of parts_module.py)."
    assert (result.code, result.err) == (2, f"nimdesk: The game “parts” of the package acme-parts failed: {why}\n")


def test_parts_that_are_sound_are_used(site: Path, nimdesk: Nimdesk) -> None:
    solvers = "new_solver=Solver, new_table=lambda game: Solver()"
    preferences = "preferences=lambda position: tuple(-move.take for move in position.legal_moves)"
    numbers = f"fewest_nodes=lambda position: 1, {preferences}"
    install_sound(site, "parts", SOLVER.format("pass") + with_parts(f"{solvers}, {numbers}"))
    assert "First can win in 5 plies, with 1." in nimdesk(*SOLVE).out
    for words in (PERFECT, VALUE_TABLE, MINIMAX):
        result = nimdesk(*words)
        assert (result.code, result.err) == (0, "")
        assert "best move: 1 " in result.out


LATE = "play = P.play\nP.play = lambda s, m: play(s, m) if s.game.n < 6 or len(s.moves) < {} else {}\n"
LATE_PLACE = f"line {LINE + 1} of late_module.py"
MATCH = ("match", "uct:iterations=20", "random", "--position", "late:7", "--games", "1", "--threads", "1")


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ("sys.exit(3)", f"it ended itself by sys.exit(3) ({LATE_PLACE})."),
        ("exec('raise GeneratorExit')", f"it raised an error without words (GeneratorExit in {LATE_PLACE})."),
        ("1 / 0", f"division by zero (ZeroDivisionError in {LATE_PLACE})."),
    ],
)
@pytest.mark.parametrize(
    ("words", "moves"),
    [
        (("analyse", "late:7", "--agent", "uct"), 4),
        (("analyse", "late:7", "1"), 0),
        (("solve", "late:7"), 4),
        (MATCH, 4),
    ],
)
def test_rules_that_end_or_fail_only_later_are_told_in_a_sentence(
    words: tuple[str, ...], moves: int, then: str, why: str, site: Path, nimdesk: Nimdesk
) -> None:
    install_sound(site, "late", LATE.format(moves, then))
    result = nimdesk(*words)
    assert result.code == 2
    assert result.err == f"nimdesk: The game “late” of the package acme-late failed: {why}\n"


def test_ctrl_c_within_the_rules_is_no_fault_of_theirs(site: Path, nimdesk: Nimdesk) -> None:
    install_sound(site, "late", LATE.format(0, "exec('raise KeyboardInterrupt')"))
    assert nimdesk("analyse", "late:7", "1").code == 130


@pytest.mark.parametrize("error", ["SystemExit", "GeneratorExit", "type('Own', (BaseException,), {})"])
def test_a_module_that_ends_only_within_nimdesk_loses_its_game_alone(error: str, site: Path, nimdesk: Nimdesk) -> None:
    install_sound(site, "here", f"if 'nimdesk.cli' in sys.modules: raise {error}\n")
    listed = nimdesk("games")
    assert (listed.code, listed.err) == (0, "")
    assert "The game “here” of the package acme-here cannot be loaded: it " in " ".join(listed.out.split())
    assert "nim:3,4,5" in listed.out


def test_compiled_rules_that_fail_are_told_in_a_sentence(site: Path, nimdesk: Nimdesk) -> None:
    bad = ENDS_LATE
    install(site, f"acme-{bad.name}", {bad.name: f"{bad.module}:KIT"}, {bad.module: bad.code}, "nimdesk.games")
    result = nimdesk("analyse", f"{bad.name}:7", "--agent", "minimax")
    assert result.code == 2
    assert bad.says in result.err
    assert result.err.startswith(f"nimdesk: The trial of the compiled rules of “{bad.name}” failed: ")
    assert result.err.count("\n") == 1
    assert "First can win" in nimdesk("solve", f"{bad.name}:7").out
