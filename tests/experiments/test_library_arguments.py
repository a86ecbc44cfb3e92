"""Every function of the library, called with a wrong value for each of its arguments: one sentence, nothing else."""

import inspect
import math
from pathlib import Path
from typing import Any

import pytest

import nimdesk as nd
from nimdesk.errors import NimdeskError

UCT = nd.agent("uct", iterations=5)
RIGHT: dict[str, dict[str, Any]] = {
    "position": {"text": "nim:1,2"},
    "agent": {"name": "uct"},
    "analyse": {"where": "nim:1,2", "who": UCT},
    "solve": {"where": "nim:1,2"},
    "verify": {"certificate": "none.cert"},
    "grundy": {"rule": "0.77", "to": 20},
    "play_game": {"first": UCT, "second": UCT, "where": "nim:1,2"},
    "review": {"game": "nim:1,2 1-1", "budget": 20},
    "open": {"path": "none.nimdesk"},
    "convert": {"source": "none.psq", "target": "none.sgf"},
    "match": {"players": [UCT, "random"], "positions": "nim:1,2", "games": 1, "sprt": (0, 50), "threads": 1},
    "rate": {"players": [UCT, "random"], "positions": "nim:1,2", "games": 1, "threads": 1},
    "tune": {"who": UCT, "ranges": "exploration=1,2,3", "positions": "nim:1,2", "games": 1, "confirm": 1},
    "study": {"positions": "nim:1,2", "budgets": 5, "seeds": 1, "threads": 1},
    "atlas": {"games": "nim:1,2", "agents": "uct", "budgets": 5, "seeds": 1, "threads": 1},
    "compare": {"one": "none.db", "other": "none.db"},
    "elo": {"counts": (1, 1, 1)},
}
NOTHING_ANYWHERE = (object(), b"bytes", {"a": object()}, 3j, [object()], lambda: None)
NO_NUMBER = ("soon", "", -5_000, math.nan, math.inf, [1], True)
NO_WHOLE = (*NO_NUMBER, 1.5, 10**20)
NO_POSITION = ("", "nim", "nim:abc", "chess:3", "nim:1,2 9-9", 3, None, True, "\0", [])
NO_AGENT = ("", "no-such-agent", "uct:iterations", "uct:iterations=-1", "uct:colour=red", 3, None, [], "\0")
NO_FILE = (3, "", "\0", "a/\0/b", 1.5, [])
NO_SWITCH = ("yes", 1, None, 0.0)
WRONG: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("games", "limit", "seed", "seeds", "confirm", "values", "settings", "to", "threads"), NO_WHOLE),
    **dict.fromkeys(("opening_plies", "plies", "solver_nodes", "counts"), NO_WHOLE),
    **dict.fromkeys(("time_s", "exact_s", "alpha", "elo1"), (*NO_NUMBER, 10**20)),
    **dict.fromkeys(("text", "where", "positions"), NO_POSITION),
    **dict.fromkeys(("name", "who", "first", "second", "agents"), NO_AGENT),
    **dict.fromkeys(("path", "certificate", "one", "other", "source", "target"), (*NO_FILE, "no/such/folder/x.db")),
    "file": NO_FILE,
    **dict.fromkeys(("swap", "pairs"), NO_SWITCH),
    "players": (*NO_AGENT, ["uct"], ["uct", "no-such-agent"], ["uct", 3]),
    "budget": (*NO_WHOLE, "5 apples", "1ms,2ms"),
    "budgets": (*(each for each in NO_WHOLE if each != [1]), [], [1, "x"], "10-1", "1ms,5"),
    "format": ("swiss", "", 3, None),
    "sprt": ("0,50", (50, 0), (0,), (0, 1, 2), (0, "x"), 3, (0, math.nan), (0, 10_000)),
    "opening_rule": ("", "swap3", 3, []),
    "openings": ("1-9", [3], [], "b2", 3, ["1-1", None], Path("none.txt"), Path(".")),
    "rule": ("", "0.8", "wythoff", 3, None, "{0}", "0.0"),
    "ranges": ("", "exploration", "no=1,2", "exploration=1..0", "exploration=1", 3, [3], []),
}
WRONG["atlas games"] = ("", "4,4,9", "nim-0x3", 3, None, [])
WRONG["convert form"] = ("", "docx", 3)
WRONG["convert game"] = ("", "chess:3", "mnk:3", 3)
WRONG["convert columns_from"] = (2, -1, "1", 1.5, True)
WRONG["review game"] = ("", "nim:1,2", 3, None, "nim:1,2 9-9", "no-such.nimdesk")


ARGUMENTS = [
    (function, name)
    for function in RIGHT
    for name, parameter in inspect.signature(getattr(nd, function)).parameters.items()
    if parameter.kind is not parameter.VAR_KEYWORD
]


def test_every_function_is_tried() -> None:
    assert set(RIGHT) == {name for name in nd.__all__ if inspect.isfunction(getattr(nd, name))}


@pytest.mark.parametrize(("function", "name"), ARGUMENTS)
def test_a_wrong_argument_is_refused_in_one_sentence(
    function: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = WRONG.get(f"{function} {name}") or WRONG[name]
    assert [
        told for value in (*NOTHING_ANYWHERE, *wrong) if (told := other_than_a_sentence(function, name, value))
    ] == []


def other_than_a_sentence(function: str, name: str, value: object) -> str:
    """What happens with this value, if that is not one sentence that refuses it."""
    arguments = {**RIGHT[function], name: value}
    counts = arguments.pop("counts", ())
    try:
        getattr(nd, function)(*(counts if isinstance(counts, tuple) else (1, counts, 1)), **arguments)
    except NimdeskError as error:
        said = str(error)
        fine = said.endswith((".", "?")) and said.isprintable() and len(said) <= 300
        return "" if fine else f"{value!r}: {said!r}"
    except BaseException as error:
        return f"{value!r}: {error!r}"
    return f"{value!r} is taken"


@pytest.mark.parametrize("function", RIGHT)
def test_an_option_that_an_agent_does_not_have_is_refused_as_well(function: str) -> None:
    if function not in ("agent", "analyse"):
        with pytest.raises(TypeError, match="unexpected keyword argument"):  # Python's own, of the line that was typed
            getattr(nd, function)(**RIGHT[function] if function != "elo" else {}, no_such_thing=1)
        return
    right = RIGHT[function] | {"who": "uct"} if function == "analyse" else RIGHT[function]
    with pytest.raises(NimdeskError, match="no option"):
        getattr(nd, function)(**right, no_such_thing=1)


def test_so_are_those_of_the_methods() -> None:
    search = nd.analyse("nim:1,2", UCT)
    match = nd.match([UCT, "random"], "nim:1,2", games=1)
    for act, says in (
        (lambda: search.plot(measure="shares"), "did you mean share?"),
        (lambda: search.plot(truth="win"), "The argument truth is what nd.solve returns"),
        (lambda: search.plot(axes=3), "The argument axes is none of matplotlib"),
        (lambda: match.plot(measure="optimal"), "it must be one of: score, ratings, llr."),
        (lambda: match.plot(measure="llr"), "the match has no SPRT"),
        (lambda: nd.compare(match, match).plot(measure="optimal"), "Only two studies have curves"),
        (lambda: nd.grundy("0.77", to=9).nim_sum([10]), "The values are known up to heap 9"),
    ):
        with pytest.raises(NimdeskError) as caught:
            act()  # type: ignore[no-untyped-call]
        assert says in str(caught.value)
