"""Every exception has words, whatever its own fields hold."""

from __future__ import annotations

import pytest

from nimdesk.faults import fault_words


class _SilentError(OSError):
    @property
    def errno(self) -> int:  # type: ignore[override]
        raise ValueError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SyntaxError("bad", ("here.py", 3, 1, "x")), "line 3 of here.py is no Python (bad)"),
        (SyntaxError("bad", (7, 3, 1, "x")), "line 3 of 7 is no Python (bad)"),  # type: ignore[arg-type]
        (SyntaxError("bad", (None, 3, 1, "x")), "line 3 of  is no Python (bad)"),
        (OSError(99999, "Odd thing"), "odd thing"),
        (OSError(99999, 7), "7"),
        (OSError([1], "x"), "it raised an error that cannot be told (OSError)"),
        (_SilentError(2, "x"), "it raised an error that cannot be told (_SilentError)"),
        (SystemExit(3), "it ended itself by sys.exit(3)"),
    ],
)
def test_every_error_has_words(error: BaseException, words: str) -> None:
    assert fault_words(error) == words
