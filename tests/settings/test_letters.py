"""A stream without our letters gets others that say the same: above all, no sign of a number is lost."""

import ast
import io
import sys
from pathlib import Path

import pytest

import nimdesk
from nimdesk.letters import let_streams_write_all, stand_in

ENCODINGS = ["ascii", "cp1252", "latin-1", "cp437", "cp850", "utf-8"]
WORDS = {
    "−138.85 [−∞, +42]": "-138.85 [-inf, +42]",
    "0.5 ± 0.1, 9.5% – 90.5%": "0.5 +/- 0.1, 9.5% - 90.5%",
    "“uct” 2, 1½, 1, ½ …": '"uct" 2, 1.5, 1, .5 ...',
    "c · √2 ≈ 1.4 × 10": "c * sqrt2 ~ 1.4 x 10",
    "misère, Müller, ＝１": "misere, Muller, =1",
    "✓ a → b ✗": "v a -> b x",
}


def written(text: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What stands in a file that gets this by standard output, and by standard error."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    let_streams_write_all()
    for stream in streams:
        print(text, end="", file=stream, flush=True)
    monkeypatch.undo()
    one, other = (stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]
    assert one == other
    return one


@pytest.mark.parametrize("text", WORDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_letter_is_itself_or_what_stands_for_it(monkeypatch: pytest.MonkeyPatch, encoding: str, text: str) -> None:
    expected = ""
    for letter in text:
        try:
            letter.encode(encoding)
            expected += letter
        except UnicodeEncodeError:
            expected += stand_in(letter)
    assert written(text, encoding, monkeypatch) == expected
    assert "?" not in expected


@pytest.mark.parametrize("text", WORDS)
def test_in_ascii_it_reads_so(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert written(text, "ascii", monkeypatch) == WORDS[text]


def test_a_letter_that_nothing_stands_for_is_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written("人 1", "ascii", monkeypatch) == "? 1"


def test_something_stands_for_every_letter_that_nimdesk_itself_prints() -> None:
    """All but the window, which draws its letters."""
    package = Path(nimdesk.__file__).parent
    letters = set[str]()
    for path in package.rglob("*.py"):
        if path.is_relative_to(package / "ui"):
            continue
        texts = (node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant))
        letters.update(letter for text in texts if isinstance(text, str) for letter in text if not letter.isascii())
    assert {"−", "∞", "±"} <= letters
    assert {letter for letter in letters if stand_in(letter) == "?"} <= {"\ufffd", "\ufeff", "\u200b"}
