"""A held tuple is read by kernels as the tuple itself, and what kernels write into its arrays is seen outside."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from fresh_python import run
from numpy.typing import NDArray

import nimdesk
from nimdesk.kernels.jit import kernel, part
from nimdesk.kernels.memory.held import Reference, hold


class Inner(NamedTuple):
    words: NDArray[np.uint64]
    steps: tuple[np.uint64, np.uint64, np.uint64]


class Outer(NamedTuple):
    count: int
    scale: float
    single: np.float32
    flag: bool
    large: np.uint64
    inner: Inner
    table: NDArray[np.int32]
    places: NDArray[Any]


PLACE = np.dtype([("key", np.uint64), ("value", np.float32), ("code", np.int16)])


def outer() -> Outer:
    places = np.zeros(3, PLACE)
    places["value"] = 0.25
    table = np.arange(6, dtype=np.int32).reshape(2, 3)
    inner = Inner(np.array([2**63, 5], np.uint64), (np.uint64(1), np.uint64(2), np.uint64(2**64 - 1)))
    return Outer(-7, 0.1, np.float32(0.1), True, np.uint64(2**64 - 2), inner, table, places)


@part
def _sum_of(t: Any) -> int:
    total = np.int64(0)
    for row in range(t.shape[0]):
        for column in range(t.shape[1]):
            total += t[row, column]
    return total


@kernel
def read(o: Any, numbers: Any, words: Any) -> int:
    """Every field, into two arrays; and a mark in a place."""
    numbers[0], numbers[1], numbers[2], numbers[3] = o.count, o.scale, o.single, 1.0 if o.flag else 0.0
    numbers[4], numbers[5] = o.places[2].value, o.table[1, 2]
    words[0], words[1], words[2] = o.large, o.inner.words[0], o.inner.steps[2]
    o.places[1].key = o.inner.words[1]
    o.places[1].code = o.places.size + o.table.shape[0] * o.table.shape[1]
    o.table[0, 0] += 4
    return _sum_of(o.table)


def test_every_kind_of_field_arrives_and_writes_come_back() -> None:
    plain, numbers, words = outer(), np.zeros(6), np.zeros(3, np.uint64)
    assert read(hold(plain), numbers, words) == 15 + 4
    assert numbers.tolist() == [-7, 0.1, float(np.float32(0.1)), 1, 0.25, 5]
    assert words.tolist() == [2**64 - 2, 2**63, 2**64 - 1]
    assert plain.places[1].tolist() == (5, 0.25, 9)
    assert plain.table.tolist() == [[4, 1, 2], [3, 4, 5]]


def test_it_is_the_same_as_handing_over_the_tuple() -> None:
    by_value, by_address = (np.zeros(6), np.zeros(3, np.uint64)), (np.zeros(6), np.zeros(3, np.uint64))
    assert read(outer(), *by_value) == read(hold(outer()), *by_address)
    assert [each.tolist() for each in by_value] == [each.tolist() for each in by_address]


def test_a_held_tuple_reads_as_the_tuple_in_python_too() -> None:
    held = hold(outer())
    assert (held.count, held.inner.steps[1], held.table.shape) == (-7, 2, (2, 3))
    assert not hasattr(held, "nothing")


def test_tuples_of_one_kind_share_a_type_and_others_do_not() -> None:
    def kind(held: Any) -> Reference:
        return held.kind  # type: ignore[no-any-return]

    one = kind(hold(outer()))
    assert kind(hold(outer()._replace(count=3))) is one
    others = [outer()._replace(table=np.zeros((1, 1), np.int64)), outer()._replace(scale=1), outer().inner]
    assert len({one, *(kind(hold(other)) for other in others)}) == 4


def test_tuples_of_one_name_from_two_modules_are_two_kinds() -> None:
    # Which of the rules are meant depends on it: numba takes types of the same name for one.
    elsewhere = type("Inner", (Inner,), {"__module__": "nimdesk.elsewhere"})
    here = outer().inner
    assert hold(here).kind != hold(elsewhere(*here)).kind  # type: ignore[attr-defined]


def test_a_change_in_another_package_gives_its_tuples_another_type(tmp_path: Path) -> None:
    # What is compiled for them is then not taken for what it was compiled from before.
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "rules.py").write_text("from typing import NamedTuple\nclass Rules(NamedTuple):\n    count: int = 1\n")
    show = "from mine.rules import Rules; from nimdesk.kernels.memory.held import hold; print(hold(Rules()).kind.name)"
    path = os.pathsep.join((str(tmp_path), str(Path(nimdesk.__file__).parent.parent)))
    names = []
    for change in ("", "", "# another rule\n"):
        with (package / "playouts.py").open("a") as source:
            source.write(change)
        names += run(show, tmp_path / "cache", PYTHONPATH=path)
    assert names[0] == names[1] != names[2]


def test_a_kernel_is_found_though_a_package_that_it_was_compiled_for_is_gone(tmp_path: Path) -> None:
    # numba keeps what a kernel was compiled for in one file, for all tuples.
    rules = "from typing import NamedTuple\nclass Rules(NamedTuple):\n    count: int\n"
    reading = "from nimdesk.kernels.jit import kernel\n@kernel\ndef read(r):\n    return r.count\n"
    (tmp_path / "shared.py").write_text(rules + reading)
    (tmp_path / "gone.py").write_text(rules)
    read = (
        "from nimdesk.kernels import CACHE; from nimdesk.kernels.memory.held import hold; import shared\n"
        "with CACHE.writing(): print(shared.read(hold({}(3))), *shared.read.stats.cache_hits.values())"
    )
    path = os.pathsep.join((str(tmp_path), str(Path(nimdesk.__file__).parent.parent)))
    for code, said in (
        (f"import gone\n{read.format('gone.Rules')}", ["3"]),
        (read.format("shared.Rules"), ["3"]),
        (f"import gone\n{read.format('gone.Rules')}", ["3", "1"]),
    ):
        assert run(code, tmp_path / "cache", PYTHONPATH=path) == said
    (tmp_path / "gone.py").unlink()
    assert run(read.format("shared.Rules"), tmp_path / "cache", PYTHONPATH=path) == ["3", "1"]


def test_only_whole_arrays_can_be_held() -> None:
    with pytest.raises(ValueError, match="words"):
        hold(Inner(np.zeros(4, np.uint64)[::2], outer().inner.steps))


@pytest.mark.parametrize("steps", [(np.uint64(1), 2.0), (np.zeros(2), np.zeros(2)), ()])
def test_a_tuple_within_has_numbers_of_one_kind(steps: Any) -> None:
    with pytest.raises(ValueError, match="steps"):
        hold(Inner(np.zeros(4, np.uint64), steps))
