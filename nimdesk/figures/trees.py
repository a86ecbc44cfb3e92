"""Search trees for print: as DOT for Graphviz, and as TikZ for LaTeX, which needs no program beside it."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nimdesk.disk.atomic import write_file
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError
from nimdesk.figures.content import caption
from nimdesk.figures.files import Look
from nimdesk.games import AnyPosition, Side
from nimdesk.search.tree_types import Branch, Family, Line, signed

NODES = 25
"""How many moves a tree for print has by default."""
_COLORS = ("0072B2", "D55E00")
_LETTER_MM, _ROW_MM = 0.175, 0.55
"""How wide a letter is, and how high a row, for each point of the font's size."""
_ROOT_MM, _GAP_MM = 10.0, 5.0
"""The space between the root and its moves, and the least space between other columns."""
_LATEX = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "−": "$-$",
    "·": r"$\cdot$",
}

Row = tuple[Line, Branch]
"""A move of a tree: the line that ends with it, and what the search knows of it."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The part of a search tree that is drawn, without its look."""

    position: AnyPosition
    rows: tuple[Row, ...]
    """Each move before those that follow it, as in a list that is unfolded."""
    caption: str

    @property
    def title(self) -> str:
        """What it is."""
        return f"Search tree of {self.position.text}"

    @property
    def levels(self) -> int:
        """How many moves the longest line has."""
        return max(len(line) for line, _branch in self.rows)

    def mover(self, line: Line) -> Side:
        """Who plays the last move of this line."""
        return Side((self.position.turn + len(line) - 1) % 2)


def tree_of(position: AnyPosition, rows: Sequence[Row], what: str, words: str) -> Tree:
    """The tree with these rows; ``what`` says which moves they are, ``words`` whose search it is.

    ``OptionError`` if there are none.
    """
    if not rows:
        raise OptionError("There is no tree to draw: the search keeps none, or has not begun.")
    sides = [position.game.side_name(side) for side in Side]
    if rows[0][1].window is None:
        numbers = "Beside each move are its visits, its mean value for the side that plays it, and what is proven of it"
    else:
        numbers = (
            "Beside each move are the positions searched from it on, and its value for the side to move at the root"
        )
    colours = f"moves of {sides[0]} are blue, of {sides[1]} orange"
    return Tree(
        position, tuple(rows), caption([f"Search tree of {position.text}: {what}.", words, f"{numbers}; {colours}."])
    )


def largest(family_of: Callable[[Line], Family | None], nodes: int, levels: int) -> list[Row]:
    """The ``nodes`` moves with the most visits, or the most nodes below them, each after the move that it answers.

    Lines have at most ``levels`` moves. Siblings are in the order of their visits; where the search has recorded every
    node, in the order in which it came to them.
    """
    found: dict[Line, list[tuple[int, Line, Branch]]] = {}
    waiting: list[tuple[int, int, int, Line, Branch]] = []
    count = itertools.count()

    def add(line: Line) -> None:
        family = family_of(line)
        for branch in family.branches if family is not None else ():
            if branch.visits:
                heapq.heappush(waiting, (-branch.visits, len(line), next(count), (*line, branch.move), branch))

    add(())
    for number in range(nodes):
        if not waiting:
            break
        _visits, _depth, came, line, branch = heapq.heappop(waiting)
        found.setdefault(line[:-1], []).append((number if branch.window is None else came, line, branch))
        if branch.children and len(line) < levels:
            add(line)

    def below(line: Line) -> Iterable[Row]:
        for _order, own, branch in sorted(found.get(line, []), key=lambda each: each[0]):
            yield own, branch
            yield from below(own)

    return list(below(()))


def levels_within(look: Look) -> int:
    """How many moves after each other fit into the width of a figure."""
    wide = len("b2 12,345 .512") * _LETTER_MM * look.size_pt
    return max(1, 1 + int((look.width_mm - _ROOT_MM - wide) / (wide + _GAP_MM)))


def write_tree(tree: Tree, look: Look, path: Path) -> None:
    """Write it as DOT or as TikZ, by the ending of the name; the caption and what made it stand in the file."""
    text = as_dot(tree, look) if path.suffix.lower() == ".dot" else as_tikz(tree, look)
    write_file(path, text.encode())


