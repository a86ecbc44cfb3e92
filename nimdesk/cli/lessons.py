"""``nimdesk lessons``: those that come with nimdesk, and how far they are answered here."""

from __future__ import annotations

import click

from nimdesk.cli.flags import json_flag
from nimdesk.cli.options import console, print_json, say, table
from nimdesk.disk.provenance import made_here


@click.command()
@json_flag
def lessons(as_json: bool) -> None:
    """List the lessons with their files, and how many steps are done; “nimdesk FILE” opens one in the window."""
    from nimdesk.lessons import AnswerFile, shipped_lessons  # lazy: few commands know lessons
    from nimdesk.lessons.files import shipped_files

    rows = []
    for path, lesson in zip(shipped_files(), shipped_lessons(), strict=True):
        kept, steps = AnswerFile(lesson), len(lesson.steps)
        answers = kept.answers
        if kept.problem:
            say(kept.problem)
        done = min(answers.at - 1, steps)
        rows.append(
            {
                "number": lesson.number,
                "title": lesson.title,
                "about": " ".join(lesson.about.split()),
                "minutes": lesson.minutes,
                "steps": steps,
                "done": done,
                "right": answers.right,
                "file": str(path),
            }
        )
    if as_json:
        print_json({"lessons": rows}, [made_here()])
        return
    listed = table("", "Lesson", "Minutes", "Done", "File")
    for row in rows:
        how_far = f"{row['done']} of {row['steps']}"
        listed.add_row(str(row["number"]), str(row["title"]), str(row["minutes"]), how_far, str(row["file"]))
    console().print(listed)
