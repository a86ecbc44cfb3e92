"""``nimdesk worksheet`` and ``nimdesk grade``."""

import csv
import json
from pathlib import Path

import pytest
from calling import Nimdesk

from nimdesk.lessons import StepAnswer
from nimdesk.lessons.answers import no_answers, write_answers
from nimdesk.lessons.files import lesson_from, save_lesson

LESSON = lesson_from(
    json.dumps(
        {
            "format": "nimdesk-lesson",
            "version": 1,
            "title": "Nim",
            "about": "",
            "steps": [
                {
                    "text": "Win.",
                    "show": {"position": "nim:3,4,5", "agents": [{"agent": "uct"}]},
                    "task": {"kind": "move"},
                }
            ],
        }
    ).encode()
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_lesson(LESSON, tmp_path / "nim.nimdesk-lesson")
    answers = no_answers(LESSON, "=Ann").with_answer(StepAnswer(step=1, answer="1-1", right=True))
    write_answers(answers, tmp_path / "ann.nimdesk-answers")
    return tmp_path


def test_a_class_is_a_table(nimdesk: Nimdesk, folder: Path) -> None:
    table = folder / "class.csv"
    result = nimdesk("grade", str(folder), "--csv", str(table), "--json")
    assert (result.code, result.err) == (0, "")
    (row,) = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    assert (row["person"], row["right"], row["wrong"], row["step 1"]) == ("'=Ann", "0", "1", "wrong")
    told = json.loads(result.out)["grades"][0]
    assert (told["person"], told["wrong"], told["steps"]["1"]) == ("=Ann", 1, {"became": "wrong", "answer": "1-1"})


def test_the_exit_code_says_whether_all_were_graded(nimdesk: Nimdesk, folder: Path) -> None:
    (folder / "cut.nimdesk-answers").write_text("{")
    result = nimdesk("grade", str(folder))
    assert result.code == 1
    assert "ann.nimdesk-answers" in result.out
    assert result.err == "The file of answers “cut.nimdesk-answers” cannot be opened: its end is missing.\n"
    assert nimdesk("grade", str(folder / "none")).code == 2


@pytest.mark.parametrize("key", [(), ("--key",)])
def test_a_lesson_is_printed(nimdesk: Nimdesk, folder: Path, key: tuple[str, ...]) -> None:
    path = folder / "sheet.pdf"
    result = nimdesk("worksheet", str(folder / "nim.nimdesk-lesson"), str(path), *key)
    assert (result.code, result.err) == (0, f"{path}\n")
    assert path.read_bytes().startswith(b"%PDF-")


def test_what_cannot_be_printed_is_one_sentence(nimdesk: Nimdesk, folder: Path) -> None:
    wrong = nimdesk("worksheet", str(folder / "nim.nimdesk-lesson"), str(folder / "sheet.txt"))
    assert (wrong.code, wrong.err) == (2, "nimdesk: The worksheet is a PDF; name it “sheet.pdf”, not “sheet.txt”.\n")
    assert nimdesk("worksheet", "no such lesson", str(folder / "sheet.pdf")).code == 2