def as_dot(tree: Tree, look: Look) -> str:
    """The tree for Graphviz: ``dot -Tpdf FILE -o tree.pdf``."""
    lines = [
        f"// {tree.caption}",
        f"// Made {made_here().words}.",
        f"digraph {_quoted(tree.title)} {{",
        f"  graph [rankdir=LR, nodesep=0.05, ranksep=0.25, tooltip={_quoted(tree.caption)}];",
        f'  node [shape=plaintext, height=0, margin="0.03,0.02", fontsize={look.size_pt:g}];',
        '  edge [arrowhead=none, color="#808080", penwidth=0.6];',
        "  n [shape=point, width=0.05];",
    ]
    names: dict[Line, str] = {(): "n"}
    for number, (line, branch) in enumerate(tree.rows, 1):
        names[line] = f"n{number}"
        color = _COLORS[tree.mover(line)]
        label = _quoted(f"{branch.move.text}  {_numbers(branch)}".strip())
        lines.append(f'  n{number} [label={label}, fontcolor="#{color}"];')
        lines.append(f"  {names[line[:-1]]} -> n{number};")
    return "\n".join([*lines, "}", ""])


def as_tikz(tree: Tree, look: Look) -> str:
    r"""The tree for LaTeX: ``\input{FILE}`` in a document that has ``\usepackage{tikz}``; it is laid out already."""
    size = look.size_pt
    names: dict[Line, str] = {(): "n"}
    heights = _heights(tree.rows)
    wide = max(len(f"{branch.move.text} {_numbers(branch)}") for _line, branch in tree.rows) * _LETTER_MM * size
    # As wide as the look says, or wider if its lines are long.
    room = (look.width_mm - _ROOT_MM - wide) / max(1, tree.levels - 1)
    column = max(wide + _GAP_MM, min(room, 2 * (wide + _GAP_MM)))
    lines = [
        f"% {tree.caption}",
        f"% Made {made_here().words}.",
        r"% Input it into a document that has \usepackage{tikz}.",
        f"\\begin{{tikzpicture}}[x=1mm, y=-{_ROW_MM * size:.2f}mm,",
        f"    font=\\fontsize{{{size:g}}}{{{1.2 * size:g}}}\\selectfont,",
        "    every node/.style={anchor=west, inner sep=1pt}]",
        *(f"  \\definecolor{{nimdesk{number}}}{{HTML}}{{{color}}}" for number, color in enumerate(_COLORS)),
        f"  \\node[circle, fill, inner sep=0.8pt] (n) at (0,{heights[()]:g}) {{}};",
    ]
    for number, (line, branch) in enumerate(tree.rows, 1):
        names[line] = f"n{number}"
        move, numbers = (_latex(text) for text in (branch.move.text, _numbers(branch)))
        text = f"\\textcolor{{nimdesk{tree.mover(line):d}}}{{\\textbf{{{move}}}}} {numbers}".strip()
        lines.append(
            f"  \\node (n{number}) at ({_ROOT_MM + column * (len(line) - 1):.2f},{heights[line]:g}) {{{text}}};"
        )
        lines.append(f"  \\draw[gray, thin] ({names[line[:-1]]}.east) -- (n{number}.west);")
    return "\n".join([*lines, "\\end{tikzpicture}", ""])


def _heights(rows: Sequence[Row]) -> dict[Line, float]:
    """The row of each line: leaves one below the other, every other move midway between those that follow it."""
    children: dict[Line, list[Line]] = {}
    for line, _branch in rows:
        children.setdefault(line[:-1], []).append(line)
    leaves = (line for line, _branch in rows if line not in children)
    heights = {line: float(number) for number, line in enumerate(leaves)}
    for line in sorted(children, key=len, reverse=True):
        heights[line] = (heights[children[line][0]] + heights[children[line][-1]]) / 2
    return heights


def _numbers(branch: Branch) -> str:
    """What the search knows of a move, as briefly as it can be said."""
    parts = [f"{branch.visits:,}"]
    if branch.window is not None:
        parts.append("" if branch.window.value is None else signed(branch.window.value))
    elif branch.mean_value is not None and branch.proven is None:
        parts.append(f"{branch.mean_value:.3f}".removeprefix("0"))
    if branch.proven is not None:
        parts.append(branch.proven.value)
    return " ".join(filter(None, parts))


def _quoted(text: str) -> str:
    backslash, quote = "\\", '"'
    return f'"{text.replace(backslash, backslash * 2).replace(quote, backslash + quote)}"'


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
