"""``nimdesk worksheet`` and ``nimdesk grade``: lessons on paper, and the answers of a class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from nimdesk.cells import csv_text
from nimdesk.cli.file_types import NAME, READ, WRITTEN
from nimdesk.cli.flags import csv_option, json_flag
from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import check_csv, check_folder, console, print_json, say, table, write_only_table
from nimdesk.disk.atomic import write_file
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError

if TYPE_CHECKING:
    from nimdesk.lessons import Lesson
    from nimdesk.lessons.judging import Key
    from nimdesk.play import GameInProgress
    from nimdesk.play.move_review import MoveReview


class Paper(NamedTuple):
    """What makes PDF, which takes the libraries of the window: the report of a game whose every move was judged; a
    lesson's worksheet, or with the keys of its steps its answer key.
    """

    report: Callable[[GameInProgress, list[MoveReview]], bytes]
    worksheet: Callable[[Lesson, tuple[Key, ...]], bytes]


def check_pdf(path: Path | None, what: str) -> None:
    """``OptionError`` if no PDF can be written there."""
    check_folder(path, f"The {what}")
    if path is not None and path.suffix.lower() != ".pdf":
        raise OptionError(f"The {what} is a PDF; name it “{path.stem}.pdf”, not “{path.name}”.")


def write_pdf(path: Path, made: bytes) -> None:
    """Write it, and print its name on standard error."""
    write_file(path, made)
    say(str(path))


def lesson_named(word: str) -> Lesson:
    """The lesson of this file, or the one of this number or name that comes with nimdesk."""
    from nimdesk.lessons import LESSON_SUFFIX, load_lesson  # lazy: few commands know lessons
    from nimdesk.lessons.files import find_lesson

    return load_lesson(Path(word)) if word.lower().endswith(LESSON_SUFFIX) else find_lesson(word)


@click.command()
@click.argument("lesson", type=NAME)
@click.argument("target", type=WRITTEN, metavar="FILE.pdf")
@click.option("--key", is_flag=True, show_default=False, help="The answer key: its answers are worked out here.")
@click.pass_obj
def worksheet(paper: Paper | None, /, lesson: str, target: Path, key: bool) -> None:
    """Print a lesson as a worksheet, with boards as questions and lines to write on, or its answer key.

    LESSON is a file (.nimdesk-lesson), or the number or name of a lesson that comes with nimdesk. Needs the libraries
    of the window, but no screen.
    """
    from nimdesk.lessons.keys import keys_of  # lazy: few commands know lessons

    check_pdf(target, "worksheet")
    found = lesson_named(lesson)
    assert paper is not None
    keys = interruptibly(lambda stop: keys_of(found, stop)) if key else ()
    write_pdf(target, paper.worksheet(found, keys))


@click.command()
@click.argument("folder", type=READ, metavar="FOLDER")
@click.option("--lesson", type=NAME, help="The lesson that was answered, where it is not in the folder.")
@csv_option("the grades, a file of answers a row")
@json_flag
def grade(folder: Path, lesson: str | None, csv: Path | None, as_json: bool) -> int:
    """Judge the answers of a class again: all files of answers (.nimdesk-answers) in FOLDER.

    Their lessons are looked for in FOLDER and among those that come with nimdesk. What a file says of its own answers
    counts nothing. A file that cannot be read gets a sentence, and the others are judged. Exit code 0 if all were
    judged, 1 if a file was left out, 2 if there is nothing to judge.
    """
    from nimdesk.lessons.grading import grade_folder, table_of  # lazy: few commands know lessons

    check_csv(csv, "The CSV")
    more = [] if lesson is None else [lesson_named(lesson)]
    graded = interruptibly(lambda stop: grade_folder(folder, more, stop))
    for sentence in (*graded.left_out, *graded.notes):
        say(sentence)
    head, rows = table_of(graded.grades)
    if csv is not None:
        write_only_table(csv, "grades", csv_text(head, rows), {"folder": str(folder)}, [made_here()])
    if as_json:
        told = [dict(zip(head[:9], row[:9], strict=True)) for row in rows]
        for plain, each in zip(told, graded.grades, strict=True):
            plain["steps"] = {number: {"became": b, "answer": a} for number, (b, a) in each.steps.items()}
        print_json({"grades": told, "left_out": graded.left_out, "notes": graded.notes}, [made_here()])
    else:
        shown = table("File", "Person", "Lesson", "Right", "Wrong", "To read", "Open", "Tries", "Minutes")
        for each in graded.grades:
            counts = (each.right, each.wrong, each.to_read, each.open, each.attempts)
            shown.add_row(each.file, each.person, each.lesson, *map(str, counts), f"{each.seconds / 60:.1f}")
        console().print(shown)
    return 1 if graded.left_out else 0
