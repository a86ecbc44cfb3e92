"""What is written in place of letters that a stream cannot encode, so that no number or sign is lost.

A terminal or a pipe may have few letters: those of a Windows code page, or of ASCII. There a minus sign that became a
question mark would change a number.
"""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

_STAND_INS = {
    "−": "-", "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "…": "...",
    "∞": "inf", "Σ": "sum", "±": "+/-", "×": "x", "·": "*", "√": "sqrt", "≈": "~", "≤": "<=", "≥": ">=",
    "½": ".5", "¼": ".25", "¾": ".75", "⅛": ".125",
    "→": "->", "←": "<-", "✓": "v", "✗": "x", "●": "*", "■": "#", "α": "alpha", "β": "beta", "µ": "u",
}  # fmt: skip
"""Those of fractions are right after a digit, too, as in 1½."""
_UNKNOWN = "?"
_NAME = "nimdesk.stand_ins"


def stand_in(letter: str) -> str:
    """ASCII in place of this letter: its own, or the letter that it is made of, or a question mark."""
    if letter in _STAND_INS:
        return _STAND_INS[letter]
    made_of = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return made_of or _UNKNOWN


def _replaced(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(stand_in, error.object[error.start : error.end])), error.end


codecs.register_error(_NAME, _replaced)


def let_streams_write_all() -> None:
    """From now on standard output and standard error write a ``stand_in`` for each letter that they cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def as_written(text: str, encoding: str = "") -> str:
    """The text as standard output writes it, for a library that would not; or as written in this encoding."""
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _NAME).decode(encoding)
