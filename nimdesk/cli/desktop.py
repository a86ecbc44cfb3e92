"""``nimdesk desktop``: the entry in the menu of a Linux desktop, and the kinds of files that a double click opens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError

_ENTRY = """[Desktop Entry]
Type=Application
Name=nimdesk
GenericName=Laboratory for game-tree search
Comment=Play Nim and m,n,k games and watch the search make up its mind
Exec={command} --reuse-window %u
Icon=nimdesk
Terminal=false
Categories=Education;ArtificialIntelligence;
Keywords=MCTS;UCT;Nim;gomoku;Connect Four;tic-tac-toe;search;
MimeType=application/x-nimdesk-game;application/x-nimdesk-bundle;application/x-nimdesk-lesson;application/x-nimdesk-certificate;application/x-go-sgf;application/x-piskvork-game;x-scheme-handler/nimdesk;
StartupWMClass=nimdesk
Actions=new-window;

[Desktop Action new-window]
Name=New window
Exec={command}
"""
_KINDS = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-nimdesk-game">
    <comment>nimdesk game</comment>
    <sub-class-of type="application/json"/>
    <glob pattern="*.nimdesk"/>
    <icon name="nimdesk"/>
  </mime-type>
  <mime-type type="application/x-nimdesk-bundle">
    <comment>nimdesk bundle of the laboratory</comment>
    <sub-class-of type="application/json"/>
    <glob pattern="*.nimbundle.json"/>
    <icon name="nimdesk"/>
  </mime-type>
  <mime-type type="application/x-nimdesk-lesson">
    <comment>nimdesk lesson</comment>
    <sub-class-of type="application/json"/>
    <glob pattern="*.nimdesk-lesson"/>
    <icon name="nimdesk"/>
  </mime-type>
  <mime-type type="application/x-piskvork-game">
    <comment>Piskvork game</comment>
    <sub-class-of type="text/plain"/>
    <magic priority="80">
      <match type="string" value="Piskvorky " offset="0"/>
    </magic>
    <glob pattern="*.psq" weight="40"/>
    <icon name="nimdesk"/>
  </mime-type>
  <!-- X.509 certificates end in .cert too, and stay what they are: the first bytes tell, and else they weigh more. -->
  <mime-type type="application/x-nimdesk-certificate">
    <comment>nimdesk certificate of a value</comment>
    <magic priority="80">
      <match type="string" value="nimdesk certificate " offset="0"/>
    </magic>
    <glob pattern="*.cert" weight="40"/>
    <icon name="nimdesk"/>
  </mime-type>
</mime-info>
"""
_AFTER = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""The programs that tell a desktop of such files, each with its folder; if one is missing, the next login does it."""


@click.command()
@click.option("--remove", is_flag=True, show_default=False, help="Take the entry and the kinds of files away again.")
def desktop(remove: bool) -> None:
    """Add nimdesk to the menu of a Linux desktop, so that a double click opens its files there.

    They are games, lessons, bundles and certificates. Links (nimdesk://…) open there, too.
    """
    if sys.platform != "linux":
        raise NimdeskError("“nimdesk desktop” is for the desktops of Linux; here the system asks what opens a file.")
    base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    try:
        for name, data in files(_command()).items():
            path = base / name
            if remove:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, data, follow=False)
            print(path)
    except OSError as error:
        raise NimdeskError(f"The entry cannot be written to “{base}”: {os_error_words(error)}.") from error
    for program, folder in _AFTER:
        found = shutil.which(program)
        if found is not None and (base / folder).is_dir():
            subprocess.run([found, str(base / folder)], check=False, capture_output=True)


def files(command: str) -> dict[str, bytes]:
    """The files below a folder of data, by their names there; ``command`` starts nimdesk."""
    return {
        "applications/nimdesk.desktop": _ENTRY.format(command=command).encode(),
        "mime/packages/nimdesk.xml": _KINDS.encode(),
        "icons/hicolor/scalable/apps/nimdesk.svg": (resources_dir() / "icons" / "nimdesk.svg").read_bytes(),
    }


def _command() -> str:
    """What starts this program, quoted as the entry wants it."""
    program = Path(sys.argv[0]).absolute()
    words = [str(program)] if program.stem == "nimdesk" else [sys.executable, "-m", "nimdesk"]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    for letter in ("\\", '"', "`", "$"):
        word = word.replace(letter, f"\\{letter}")
    # A percent sign would begin a field code, and the file itself unescapes backslashes once more.
    word = word.replace("\\", "\\\\").replace("%", "%%")
    return f'"{word}"'
