"""The manual page, from the program's own help: run by a Python that has nimdesk installed, it prints nimdesk.1."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import click

from nimdesk.cli import commands
from nimdesk.disk.paths import COMPLETING
from nimdesk.version import ISSUES, __version__

_SECTIONS = """.SH EXIT STATUS
.TP
.B 0
All is done.
.TP
.B 1
The reader of the output left, or numbers that were compared differ.
.TP
.B 2
Something is to be put right; one sentence on standard error says what.
.TP
.B 130
Stopped by Ctrl-C.
.SH ENVIRONMENT
.TP
.B NIMDESK_CONFIG_DIR
The folder of the settings.
.TP
.B NIMDESK_DATA_DIR
The folder of games, results, logs and notes of crashes.
.TP
.B NIMDESK_CACHE_DIR
The folder of compiled searches, which can be deleted at any time.
.SH FILES
.TP
.B \\(ti/.config/nimdesk
The settings.
.TP
.B \\(ti/.local/share/nimdesk
Games, results, logs and notes of crashes.
.TP
.B \\(ti/.cache/nimdesk
Compiled searches, which can be deleted at any time.
.PP
So on Linux, unless the environment says otherwise; \\(lqnimdesk doctor\\(rq names the folders of any system. They stay
when nimdesk is removed.
.SH BUGS
"""


def program(**settings: Any) -> click.Context:
    """The program itself, with all its commands."""
    return click.Context(commands(lambda *_, **__: 0, lambda _out, _tell: []), info_name="nimdesk", **settings)


def below(context: click.Context) -> Iterator[click.Context]:
    """Each command of the group, followed by those below it."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield inner
        if isinstance(command, click.Group):
            yield from below(inner)


def usage(context: click.Context) -> str:
    """How the command is written."""
    return " ".join([context.command_path, *context.command.collect_usage_pieces(context)])


def records(context: click.Context) -> list[tuple[str, str]]:
    """Each option that is shown: how it is written, and what it is for."""
    options = (param for param in context.command.get_params(context) if isinstance(param, click.Option))
    return [record for option in options if (record := option.get_help_record(context))]


def paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """Each paragraph of a help, and whether a line with only a backspace tells click to leave it alone."""
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text.strip())):
        alone = paragraph.lstrip().startswith("\b")
        yield (paragraph.lstrip().removeprefix("\b").strip("\n") if alone else paragraph), alone


def main(epoch: int) -> str:
    """The page, dated by these seconds since 1970."""
    context = program()
    day = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    summary, _, rest = (context.command.help or "").partition("\n\n")
    lines = [
        f'.TH NIMDESK 1 "{day}" "nimdesk {__version__}" "User Commands"',
        f".SH NAME\nnimdesk \\- {_text('a desktop laboratory for game-tree search')}",
        ".SH SYNOPSIS\n.B nimdesk\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR | \\fICOMMAND\\fR ...]",
        f".SH DESCRIPTION\n{_text(summary)}\n{_help(rest)}",
        f".SH OPTIONS\n{_options(context)}",
        ".SH COMMANDS",
    ]
    for inner in below(context):
        lines += [f'.SS "{_text(usage(inner))}"', _help(inner.command.help or ""), _options(inner)]
    lines.append(f"{_SECTIONS}{_text(ISSUES)}")
    return "\n".join(line for line in lines if line) + "\n"


def _options(context: click.Context) -> str:
    return "\n".join(f".TP\n.B {_text(names)}\n{_text(words)}" for names, words in records(context))


def _help(text: str) -> str:
    return "\n".join(
        f".PP\n.nf\n{_text(each)}\n.fi" if alone else f".PP\n{_text(' '.join(each.split()))}"
        for each, alone in paragraphs(text)
    )


def _text(text: str) -> str:
    """The text with what roff would read as its own escaped."""
    for letter, escaped in (("\\", "\\e"), ("-", "\\-"), ("“", "\\(lq"), ("”", "\\(rq"), ("…", "..."), ('"', "\\(dq")):
        text = text.replace(letter, escaped)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


if __name__ == "__main__":
    import os

    os.environ.pop(COMPLETING, None)
    print(main(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))), end="")
