"""``--figure``: a figure for print of what a command has worked out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nimdesk.cli.file_types import FIGURE
from nimdesk.cli.options import check_folder, say
from nimdesk.errors import OptionError
from nimdesk.figures.measure import MEASURES, MoveMeasure

if TYPE_CHECKING:
    from nimdesk.figures.content import Content
    from nimdesk.games import AnyPosition
    from nimdesk.search.tree_types import Family, Line

HEAT_MAPS = tuple(f"{each.name}-heat" for each in MEASURES.values() if isinstance(each, MoveMeasure) and each.heat)
TREES = (".dot", ".tex")
"""The endings of figures of search trees."""
_LOOK = (
    "width_mm (85), height_mm (0: by the width), font (serif, sans or a name), size_pt (8), legend (yes), dpi (300), "
    "log_y (no)"
)


def figure_options(measures: Sequence[str], more: str = "", *, default: str = "") -> list[Callable[..., Any]]:
    """The flags of a command whose results can be drawn by these measures, the first by default.

    Where the default depends on the results, ``default`` says how, and the measure is None.
    """
    return [
        click.option(
            "--figure",
            type=FIGURE,
            metavar="FILE",
            help="Draw a figure for print: PDF, SVG, PNG or PGF, by the ending. Beside it go its data as CSV and a "
            f"script that draws it again; its caption is printed on standard error. Needs matplotlib.{more}",
        ),
        click.option(
            "--figure-of",
            type=click.Choice(list(measures)),
            default=None if default else measures[0],
            help=f"What the figure shows.{f' [{default}]' * bool(default)}",
        ),
        click.option("--figure-look", metavar="NAME=VALUE,…", default="", help=f"The figure's measures: {_LOOK}."),
    ]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A figure that was asked for: its file, measure and look. Made before the work, so that a fault shows early."""

    path: Path
    measure: Any
    look: str
    heat: bool = False

    @classmethod
    def of(cls, figure: Path | None, figure_of: str | None, figure_look: str, *, tree: bool = False) -> Wanted | None:
        """What these flags ask for, perhaps a ``tree``; ``NimdeskError`` where it could not be drawn."""
        if figure is None:
            return None
        from nimdesk.figures.files import Look, check, look_of  # lazy: few draw figures

        look = look_of(figure_look)
        if tree:
            check_folder(figure, "The figure")
            if figure_of is not None or look != Look(width_mm=look.width_mm, size_pt=look.size_pt):
                raise OptionError("A figure of a tree takes only width_mm, size_pt and --figure-nodes.")
        else:
            check(figure)
        measure, _, heat = (figure_of or "").partition("-")
        return cls(figure, measure or None, figure_look, bool(heat))

    def draw(self, content: Content, about: Mapping[str, object]) -> None:
        """Write the files, and print their names and the caption on standard error."""
        from nimdesk.figures.files import look_of, write_figure  # lazy, as above

        for file in write_figure(content, look_of(self.look), self.path, about):
            say(str(file))
        say(content.caption)

    def draw_tree(
        self, position: AnyPosition, family_of: Callable[[Line], Family | None], nodes: int | None, how: str, words: str
    ) -> None:
        """Write the largest part of this tree that fits, and print its name and the caption on standard error."""
        from nimdesk.figures.files import look_of  # lazy, as above
        from nimdesk.figures.trees import NODES, largest, levels_within, tree_of, write_tree

        look = look_of(self.look)
        rows = largest(family_of, nodes or NODES, levels_within(look))
        counted = "visits" if not rows or rows[0][1].window is None else "nodes"
        tree = tree_of(position, rows, f"the {len(rows)} moves with most {counted} {how}", words)
        write_tree(tree, look, self.path)
        say(str(self.path))
        say(tree.caption)
