"""Completion of commands, flags and names in bash, zsh and fish, by the scripts that click makes for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from nimdesk.agents import CATALOGUE, PUBLISHED
from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.paths import COMPLETING
from nimdesk.errors import NimdeskError, OptionError

_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_BY_NAME = "as the shell that runs"


def install_option() -> click.Option:
    """The flag ``--install-completion``, which installs the script and ends the program."""
    return click.Option(
        ["--install-completion"],
        type=click.Choice([*_SHELLS, _BY_NAME], case_sensitive=False),
        metavar="[bash|zsh|fish]",
        is_flag=False,
        flag_value=_BY_NAME,
        is_eager=True,
        expose_value=False,
        show_default=False,
        callback=_install,
        help="Complete commands and flags with the Tab key from the next shell on, and exit.",
    )


def complete_agent(_context: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """The agents whose names begin so; plug-ins are not asked, which takes too long for a key."""
    titles = {name: info.title for name, info in CATALOGUE.items()}
    titles |= {name: f"as published in document {each.document}" for name, each in PUBLISHED.items()}
    return [CompletionItem(name, help=title) for name, title in titles.items() if name.startswith(begun.lower())]


def complete_file(_context: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Files, for an argument that is a position or a file: the colons of positions divide words in bash."""
    return [CompletionItem(begun, type="file")]


def _install(context: click.Context, _param: click.Parameter, chosen: str | None) -> None:
    if chosen is None or context.resilient_parsing:
        return
    shell = Path(os.environ.get("SHELL", "")).name if chosen == _BY_NAME else chosen
    if shell not in _SHELLS:
        raise OptionError("Which shell is meant? Write “nimdesk --install-completion bash”, or zsh, or fish.")
    script = _SHELLS[shell](context.command, {}, "nimdesk", COMPLETING).source()
    path, then = _PLACES[shell]()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, script.encode(), follow=False)
    except (OSError, ValueError) as error:
        words = os_error_words(error)
        raise NimdeskError(f"The completion cannot be written to “{path}”: {words}.") from error
    print(f"{path}\n{then}")
    context.exit()


def _data() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _for_bash() -> tuple[Path, str]:
    return (
        _data() / "bash-completion" / "completions" / "nimdesk",
        "New shells use it, where the package bash-completion is installed.",
    )


def _for_zsh() -> tuple[Path, str]:
    path = _data() / "zsh" / "site-functions" / "_nimdesk"
    line = f"fpath+=('{path.parent}'); autoload -Uz compinit; compinit"
    return path, f"New shells use it, if this line is in your ~/.zshrc:\n    {line}"


def _for_fish() -> tuple[Path, str]:
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return config / "fish" / "completions" / "nimdesk.fish", "New shells use it."


_PLACES: dict[str, Callable[[], tuple[Path, str]]] = {"bash": _for_bash, "zsh": _for_zsh, "fish": _for_fish}
