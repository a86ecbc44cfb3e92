"""What an installed nimdesk has beside the program, made from the program itself, as the tree of a Linux system.

    python packaging/extras.py FOLDER     in an environment that has nimdesk

Below FOLDER/usr/share: the entry of the menu, the kinds of files, icons from 16 to 512 and in one colour, the metainfo,
the manual page, and completions for bash, zsh and fish. ``SOURCE_DATE_EPOCH`` dates what has a date.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import man_page
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from nimdesk.cli.desktop import files
from nimdesk.disk.paths import COMPLETING

METAINFO = Path(__file__).parent / "desktop" / "io.github.nimdesk.nimdesk.metainfo.xml"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
COMPLETIONS = {
    "bash": "bash-completion/completions/nimdesk",
    "zsh": "zsh/vendor-completions/_nimdesk",
    "fish": "fish/vendor_completions.d/nimdesk.fish",
}
_PROGRAM = "import sys; from nimdesk.__main__ import main; sys.exit(main())"
# The ink of icons in one colour, which desktops replace by that of their text.
_INK = "#2e3436"


def main(folder: Path) -> None:
    """Write all of it below this folder."""
    share = folder / "usr" / "share"
    made = dict(files("nimdesk"))
    svg = made["icons/hicolor/scalable/apps/nimdesk.svg"].decode()
    made["icons/hicolor/symbolic/apps/nimdesk-symbolic.svg"] = symbolic(svg).encode()
    made[f"metainfo/{METAINFO.name}"] = METAINFO.read_bytes()
    page = man_page.main(int(os.environ["SOURCE_DATE_EPOCH"]))
    made["man/man1/nimdesk.1.gz"] = gzip.compress(page.encode(), mtime=0)
    for shell, name in COMPLETIONS.items():
        made[name] = completion(shell)
    for name, data in made.items():
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_bytes(data)
    for size in SIZES:
        path = share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "nimdesk.png"
        path.parent.mkdir(parents=True)
        draw(svg, size, path)


def symbolic(svg: str) -> str:
    """The drawing without what is behind it, in one colour."""
    return re.sub(r"#[0-9a-f]{6}", _INK, re.sub(r"<rect[^>]*/>", "", svg))


def draw(svg: str, size: int, path: Path) -> None:
    """The drawing as a picture of this size."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    if not image.save(str(path)):
        sys.exit(f"“{path}” cannot be written.")


def completion(shell: str) -> bytes:
    """The script that the program gives this shell."""
    environment = {**os.environ, COMPLETING: f"{shell}_source"}
    return subprocess.run([sys.executable, "-c", _PROGRAM], env=environment, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]))
