"""Pages of the reference made from the program itself, and pages whose text is a file elsewhere in the repository.

In a page, a line ``<!-- generated: NAME -->`` becomes what the function NAME of ``PARTS`` writes, and a line
``<!-- file: PATH -->`` becomes that file, PATH being from the root of the repository, with its links made whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

import click
from man_page import below, paragraphs, program, records, usage
from sphinx.application import Sphinx

from nimdesk.agents import CATALOGUE, PUBLISHED
from nimdesk.agents.fields import OptionField, option_fields
from nimdesk.cli.options import default_text, flag
from nimdesk.disk.documents import schema_of
from nimdesk.experiments.plan import json_schema, study_schema
from nimdesk.figures.measure import MEASURES
from nimdesk.games.kit import KITS, presets
from nimdesk.lessons import Answers, Lesson, shipped_lessons
from nimdesk.lessons.model import ChoiceTask, TextTask
from nimdesk.play.bundle import BundlePart
from nimdesk.play.exercises import BoxPart
from nimdesk.play.schema import GamePart
from nimdesk.ui.look.actions import ACTIONS, BOARD_KEYS
from nimdesk.version import HOME

ROOT = Path(__file__).resolve().parents[2]
_FILES = f"{HOME}/blob/main/"
_MARK = re.compile(r"^<!-- (generated|file): (\S+) -->$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)((?:#[^)\s]*)?)\)")
_PRE = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
_SLIM = (
    (re.compile(r"\s*\n\s*"), "\n"),
    (re.compile(r'<(t[dhr]) class="(?:(?:head )?text-left|row-odd|row-even)"'), r"<\1"),
    (re.compile(r"(<t[dh][^>]*>)<p>([^\n]*)</p>(?=</t[dh]>)"), r"\1\2"),
    (re.compile(r'<td class="text-right">'), '<td class="r">'),
    (re.compile(r'<span class="pre">([^<]*)</span>'), r"\1"),
    (re.compile(r'<code class="docutils literal notranslate"'), '<code class="literal"'),
    (re.compile(r'<span class="w"> </span>'), " "),
    (re.compile(r'class="reference internal"'), 'class="reference"'),
    (re.compile(r' title="Link to this (heading|definition)"'), ""),
    (re.compile(r'<meta name="viewport" content="width=device-width, initial-scale=1" />'), ""),  # it is there twice
    (re.compile(r"<!-- Generated with [^>]*-->"), ""),
    (re.compile(r"<style>\nbody \{.*?</style>", re.DOTALL), ""),
)
"""What is left out of each page: indentation, what every row and every cell of a table is without being told, marks
that no style asks for, and the colours of code, which are in ``site.css``.
"""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$#~])")


def plain(text: str) -> str:
    """The text in one line, in which nothing is a sign of Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """The text in letters for code, also within a table."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; cells are Markdown."""
    names = list(head)
    lines = [names, ["---"] * len(names), *([cell or " " for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def fence(text: str) -> str:
    """Text as it is, which nobody runs."""
    return f"```text\n{text}\n```"


# Commands


def commands() -> str:
    """Every command with its help, from click."""
    context = program(max_content_width=100)
    parts = ["## nimdesk", *_command(context)]
    for inner in below(context):
        parts += [f"{'#' * len(inner.command_path.split())} {inner.command_path}", *_command(inner)]
    return "\n\n".join(parts)


def _command(context: click.Context) -> Iterable[str]:
    yield fence(usage(context))
    for text, as_it_is in paragraphs(context.command.help or ""):
        yield fence(text) if as_it_is else plain(text)
    yield "\n\n".join(f"`{names}`\n: {plain(words)}" for names, words in records(context))


# Agents


def agents() -> str:
    """Every agent of the catalogue with its options, from their structs; then those of documents."""
    parts = []
    for info in CATALOGUE.values():
        fields = option_fields(info.options_type)
        parts.append(f"## {plain(info.title)}\n\n`{info.name}`. {plain(info.about)}\n")
        if fields:
            parts.append(table(["Option", "Default", "Allowed", "Meaning"], map(_option, fields)))
    parts.append("## Players of the five documents\n")
    parts.append("Where a document is silent, the note says what was chosen here.\n")
    rows = ([code(each.name), plain(each.title), plain(each.note)] for each in PUBLISHED.values())
    parts.append(table(["Name", "Player", "Note"], rows))
    return "\n".join(parts)


def _option(field: OptionField) -> list[str]:
    return [code(flag(field.name)), plain(default_text(field)), plain(field.bounds_text), plain(field.description)]


# Measures, games, keys


def measures() -> str:
    """What searches are measured by."""
    rows = ([code(each.name), each.words, plain(each.formula)] for each in MEASURES.values())
    return table(["Name", "What it is", "Formula"], rows)


def games() -> str:
    """The notation of each game, and the well-known set-ups."""
    notations = table(["Game", "Notation"], ([code(kit.name), plain(kit.notation)] for kit in KITS.values()))
    rows = ([plain(each.name), code(each.game.text), plain(each.about)] for each in presets())
    return f"{notations}\n## Well-known set-ups\n\n{table(['Name', 'Notation', 'About'], rows)}"


def keys() -> str:
    """The keys of the board, and every action of the window that has a key, by its menu."""
    parts = [f"## On the board\n\n{table(['Key', 'What it does'], (map(plain, row) for row in BOARD_KEYS))}"]
    for menu in dict.fromkeys(each.menu for each in ACTIONS):
        rows = [
            [
                plain(each.text.replace("&", "").rstrip("…")),
                " or ".join(map(code, each.key.split("; "))),
                plain(each.tip),
            ]
            for each in ACTIONS
            if each.menu == menu and each.key
        ]
        if rows:
            parts.append(f"## {menu or 'Anywhere'}\n\n{table(['Action', 'Key', 'What it does'], rows)}")
    return "\n".join(parts)


# Files


def formats() -> str:
    """The fields of every kind of document, from its schema."""
    schemas = (
        ("Saved game (`.nimdesk`)", schema_of(GamePart, "game")),
        ("Bundle of the laboratory (`.nimbundle.json`)", schema_of(BundlePart, "bundle")),
        ("Exercises", schema_of(BoxPart, "exercises")),
        ("Answers to a lesson (`.nimdesk-answers`)", schema_of(Answers, "answers")),
        ("Plan of an experiment", json_schema()),
        ("Plan of a study, in short", study_schema()),
    )
    seen: set[str] = set()
    parts = []
    for title, schema in schemas:
        parts.append(f"## {title}\n")
        for name, part in schema["$defs"].items():
            if name in seen:
                continue
            # Parts of the same name in games and in plans are different things.
            parts += _document_part(name, part)
        seen |= {"Provenance"} & schema["$defs"].keys()
    return "\n".join(parts)


def _document_part(name: str, part: dict[str, Any]) -> Iterable[str]:
    yield f"**{name}.** {plain(part.get('description', '').replace('``', ''))}\n"
    needed = part.get("required", ())
    rows = [
        [code(field), _kind(kind), "yes" if field in needed else "no", plain(kind.get("description", ""))]
        for field, kind in part.get("properties", {}).items()
    ]
    if any(row[-1] for row in rows):
        yield table(["Field", "What it holds", "Needed", "Meaning"], rows)
    elif rows:
        yield table(["Field", "What it holds", "Needed"], (row[:-1] for row in rows))
    elif "prefixItems" in part:
        yield f"A list of {', '.join(map(_kind, part['prefixItems']))}.\n"


def _kind(kind: dict[str, Any]) -> str:
    """A type of a JSON schema in words."""
    if "$ref" in kind:
        return kind["$ref"].rpartition("/")[2]
    if "anyOf" in kind:
        return " or ".join(map(_kind, kind["anyOf"]))
    if "enum" in kind:
        return " or ".join(code(str(each)) for each in kind["enum"])
    if kind.get("type") == "array":
        what = kind.get("items")
        of = f" of {_kind(what)}" if isinstance(what, dict) and what else ""
        if "prefixItems" in kind:
            of = f" of {', '.join(map(_kind, kind['prefixItems']))}"
        return f"list{of}{_ends(kind, 'minItems', 'maxItems')}"
    words = {"integer": "whole number", "null": "null", "boolean": "true or false", "object": "object"}
    name = kind.get("type", "anything")
    ends = _ends(kind, "minimum", "maximum") or _ends(kind, "minLength", "maxLength")
    return f"{words.get(name, 'text' if name == 'string' else name)}{ends}"


def _ends(kind: dict[str, Any], low: str, high: str) -> str:
    unit = " letters" if low == "minLength" else ""
    ends = [f"{word} {kind[key]:,}{unit}" for word, key in (("from", low), ("up to", high)) if key in kind]
    return f", {' '.join(ends)}" if ends else ""


# Lessons


def lesson(made: Lesson) -> str:
    """A lesson to read: its steps with their questions, and what is said of an answer folded away."""
    parts = [f"# {made.title}", f"*{made.about}* {made.minutes} minutes."]
    for number in range(1, len(made.steps) + 1):
        shown = made.at(number)
        step, task = shown.step, shown.step.task
        position = [] if number > 1 and made.at(number - 1).position == shown.position else [shown.position.text]
        parts += [f"**{number}. {plain(step.title)}** {' '.join(map(code, position))}", step.text, step.found]
        if isinstance(task, ChoiceTask):
            parts += [f"- {choice}" for choice in task.choices]
        said = task.answer if isinstance(task, TextTask) else step.right
        if isinstance(task, ChoiceTask):
            said = f"{task.choices[task.right - 1].rstrip('.')}. {said}"
        if said:
            parts.append(f"<details><summary>Answer</summary>\n\n{said}\n\n</details>")
    return "\n\n".join(filter(None, parts))


PARTS: dict[str, Callable[[], str]] = {
    each.__name__: each for each in (commands, agents, measures, games, keys, formats)
} | {f"lesson-{each.number}": partial(lesson, each) for each in shipped_lessons()}


# In the build


def file(path: str, page: str, pages: dict[str, str]) -> str:
    """A file of the repository as the text of a page; its links lead to pages where there are any, else to the
    home; its pictures are where they were."""

    def whole(link: re.Match[str]) -> str:
        target = normpath(f"{Path(path).parent.as_posix()}/{link[1]}")
        inside = target.removeprefix("resources/docs/")
        known = pages.get(target) or (inside if inside != target else None)
        if target.endswith(".png"):
            known = relpath(target, "resources/docs")
        return (
            f"]({relpath(known, Path(page).parent.as_posix())}{link[2]})" if known else f"]({_FILES}{target}{link[2]})"
        )

    return _LINK.sub(whole, (ROOT / path).read_text(encoding="utf-8"))


@cache
def included() -> dict[str, str]:
    """The page of each file that is one."""
    here = Path(__file__).parent
    found = {}
    for page in here.rglob("*.md"):
        for kind, path in _MARK.findall(page.read_text(encoding="utf-8")):
            if kind == "file":
                found[path] = page.relative_to(here).as_posix()
    return found


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    pages = included()

    def text(mark: re.Match[str]) -> str:
        return PARTS[mark[2]]() if mark[1] == "generated" else file(mark[2], f"{page}.md", pages)

    source[0] = _MARK.sub(text, source[0])


def outdated(app: Sphinx, *_changes: object) -> list[str]:
    """Pages with marks depend on more than their own file: they are read anew in every build."""
    included.cache_clear()
    pages = sorted(app.env.found_docs)
    return [page for page in pages if _MARK.search(app.env.doc2path(page).read_text(encoding="utf-8"))]


def slim(app: Sphinx, _fault: Exception | None) -> None:
    """Leave out what no reader's browser asks for."""
    out = Path(app.outdir)
    unread = (".buildinfo", "objects.inv", "_static/debug.css", "_static/skeleton.css")
    for each in (*map(out.joinpath, unread), *out.rglob("*.map")):
        each.unlink(missing_ok=True)
    for page in out.rglob("*.html"):
        # Every other part is one whose spaces are shown.
        parts = _PRE.split(page.read_text(encoding="utf-8"))
        for wanted, less in _SLIM:
            parts[::2] = [wanted.sub(less, part) for part in parts[::2]]
        page.write_text("".join(parts), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", fill)
    app.add_css_file("site.css")
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", slim)
    return {"parallel_read_safe": True}
