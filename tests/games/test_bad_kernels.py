"""Games of other packages whose compiled rules misbehave: each is told in a sentence, and its rules still serve."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

import pytest
from bad_games import BadGame
from bad_kernels import ASKED, COMPILED, DANGEROUS, SOUND, SOUND_TOO, TOO_LARGE, TWO_KINDS, WRONG
from example_packages import installed
from plugin_packages import install

from nimdesk import compiler_process
from nimdesk.agents import make_agent
from nimdesk.errors import CompilationEndedError, NimdeskError, RulesError
from nimdesk.games import AnyPosition, Game, kernel_of, kernel_trial, parse_position
from nimdesk.games.check import rules_of
from nimdesk.games.held_kernel import HeldKernel
from nimdesk.games.installed import load_game, made_kit
from nimdesk.games.kernel_check import check_kernel
from nimdesk.games.kernel_trial import try_kernel
from nimdesk.games.parts import held
from nimdesk.kernels import CACHE
from nimdesk.kernels.memory.held import hold


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All of them installed, and loaded without being tried elsewhere, which would find nothing of it."""
    site = tmp_path_factory.mktemp("site")
    games = (*ASKED, *COMPILED, *WRONG, *DANGEROUS, *SOUND_TOO, TOO_LARGE, TWO_KINDS, SOUND)
    for bad in games:
        modules = {bad.module: bad.code}
        install(site, f"acme-{bad.name}", {bad.name: f"{bad.module}:KIT"}, modules, "nimdesk.games")
    with installed(str(site)):
        for bad in games:
            load_game(bad.name, tried=True)
        yield


def tried(bad: BadGame) -> None:
    """Try the compiled rules as nimdesk does before the first search."""
    game = parse_position(f"{bad.name}:7").game
    rules = kernel_of(game).make_rules(game.start())
    try_kernel(bad.name, f"{bad.module}:KIT", game, hold(rules).kind.name)


def asked(position: AnyPosition) -> list[object]:
    """What searches ask of compiled rules before they run."""
    kernel = kernel_of(position)
    return [
        kernel.encode_position(position),
        kernel.encode_identity(position),
        kernel.encode_columns(position).tolist(),
        kernel.longest_game(position),
        kernel.most_positions(position),
        kernel.can_overshoot(position.game),
        [kernel.neighbours(position, move) for move in position.legal_moves],
        kernel.replay(position, position.legal_moves[:1], lambda: 0),
    ]


@pytest.mark.parametrize("bad", ASKED, ids=lambda bad: bad.name)
def test_what_is_not_as_promised_is_told_in_a_sentence(bad: BadGame) -> None:
    with pytest.raises(NimdeskError) as caught:
        asked(parse_position(f"{bad.name}:7"))
    sentence = str(caught.value)
    assert bad.says in sentence
    assert sentence.startswith((f"The compiled rules of “{bad.name}” failed: ", f"{bad.name}:7 needs "))
    assert len(sentence) <= 300
    assert parse_position(f"{bad.name}:7 1").legal_moves, "its rules serve as before"


def test_what_is_as_promised_is_handed_on() -> None:
    position = parse_position(f"{SOUND.name}:7 2")
    rules, identity, *others = asked(position)
    assert [field.tolist() for field in (*rules, *identity)] == [[5]] * 4  # type: ignore[misc]
    one = position.legal_moves[0]
    assert others == [[0, 1], 5, 6.0, False, [0, 0], (one,) * 4]


def test_what_cannot_be_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    position = parse_position("no_name:7")
    with pytest.raises(RulesError, match="cannot be compiled: NameError: name 'nowhere' is not defined"):
        make_agent("minimax").new_searcher(position).start(position, 1)
    monkeypatch.setattr(CACHE, "load", lambda load: pytest.fail("it is compiled again"))
    with pytest.raises(RulesError, match="cannot be compiled: NameError: name 'nowhere' is not defined"):
        make_agent("alphabeta").new_searcher(position).start(position, 1)


