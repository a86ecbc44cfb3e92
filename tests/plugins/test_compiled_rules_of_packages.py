"""Games of other packages whose compiled rules misbehave: each is told in a sentence, and its rules still serve."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module

import pytest
from bad_games import BadGame
from bad_kernels import DANGEROUS, NO_NAME, SIZES, SOUND, VARIANTS, VARIANTS_CODE, variants
from example_packages import installed
from plugin_packages import install

from nimdesk import compiler_process
from nimdesk.agents import make_agent
from nimdesk.errors import CompilationEndedError, RulesError
from nimdesk.games import Game, kernel_of, parse_position
from nimdesk.games.kernel_kit import AnyKernel
from nimdesk.kernels import CACHE
from nimdesk.kernels.jit import UncompiledError
from nimdesk.plugins import trial
from nimdesk.plugins.check import fault_of
from nimdesk.plugins.games import load_game
from nimdesk.plugins.kernel_check import check_kernel


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All of them installed, and loaded without being tried elsewhere, which would find nothing of it."""
    site = tmp_path_factory.mktemp("site")
    games = (*SIZES, NO_NAME, *DANGEROUS, SOUND)
    for bad in games:
        modules = {bad.module: bad.code}
        install(site, f"acme-{bad.name}", {bad.name: f"{bad.module}:KIT"}, modules, "nimdesk.games")
    with installed(str(site)):
        for bad in games:
            load_game(bad.name, trusted=True)
        yield


def tried(bad: BadGame) -> None:
    """Try the compiled rules as nimdesk does before it loads them."""
    trial.try_kernel(bad.name, f"{bad.module}:KIT")


def test_what_cannot_be_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    position = parse_position("no_name:7")
    with pytest.raises(UncompiledError, match="NameError: name 'nowhere' is not defined"):
        make_agent("minimax").new_searcher(position).start(position, 1)
    monkeypatch.setattr(CACHE, "load", lambda load: pytest.fail("it is compiled again"))
    with pytest.raises(UncompiledError, match="NameError: name 'nowhere' is not defined"):
        make_agent("alphabeta").new_searcher(position).start(position, 1)


@pytest.mark.parametrize("bad", SIZES, ids=lambda bad: bad.name)
def test_what_the_searches_make_their_arrays_from_is_compared(bad: BadGame) -> None:
    game = parse_position(f"{bad.name}:7").game
    assert bad.says in fault_of(lambda: check_kernel(kernel_of(game), game.start(), seconds=10, games=1))


@pytest.fixture(scope="module")
def all_variants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[AnyKernel, Game]]:
    folder = tmp_path_factory.mktemp("variants")
    (folder / "bad_kernel_variants.py").write_text(VARIANTS_CODE)
    with installed(str(folder)):
        return variants(import_module("bad_kernel_variants"))


@pytest.mark.parametrize("name", VARIANTS)
def test_compiled_rules_that_differ_from_the_rules_are_found_and_no_others(
    name: str, all_variants: dict[str, tuple[AnyKernel, Game]]
) -> None:
    kernel, game = all_variants[name]
    fault = fault_of(lambda: check_kernel(kernel, game.start(), seconds=60, games=5))
    says = VARIANTS[name].says
    assert says in fault if says else not fault


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
    monkeypatch.setattr(trial, "HostProcess", lambda *_, **__: pytest.fail("they are tried again"))
    tried(SOUND)


def test_a_comparison_ends_when_time_is_up() -> None:
    position = parse_position(f"{SOUND.name}:9")
    begin = time.process_time()
    check_kernel(kernel_of(position), position, seconds=0, games=1_000_000)
    assert time.process_time() - begin < 60


@pytest.mark.skipif(os.name == "nt", reason="a process does not end by a signal there")
@pytest.mark.parametrize("bad", [*DANGEROUS, NO_NAME], ids=lambda bad: bad.name)
def test_what_they_do_when_tried_does_no_harm_here(bad: BadGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_ENDLESS_S", 1.0)
    with pytest.raises(RulesError) as caught:
        tried(bad)
    sentence = str(caught.value)
    assert bad.says in sentence
    assert sentence.startswith(f"The trial of the compiled rules of “{bad.name}” ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_nobody_waits_for_a_trial_while_nimdesk_is_being_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CACHE, "has", lambda name: False)
    compiler_process.begin()
    try:
        compiler_process.refuse()
        with pytest.raises(CompilationEndedError):
            tried(SOUND)
    finally:
        compiler_process.end()
