"""The manual page, from the program's own help: run by a Python that has nimdesk installed, it prints nimdesk.1."""

from __future__ import annotations

import re
import time

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


def main(epoch: int) -> str:
    """The page, dated by these seconds since 1970."""
    group = commands(lambda *_, **__: 0, lambda _out, _tell: [])
    context = click.Context(group, info_name="nimdesk")
    day = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    summary, _, rest = (group.help or "").partition("\n\n")
    lines = [
        f'.TH NIMDESK 1 "{day}" "nimdesk {__version__}" "User Commands"',
        f".SH NAME\nnimdesk \\- {_text('a desktop laboratory for game-tree search')}",
        ".SH SYNOPSIS\n.B nimdesk\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR | \\fICOMMAND\\fR ...]",
        f".SH DESCRIPTION\n{_text(summary)}\n{_help(rest)}",
        f".SH OPTIONS\n{_options(context)}",
        ".SH COMMANDS",
        *_commands(context),
        f"{_SECTIONS}{_text(ISSUES)}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _commands(context: click.Context) -> list[str]:
    """A subsection for each command of the group, and for those below it."""
    group, lines = context.command, []
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        below = click.Context(command, info_name=name, parent=context)
        usage = " ".join([below.command_path, *command.collect_usage_pieces(below)])
        lines += [f'.SS "{_text(usage)}"', _help(command.help or ""), _options(below)]
        if isinstance(command, click.Group):
            lines += _commands(below)
    return lines


def _options(context: click.Context) -> str:
    options = (param for param in context.command.get_params(context) if isinstance(param, click.Option))
    records = (option.get_help_record(context) for option in options)
    return "\n".join(f".TP\n.B {_text(names)}\n{_text(words)}" for names, words in filter(None, records))


def _help(text: str) -> str:
    """Paragraphs are filled, except those that click is told to leave alone by a line with only a backspace."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.lstrip().startswith("\b"):
            parts.append(f".PP\n.nf\n{_text(paragraph.lstrip().removeprefix(chr(8)).strip(chr(10)))}\n.fi")
        elif paragraph.strip():
            parts.append(f".PP\n{_text(' '.join(paragraph.split()))}")
    return "\n".join(parts)


def _text(text: str) -> str:
    """The text with what roff would read as its own escaped."""
    for letter, escaped in (("\\", "\\e"), ("-", "\\-"), ("“", "\\(lq"), ("”", "\\(rq"), ("…", "..."), ('"', "\\(dq")):
        text = text.replace(letter, escaped)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


if __name__ == "__main__":
    import os

    os.environ.pop(COMPLETING, None)
    print(main(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))), end="")
