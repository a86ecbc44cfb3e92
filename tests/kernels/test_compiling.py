"""While a kernel is compiled some of numba is replaced: that ends with it, and does not change what is compiled."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit, types
from numba.core import base, caching, cpu, errors, event, lowering, postproc, typeinfer
from numba.core.types import functions
from numba.core.typing import context
from numba.extending import overload

from nimdesk.kernels.jit import INLINED, kernel, part


def replaced() -> list[object]:
    """What the compiler of kernels replaces."""
    contexts: tuple[Any, ...] = context.BaseContext, base.BaseContext
    loaders: tuple[Any, ...] = context.Context, cpu.CPUContext
    places: tuple[Any, ...] = typeinfer, lowering
    others: tuple[Any, ...] = functions.BaseFunction, base, event
    return [
        *(each.refresh for each in contexts),
        *(each.load_additional_registries for each in loaders),
        contexts[0].resolve_function_type,
        contexts[1].get_abi_sizeof,
        postproc.PostProcessor.run,
        others[0].get_call_type,
        others[1]._has_loc,
        others[2].start_event,
        others[2].end_event,
        vars(errors)["WarningsFixer"].catch_warnings,
        *(each.new_error_context for each in places),
        gc.isenabled(),
    ]


def compiled_now(function: Any) -> Any:
    """A kernel that is not read from the disk, where an earlier run of the tests may have put it."""
    made: Any = kernel(function)
    made._cache = caching.NullCache()
    return made


@part
def _no_part(x: Any) -> Any:
    return x.nothing


def test_a_kernel_that_cannot_be_compiled_leaves_numba_and_the_garbage_collector_as_they_were() -> None:
    before = replaced()

    @compiled_now
    def broken(x: Any) -> Any:
        return _no_part(x) + 1

    for _ in range(2):
        with pytest.raises(errors.TypingError, match=r"(?s)nothing.*get attribute at .*_no_part.*typing of call at"):
            broken(3)
        assert replaced() == before


def test_it_does_not_begin_to_collect_garbage_where_nobody_did() -> None:
    @compiled_now
    def one_more(x: int) -> int:
        return x + 1

    gc.disable()
    try:
        assert one_more(3) == 4
        assert not gc.isenabled()
    finally:
        gc.enable()


def told(x):  # type: ignore[no-untyped-def]
    """The number that is known when compiled, or -1."""
    raise NotImplementedError


@overload(told, jit_options=INLINED, prefer_literal=True)  # type: ignore[arg-type]
def _told(x):  # type: ignore[no-untyped-def]
    if isinstance(x, types.IntegerLiteral):
        known = x.literal_value
        return lambda x: known
    return lambda x: -1


def test_calls_with_other_constants_are_other_questions() -> None:
    @compiled_now
    def ask(x):  # type: ignore[no-untyped-def]
        numbers, others = (3, 4), (3.5, 4)
        return told(1), told(2), told(x), told(1), numbers[x], others[0], others[1], min(2, x), min(0, x), min(0.5, x)

    assert ask(1) == (1, 2, -1, 1, 4, 3.5, 4, 1, 0, 0.5)


def test_what_another_thread_compiles_meanwhile_is_compiled_as_ever() -> None:
    """Such as an agent's own numba code, which counts references to lists and arrays as kernels do not."""
    answers: list[object] = []

    def other() -> None:
        @njit
        def counted(x):  # type: ignore[no-untyped-def]
            made = [x[: i + 1] * 2.0 for i in range(x.size)]
            return sum([each.sum() for each in made])

        answers.append(counted(np.ones(4)))

    @compiled_now
    def doubled(x: Any) -> Any:
        total = x[0] - x[0]
        for i in range(x.size):
            total += 2 * x[i]
        return total

    threads = [threading.Thread(target=other) for _ in range(2)]
    for thread in threads:
        thread.start()
    sums = [doubled(np.ones(3, kind)) for kind in (np.int32, np.uint8, np.float64, np.float32)]
    for thread in threads:
        thread.join()
    assert sums == [6, 6, 6, 6]
    assert answers == [20.0, 20.0]


COMPILE = """
import numba, numpy
from nimdesk.kernels.jit import kernel
@kernel
def doubled(x):
    return 2 * x
assert doubled(21) == 42
@numba.njit
def steps(count):
    made = [numpy.float64(i) for i in range(count)]
    return numpy.array(made).sum() + numpy.random.random() * 0
print(steps(5))
"""


def test_what_kernels_do_without_is_loaded_by_the_first_who_needs_it(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(COMPILE)
    environment = {**os.environ, "NIMDESK_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.stdout, done.stderr) == ("10.0\n", "")
