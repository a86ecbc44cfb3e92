"""What people type into the fields of an agent, and what programs pass: the value, or one sentence with the bounds."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.agents import CATALOGUE, AgentOptions, OptionField, RandomOptions, UctOptions, make_agent, make_options
from nimdesk.errors import OptionError
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import MAX_ITERATIONS, MAX_SEED

FIELDS: dict[str, Any] = {field.name: field for field in CATALOGUE["uct"].fields}
EVERY_FIELD = [(info.name, field) for info in CATALOGUE.values() for field in info.fields]
NUMBERS = [(agent, field) for agent, field in EVERY_FIELD if hasattr(field, "minimum")]

BOUNDS = {
    "iterations": "Iterations is {}; it must be a whole number from 1 to 1,000,000,000 or empty.",
    "time_s": "Seconds is {}; it must be a number from 0.01 to 86400 s or empty.",
    "exploration": "Exploration c is {}; it must be a number from 0 to 100.",
    "seed": "Seed is {}; it must be a whole number from 0 to 9,223,372,036,854,775,807 or empty.",
    "memory_mb": "Memory is {}; it must be a whole number from 8 to 16,384 MB.",
}

PARSED = [
    ("iterations", "10000", 10_000),
    ("iterations", "10,000", 10_000),
    ("iterations", "10 000", 10_000),
    ("iterations", "10\N{NO-BREAK SPACE}000", 10_000),
    ("iterations", "10\N{NARROW NO-BREAK SPACE}000", 10_000),
    ("iterations", "1_000_000", 1_000_000),
    ("iterations", "1,000,000,000", 1_000_000_000),
    ("iterations", "1e6", 1_000_000),
    ("iterations", "1E6", 1_000_000),
    ("iterations", "2.5e3", 2500),
    ("iterations", "1e+3", 1000),
    ("iterations", "500e-2", 5),
    ("iterations", "5.", 5),
    ("iterations", "7.0", 7),
    ("iterations", "+7", 7),
    ("iterations", " 12 ", 12),
    ("iterations", "0012", 12),
    ("iterations", "0" * 5000 + "9", 9),
    ("iterations", "", None),
    ("iterations", " \t ", None),
    ("time_s", "  0.5 ", 0.5),
    ("time_s", ".5", 0.5),
    ("time_s", "5e-1", 0.5),
    ("time_s", "3", 3.0),
    ("time_s", "0,5", 0.5),
    ("time_s", ",5", 0.5),
    ("time_s", "1,000", 1.0),
    ("time_s", "1 000,5", 1000.5),
    ("time_s", "5,0e-1", 0.5),
    ("exploration", "1,414", 1.414),
    ("time_s", "", None),
    ("exploration", "0", 0.0),
    ("exploration", "1.4142135623730951", math.sqrt(2.0)),
    ("exploration", "100", 100.0),
    ("seed", "0", 0),
    ("seed", "9223372036854775807", MAX_SEED),
    ("seed", "9,223,372,036,854,775,807", MAX_SEED),
    ("seed", "9007199254740993", 2**53 + 1),  # not a float's neighbour
    ("seed", "9007199254740993.0", 2**53 + 1),
    ("seed", "", None),
    ("memory_mb", "1e3", 1000),
]

# The field, what was typed, and how the message shows it (None: as typed, in quotation marks).
REFUSED: list[tuple[str, str, str | None]] = [
    ("iterations", "0", None),
    ("iterations", "-1", None),
    ("iterations", "1.5", None),
    ("iterations", "1,5", None),
    ("iterations", "1,0000", None),
    ("iterations", "1 2", None),
    ("iterations", "1__000", None),
    ("iterations", ",000", None),
    ("iterations", "1,000,000,001", None),
    ("iterations", "1000000000000", None),
    ("iterations", "1e12", None),
    ("iterations", "10^12", None),
    ("iterations", "10**12", None),
    ("iterations", "1e400", None),
    ("iterations", "1e9999", None),
    ("iterations", "1e99999999999", None),
    ("iterations", "1e-9999", None),
    ("iterations", "nan", None),
    ("iterations", "inf", None),
    ("iterations", "-Infinity", None),
    ("iterations", "abc", None),
    ("iterations", "0x10", None),
    ("iterations", "10k", None),
    ("iterations", "e5", None),
    ("iterations", ".", None),
    ("iterations", "-", None),
    ("iterations", "1e", None),
    ("iterations", "１０", None),
    ("iterations", "٣", None),
    ("iterations", "5²", None),
    ("iterations", "True", None),
    ("iterations", "None", None),
    ("iterations", "1\n2", "“1 2”"),
    ("iterations", "9" * 5000, f"“{'9' * 39}…{'9' * 20}”"),
    ("iterations", "9" * 100_000 + "x", f"“{'9' * 39}…{'9' * 19}x”"),
    ("time_s", "0", None),
    ("time_s", "-0.5", None),
    ("time_s", "86400.1", None),
    ("time_s", "0.009", None),
    ("time_s", "nan", None),
    ("time_s", "inf", None),
    ("time_s", "5 s", None),
    ("time_s", "1:30", None),
    ("exploration", "-1", None),
    ("exploration", "nan", None),
    ("exploration", "NaN", None),
    ("exploration", "sNaN", None),
    ("exploration", "inf", None),
    ("exploration", "1e400", None),
    ("exploration", "100.0000001", None),
    ("exploration", "√2", None),
    ("exploration", "", "empty"),
    ("exploration", "   ", "empty"),
    ("seed", "-1", None),
    ("seed", "9223372036854775808", None),
    ("seed", "hello", None),
    ("seed", "0.5", None),
    ("seed", "7" * 5000, f"“{'7' * 39}…{'7' * 20}”"),
    ("memory_mb", "7", None),
    ("memory_mb", "16385", None),
    ("memory_mb", "512 MB", None),
    ("memory_mb", "", "empty"),
]


@pytest.mark.parametrize(("name", "text", "value"), PARSED, ids=[f"{case[0]} {case[1]!r:.20}" for case in PARSED])
def test_what_people_type_is_read(name: str, text: str, value: float | None) -> None:
    parsed = FIELDS[name].parse(text)
    assert parsed == value
    assert value is None or type(parsed) is FIELDS[name].kind


@pytest.mark.parametrize(("name", "text", "shown"), REFUSED, ids=[f"{case[0]} {case[1]!r:.20}" for case in REFUSED])
def test_anything_else_is_refused_with_the_bounds(name: str, text: str, shown: str | None) -> None:
    with pytest.raises(OptionError) as caught:
        FIELDS[name].parse(text)
    assert str(caught.value) == BOUNDS[name].format(f"“{text}”" if shown is None else shown)


@pytest.mark.parametrize("text", ["1,000.5", "1.000,5", "1,000,000", "0,5,0", "1,,5"])
def test_a_real_number_has_one_comma_before_its_decimals_and_none_between_thousands(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        FIELDS["time_s"].parse(text)
    assert str(caught.value) == (
        f"Seconds is “{text}”; a comma begins the decimals, and it must be a number from 0.01 to 86400 s or empty."
    )


PASSED: list[tuple[str, object, object]] = [
    ("iterations", np.int64(100), 100),
    ("iterations", np.uint8(100), 100),
    ("iterations", 1e5, 100_000),
    ("iterations", np.float32(8.0), 8),
    ("iterations", np.array(7), 7),
    ("iterations", Decimal("1e3"), 1000),
    ("iterations", Fraction(10, 2), 5),
    ("seed", Decimal("9007199254740993"), 2**53 + 1),  # not a float's neighbour
    ("exploration", 1, 1.0),
    ("exploration", np.float64(0.5), 0.5),
    ("exploration", np.float32(0.5), 0.5),
    ("exploration", Decimal("0.7"), 0.7),
    ("exploration", Fraction(1, 4), 0.25),
    ("keep_tree", np.True_, True),
    ("final", np.str_("mean"), "mean"),
]


@pytest.mark.parametrize(("name", "value", "meant"), PASSED, ids=[f"{case[0]} {case[1]!r}" for case in PASSED])
def test_a_number_is_one_whatever_the_library_that_it_comes_from(name: str, value: object, meant: object) -> None:
    checked = FIELDS[name].check(value)
    assert (checked, type(checked)) == (meant, type(meant))
    assert getattr(make_options(UctOptions, {name: value}), name) == meant


NO_NUMBERS: list[tuple[str, object]] = [
    *[("iterations", value) for value in (1.5, True, np.True_, "7", b"7", np.array([7]), math.nan, math.inf, 1j)],
    *[("iterations", value) for value in (Decimal("1e99999999"), Decimal("sNaN"), Fraction(1, 2), 10**5000)],
    *[("exploration", value) for value in (False, "1", np.complex64(1), np.array([1.0, 2.0]), Decimal("NaN"), None)],
    ("seed", 2.0**63),
    ("keep_tree", 1),
]


@pytest.mark.parametrize(("name", "value"), NO_NUMBERS, ids=[f"{n}-{name}" for n, (name, _) in enumerate(NO_NUMBERS)])
def test_what_is_no_such_number_is_refused(name: str, value: object) -> None:
    with pytest.raises(OptionError, match="must be"):
        make_options(UctOptions, {name: value})


@settings(max_examples=300)
@given(st.sampled_from(sorted(BOUNDS)), st.text(max_size=12) | st.from_regex(r"[+-]?[0-9., _e-]{0,9}", fullmatch=True))
def test_any_text_is_a_value_in_bounds_or_one_printable_sentence(name: str, text: str) -> None:
    field, refusal, value = FIELDS[name], "", None
    try:
        value = field.parse(text)
    except OptionError as error:
        refusal = str(error)
    if refusal:
        assert refusal.isprintable()
        assert refusal.endswith(f"it must be {field.bounds_text}.")
    elif value is None:
        assert field.optional
        assert not text.strip()
    else:
        assert field.minimum <= value <= field.maximum


@given(st.integers(0, MAX_SEED))
def test_every_seed_is_read_back_exactly(seed: int) -> None:
    assert FIELDS["seed"].parse(str(seed)) == FIELDS["seed"].parse(f"{seed:,}") == seed


@given(st.floats(0.0, 100.0))
def test_every_exploration_is_read_back_exactly(value: float) -> None:
    assert FIELDS["exploration"].parse(repr(value)) == value


@pytest.mark.parametrize(("agent", "field"), EVERY_FIELD, ids=[f"{agent}.{field.name}" for agent, field in EVERY_FIELD])
def test_each_field_is_declared_in_full(agent: str, field: OptionField) -> None:
    assert field.title
    assert field.title[0].isupper()
    assert field.description.endswith(".")
    assert field.check(field.default) == field.default
    for nonsense in ("☃", "x" * 5000):
        with pytest.raises(OptionError) as caught:
            field.parse(nonsense)
        assert str(caught.value).startswith(f"{field.title} is “{nonsense[:30]}")
        assert str(caught.value).endswith(f"it must be {field.bounds_text}.")
        assert len(str(caught.value)) < 400
    for wrong in ([], {}, object):
        with pytest.raises(OptionError):
            field.check(wrong)


@pytest.mark.parametrize(("agent", "field"), NUMBERS, ids=[f"{agent}.{field.name}" for agent, field in NUMBERS])
def test_the_default_and_the_bounds_themselves_are_allowed(agent: str, field: Any) -> None:
    assert field.minimum < field.maximum
    assert field.optional == bool(field.empty)
    if field.default is None:
        assert field.optional
    else:
        assert type(field.default) is field.kind
        assert field.minimum <= field.default <= field.maximum
    for edge in (field.minimum, field.maximum):
        assert field.check(edge) == field.parse(repr(edge)) == edge


@pytest.mark.parametrize(("agent", "field"), NUMBERS, ids=[f"{agent}.{field.name}" for agent, field in NUMBERS])
def test_just_outside_the_bounds_is_refused(agent: str, field: Any) -> None:
    for beyond in (field.minimum - 1, field.maximum + 1, 10**5000, -(10**5000)):
        with pytest.raises(OptionError) as caught:
            field.check(beyond)
        assert str(caught.value).endswith(f"it must be {field.bounds_text}.")
        assert len(str(caught.value)) < 250


def test_the_defaults_are_the_options_without_values() -> None:
    assert make_options(UctOptions, {}) == UctOptions()
    assert make_options(RandomOptions, {}) == RandomOptions()
    defaults = {field.name: field.default for field in FIELDS.values()}
    assert defaults == {name: getattr(UctOptions(), name) for name in FIELDS}
    assert {name: defaults[name] for name in BOUNDS} == {
        "iterations": 10_000,
        "time_s": None,
        "exploration": math.sqrt(2.0),
        "seed": None,
        "memory_mb": 512,
    }


def test_values_become_options() -> None:
    values = {"iterations": None, "time_s": 2, "exploration": 0.5, "seed": MAX_SEED, "memory_mb": 64}
    options = make_options(UctOptions, values)
    assert {name: getattr(options, name) for name in values} == values
    assert type(options.time_s) is float
    assert make_options(UctOptions, {"iterations": MAX_ITERATIONS}).iterations == MAX_ITERATIONS


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"iterations": 10**12}, BOUNDS["iterations"].format("“1000000000000”")),
        ({"iterations": 0}, BOUNDS["iterations"].format("“0”")),
        ({"iterations": "10"}, BOUNDS["iterations"].format("“10”")),
        ({"iterations": True}, BOUNDS["iterations"].format("“True”")),
        ({"iterations": 10**5000}, BOUNDS["iterations"].format("a number of thousands of digits")),
        ({"exploration": -1.0}, BOUNDS["exploration"].format("“-1.0”")),
        ({"exploration": math.nan}, BOUNDS["exploration"].format("“nan”")),
        ({"exploration": math.inf}, BOUNDS["exploration"].format("“inf”")),
        ({"exploration": None}, BOUNDS["exploration"].format("empty")),
        ({"time_s": -math.inf}, BOUNDS["time_s"].format("“-inf”")),
        ({"time_s": math.nan}, BOUNDS["time_s"].format("“nan”")),
        ({"seed": "abc"}, BOUNDS["seed"].format("“abc”")),
        ({"seed": -1}, BOUNDS["seed"].format("“-1”")),
        ({"seed": []}, BOUNDS["seed"].format("“[]”")),
        ({"memory_mb": 7}, BOUNDS["memory_mb"].format("“7”")),
        ({"memory_mb": {}}, BOUNDS["memory_mb"].format("“{}”")),
        ({"iterations": None}, "Give a number of iterations, or seconds, or both."),
        ({"iterations": None, "time_s": None}, "Give a number of iterations, or seconds, or both."),
        ({"iteration": 5}, "There is no option “iteration”; did you mean iterations?"),
        ({"memory": 5}, "There is no option “memory”; did you mean memory_mb?"),
        ({"q": 5}, f"There is no option “q”; there are: {', '.join(FIELDS)}."),
    ],
)
def test_bad_values_are_refused_in_one_sentence(values: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_options(UctOptions, values)
    assert str(caught.value) == says


def test_a_long_name_or_value_is_not_repeated_in_full() -> None:
    for values in ({"x" * 5000: 1}, {"seed": "x" * 5000}, {"seed": [1] * 5000}):
        with pytest.raises(OptionError) as caught:
            make_options(UctOptions, values)
        assert len(str(caught.value)) < 250


def test_options_of_another_agent_are_refused() -> None:
    with pytest.raises(OptionError, match=r"There is no option “iterations”; there are: seed\."):
        make_options(RandomOptions, {"iterations": 5})


def watched(options: AgentOptions) -> tuple[AgentOptions, set[str]]:
    """Equal options, and the names of those that have been asked for since."""
    asked: set[str] = set()

    def get(self: object, name: str) -> object:
        asked.add(name)
        return object.__getattribute__(self, name)

    kind = type("Watched", (type(options),), {"__getattribute__": get, "__module__": __name__}, frozen=True)
    made = kind(**msgspec.structs.asdict(options))
    asked.clear()
    return made, asked


NIM = parse_position("nim:2,3")
# Rules alone have no better moves to open first, and the textbook's searches run on one thread.
NOT_IN_PYTHON = {("mcts", "order"), ("uct", "threads")}


@pytest.mark.parametrize("in_python", [False, True], ids=["compiled", "in-python"])
@pytest.mark.parametrize("name", [name for name in CATALOGUE if make_agent(name).plays(NIM)])
def test_every_option_is_asked_for_by_the_search(name: str, in_python: bool) -> None:
    agent = make_agent(name)
    make = agent.info.make_textbook if in_python else agent.info.make_searcher
    if make is None or (in_python and name == "flat-perfect"):  # it needs to know how Nim is played
        pytest.skip("It has no such form.")
    options, asked = watched(agent.options)
    searcher = make(options)
    searcher.start(NIM, 1)
    searcher.advance(Limit(iterations=40))
    traits = agent.traits
    # Who starts the search asks for the first two, and what makes room for a tree for the last.
    elsewhere = {traits.seed, traits.keep_tree, traits.memory}
    ignored = {field.name for field in agent.info.fields} - asked - elsewhere
    assert {(name, each) for each in ignored} <= (NOT_IN_PYTHON if in_python else set())