@pytest.mark.parametrize("bad", WRONG, ids=lambda bad: bad.name)
def test_compiled_rules_that_differ_from_the_rules_are_found(bad: BadGame) -> None:
    game = parse_position(f"{bad.name}:7").game
    with pytest.raises(RulesError) as caught, rules_of(bad.name, "The compiled rules"):
        check_kernel(kernel_of(game), game.start(), seconds=10, games=5)
    sentence = str(caught.value)
    assert sentence.startswith(f"The compiled rules of “{bad.name}” failed: ")
    assert bad.says in sentence


@pytest.mark.parametrize(
    "text",
    [
        "nim:3,4,5",
        "nim:21:max3:misere",
        "nim:1,3,5,7 4-4",
        "mnk:3,3,3",
        "mnk:5,4,4 c2 b2",
        "mnk:7,6,4:gravity d1 d2",
        "compiled:9",
        *(f"{bad.name}:9" for bad in SOUND_TOO),
    ],
)
def test_those_that_do_not_differ_are_not_complained_of(text: str) -> None:
    position = parse_position(text)
    check_kernel(kernel_of(position), position, seconds=60, games=4)


def test_what_is_compiled_with_bounds_checks_for_a_trial_is_kept_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CACHE, "has", lambda mark: False)
    tried(SOUND)
    command = [sys.executable, "-c", "from nimdesk.kernels import CACHE; print(CACHE.folder)"]
    environment = {**os.environ, "NIMDESK_BOUNDS_CHECK": "1"}
    folder = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    assert os.listdir(folder)


def test_they_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    marks: list[str] = []
    monkeypatch.setattr(CACHE, "has", marks.__contains__)
    monkeypatch.setattr(CACHE, "note", marks.append)
    tried(SOUND)
    assert len(marks) == 1
    monkeypatch.setattr(kernel_trial, "HostProcess", lambda *_, **__: pytest.fail("they are tried again"))
    tried(SOUND)


def test_a_preset_that_no_search_has_room_for_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CACHE, "has", lambda mark: False)
    tried(TOO_LARGE)


def test_each_type_of_compiled_rules_is_tried() -> None:
    kit = made_kit(TWO_KINDS.name, f"{TWO_KINDS.module}:KIT")
    kernel = held(kit, f"{TWO_KINDS.module}:KIT").kernel
    assert kernel is not None
    kernel.make_rules(parse_position("two_kinds:9"))
    for _ in range(2):
        with pytest.raises(RulesError, match="trial of the compiled rules of “two_kinds” failed: play says 0 of"):
            kernel.make_rules(parse_position("two_kinds:25"))
    kernel.make_rules(parse_position("two_kinds:9 1"))


def test_a_comparison_ends_when_time_is_up() -> None:
    position = parse_position(f"{SOUND.name}:9")
    begin = time.process_time()
    check_kernel(kernel_of(position), position, seconds=0, games=1_000_000)
    assert time.process_time() - begin < 60


@pytest.mark.skipif(os.name == "nt", reason="a process does not end by a signal there")
@pytest.mark.parametrize("bad", [*DANGEROUS, WRONG[0], COMPILED[1]], ids=lambda bad: bad.name)
def test_what_they_do_when_tried_does_no_harm_here(bad: BadGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_trial, "_ENDLESS_S", 1.0)
    with pytest.raises(RulesError) as caught:
        tried(bad)
    sentence = str(caught.value)
    assert bad.says in sentence
    assert sentence.startswith(f"The trial of the compiled rules of “{bad.name}” ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_what_was_found_is_remembered_and_its_rules_still_serve() -> None:
    games: list[Game] = []
    position = parse_position(f"{SOUND.name}:7")

    def trial(game: Game, kind: str) -> None:
        games.append(game)
        raise RulesError("They are not to be used.")

    kernel = HeldKernel(kernel_of(position), partial(rules_of, SOUND.name), trial)
    for _ in range(2):
        with pytest.raises(RulesError, match="They are not to be used"):
            kernel.make_rules(position)
    assert games == [position.game]


def test_nobody_waits_for_a_trial_while_nimdesk_is_being_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CACHE, "has", lambda name: False)
    compiler_process.begin()
    try:
        compiler_process.refuse()
        with pytest.raises(CompilationEndedError):
            tried(SOUND)
    finally:
        compiler_process.end()
