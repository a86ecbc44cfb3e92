"""Games of other packages whose compiled rules misbehave: each is told in a sentence, and its rules still serve."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bad_games import BadGame
from bad_kernels import ASKED, COMPILED, SOUND
from example_packages import installed
from plugin_packages import install

from nimdesk.agents import make_agent
from nimdesk.errors import NimdeskError, RulesError
from nimdesk.games import AnyPosition, kernel_of, parse_position
from nimdesk.games.installed import load_game
from nimdesk.kernels import CACHE


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All of them installed, and loaded without being tried elsewhere, which would find nothing of it."""
    site = tmp_path_factory.mktemp("site")
    for bad in (*ASKED, *COMPILED, SOUND):
        modules = {bad.module: bad.code}
        install(site, f"acme-{bad.name}", {bad.name: f"{bad.module}:KIT"}, modules, "nimdesk.games")
    with installed(str(site)):
        for bad in (*ASKED, *COMPILED, SOUND):
            load_game(bad.name, tried=True)
        yield


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
