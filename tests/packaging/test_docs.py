"""The site can be built, and is small; what its pages say to type works, and prints what they show.

A block of a page is run by its language: ``sh`` are commands, ``python`` is run in one namespace a page, and a block
with a caption is a file of that name. ``text`` right after a command is what it prints, where "…" stands for any lines.
A comment before a block changes that: ``% not run: REASON``, or ``% tested with OLD as NEW, OLD as NEW``, which is for
what would take long; what is shown of it is printed all the same.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from plugin_packages import install, leave_catalogue

from nimdesk import cli
from nimdesk.agents import CATALOGUE
from nimdesk.disk.paths import DOCUMENTS, GAMES, existing
from nimdesk.figures.measure import MEASURES
from nimdesk.games.kit import KITS, PROBLEMS
from nimdesk.lessons.files import shipped_lessons
from nimdesk.plugins import games as plugin_games

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "resources" / "docs"
BLOCK = re.compile(
    r"^(?:% (?P<how>[^\n]*)\n)?```(?:\{code-block\} )?(?P<kind>\w+)\n"
    r"(?::caption: (?P<file>[^\n]*)\n\n?)?(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A block of code in a page: its text, language, the comment before it, and the file that it is."""

    text: str
    kind: str
    how: str
    file: str


def blocks(page: Path) -> list[Block]:
    """All of a page that are in a language; only those of a made part of the reference are not in the file."""
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(each["text"], each["kind"], each["how"] or "", each["file"] or "") for each in found]


PAGES = [page for page in sorted(DOCS.rglob("*.md")) if blocks(page)]


class Reader:
    """Does what a page says, in a folder of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self.monkeypatch, self.capfd = folder, monkeypatch, capfd
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.printed: str | None = None
        monkeypatch.chdir(folder)

    def read(self, block: Block) -> None:
        """Do what this block says; what it prints is then what the next one may show."""
        text, shown = block.text, self.printed
        self.printed = None
        if block.how.startswith("not run: "):
            assert block.kind == "sh"
            self._can_be_typed(text)
            return
        if block.how:
            assert block.how.startswith("tested with "), block.how
            for change in block.how.removeprefix("tested with ").split(", "):
                old, new = change.split(" as ")
                assert old in text, f"{old} is not in the block"
                text = text.replace(old, new)
        if block.file:
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif block.kind == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                self._typed(shlex.split(line, comments=True))
            self.printed = self.capfd.readouterr().out
        elif block.kind == "python":
            exec(compile(text, "page", "exec"), self.names)
            self.printed = self.capfd.readouterr().out
        elif block.kind == "json":
            json.loads(text)
        else:
            assert block.kind == "text", f"nobody knows what a block in “{block.kind}” is"
            if shown is not None:
                printed = [line.rstrip() for line in shown.splitlines()]
                said = [line.rstrip() for line in text.splitlines()]
                assert [line for line in said if line not in [*printed, "…"]] == [], shown

    def _typed(self, words: list[str]) -> None:
        if words[:2] == ["pip", "install"]:
            self._install(self.folder / words[-1])
        elif words:
            assert words[0] == "nimdesk", words
            opened = words[1:2] if len(words) == 2 and words[1].endswith((*DOCUMENTS, *GAMES)) else []
            done = 0 if opened and existing(Path(opened[0])) else cli.run(words[1:], lambda *_, **__: 0, lambda *_: [])
            assert done == 0, words

    def _install(self, package: Path) -> None:
        """What pip would do with a package of single modules."""
        project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        ((group, named),) = project["entry-points"].items()
        modules = {each.stem: each.read_text(encoding="utf-8") for each in package.glob("*.py")}
        site = self.folder / f"site-{package.name}"
        install(site, project["name"], named, modules, group)
        self.monkeypatch.syspath_prepend(str(site))
        plugin_games.begin()

    def _can_be_typed(self, text: str) -> None:
        """The files that a command names are there, and so are nimdesk's commands."""
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            assert [
                each for each in words if each.startswith(("packaging/", "resources/")) and not (ROOT / each).exists()
            ] == []
            if words[:1] == ["nimdesk"] and words[1:] and not words[1].startswith("-"):
                assert words[1] in cli.commands(lambda *_, **__: 0, lambda *_: []).commands


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Reader]:
    agents, games, problems = set(CATALOGUE), set(KITS), set(PROBLEMS)
    folder = tmp_path / "page"
    folder.mkdir()
    yield Reader(folder, monkeypatch, capfd)
    leave_catalogue(but=agents)
    for name in set(KITS) - games:
        del KITS[name]
        plugin_games.LOADED.pop(name, None)
    for name in set(PROBLEMS) - problems:
        del PROBLEMS[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_says_to_type_works(page: Path, reader: Reader) -> None:
    for block in blocks(page):
        reader.read(block)


def test_the_site_asks_nobody_else(site: Path) -> None:
    files = [each for each in site.rglob("*") if each.is_file()]
    pages = "".join(each.read_text(encoding="utf-8") for each in files if each.suffix == ".html")
    assert re.findall(r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="https?:[^"]*"', pages) == []


def test_the_reference_has_all_there_is(site: Path) -> None:
    def text(page: str) -> str:
        return re.sub(r"<[^>]*>", "", (site / "reference" / f"{page}.html").read_text(encoding="utf-8"))

    commands = cli.commands(lambda *_, **__: 0, lambda _out, _tell: []).commands
    shown = [name for name, command in commands.items() if not command.hidden]
    assert [name for name in shown if f"nimdesk {name}" not in text("commands")] == []
    assert [info.title for info in CATALOGUE.values() if info.title not in text("agents")] == []
    assert [each.words for each in MEASURES.values() if each.words not in text("measures")] == []
    assert "optimal_share, low, high" in text("commands"), "help that is laid out by hand keeps its lines"


def test_the_first_tutorial_counts_as_the_first_lesson_does() -> None:
    told = " ".join((DOCS / "tutorials" / "play.md").read_text(encoding="utf-8").split())
    lesson = " ".join(f"{step.text} {step.found}" for step in shipped_lessons()[0].steps)
    assert "*MCTS, textbook* with 500 simulations" in told
    assert "finds it with 6 of the seeds 1 to 100" in told
    assert "With 500 simulations the search finds it with 6 of 100 seeds" in lesson
    assert "gives it 100,000 simulations." in told
    assert "after **100,000** simulations each" in lesson


def test_each_page_can_be_reached() -> None:
    listed = set()
    for page in DOCS.rglob("*.md"):
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for name in (line for line in tree.splitlines() if line and not line.startswith(":")):
                listed |= {each.resolve() for each in page.parent.glob(f"{name}.md") if each != page}
    assert {page.resolve() for page in DOCS.rglob("*.md")} - listed == {DOCS / "index.md"}
