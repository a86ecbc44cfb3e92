"""Draws curves with bands, in one panel or in several with the same axes, by matplotlib alone; white, for print.

This module knows nothing of nimdesk: a copy of it, with the settings below it, is the script that draws a saved figure
again from its table.
"""

from __future__ import annotations

import csv
import sys
from itertools import groupby, pairwise
from math import ceil, exp, isnan, log, nan
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import matplotlib
from matplotlib import font_manager
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


class Curve(TypedDict):
    """One curve; NaN is a gap. ``low`` and ``high`` are its band, or empty. A ``faint`` one is grey, without a name.

    ``seeds`` are those of its searches, if it is drawn from many.
    """

    label: str
    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]
    faint: bool
    seeds: NotRequired[tuple[int, ...]]


class Panel(TypedDict):
    """Curves under a title, or under none."""

    title: str
    curves: list[Curve]


class Plot(TypedDict):
    """What is drawn: the names of the axes, how they are scaled, and the panels."""

    x: str
    y: str
    log_x: bool
    log_y: bool
    y_range: tuple[float, float] | None
    steps: bool
    panels: list[Panel]
    rows: NotRequired[list[str]]
    """With it the curves are parts of bars: x is the row, of these names, y the length of the part."""
    ticks: NotRequired[list[tuple[float, str]]]
    """For bars: the lengths at which something is written, and what."""
    heat: NotRequired[bool]
    """With it each curve is a row of a heat map: y is shown by colours."""


class Look(TypedDict):
    """How it is drawn; a height of 0 follows from the width."""

    width_mm: float
    height_mm: float
    font: str
    size_pt: float
    legend: bool
    dpi: int
    log_y: bool


COLUMNS = ("panel", "curve", "faint", "x", "y", "low", "high")
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("-", "--", "-.", ":")
_FAMILIES = {"serif": "STIXGeneral", "sans": "DejaVu Sans"}
_LATEX_FAMILIES = {"serif": "serif", "sans": "sans-serif"}
_LATEX = {"✓": r"$\surd$", "…": r"\ldots{}", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
_LATEX |= {each: f"\\{each}" for each in "_#&"} | {"$": r"\textdollar{}"}
"""What LaTeX needs for letters that it reads as commands or has in no font; matplotlib itself escapes % and ^."""
_NO_MATHS = {"$": r"\$"}
"""What matplotlib wants instead: between two dollars it sets maths, which a file's name is not."""
_MM = 1 / 25.4
_HEAT, _MOST_ROWS = "Blues", 40
"""The colours of a heat map, from white to dark, so that grey tells them apart too; and how many rows have names."""


def draw(axes: Axes, plot: Plot, panel: Panel) -> None:
    """Draw one panel into these axes, with names for a legend, but without one."""
    if plot.get("rows"):
        _draw_bars(axes, plot, panel)
        return
    if plot.get("heat"):
        _draw_heat(axes, plot, panel)
        return
    named = [curve for curve in panel["curves"] if not curve["faint"]]
    steps = "steps-post" if plot["steps"] else "default"
    for number, curve in enumerate(named):
        color, dash = _COLORS[number % len(_COLORS)], _DASHES[number % len(_DASHES)]
        axes.plot(curve["x"], curve["y"], dash, color=color, label=_listed(curve), drawstyle=steps, zorder=3)
        if curve["low"]:
            between: Literal["post"] | None = "post" if plot["steps"] else None
            axes.fill_between(
                curve["x"], curve["low"], curve["high"], color=color, alpha=0.2, linewidth=0, step=between, zorder=2
            )
    for curve in panel["curves"]:
        if curve["faint"]:
            axes.plot(curve["x"], curve["y"], color="0.75", linewidth=0.5, drawstyle=steps, zorder=1)
    axes.set_xscale("log" if plot["log_x"] else "linear")
    axes.set_yscale("log" if plot["log_y"] else "linear")
    if plot["y_range"] is not None and not plot["log_y"]:
        axes.set_ylim(*plot["y_range"])
    axes.set_title(panel["title"])


def _listed(curve: Curve) -> str:
    """Its name for a legend; matplotlib would leave out a name that begins with "_"."""
    return f" {curve['label']}" if curve["label"].startswith("_") else curve["label"]


def _draw_bars(axes: Axes, plot: Plot, panel: Panel) -> None:
    """The parts of each bar end to end, the first of them with its interval; faint ones are lines below the bars."""
    rows = plot["rows"]
    ends = dict.fromkeys(map(float, range(len(rows))), 0.0)
    for number, curve in enumerate(curve for curve in panel["curves"] if not curve["faint"]):
        starts, color = [ends[place] for place in curve["x"]], _COLORS[number % len(_COLORS)]
        axes.barh(curve["x"], curve["y"], 0.62, starts, color=color, alpha=0.75, label=_listed(curve))
        for place, low, high in zip(curve["x"], curve["low"], curve["high"], strict=False):
            if not isnan(low):
                axes.plot([low, high], [place, place], "-|", color="black", linewidth=0.8, markersize=4)
        for place, length in zip(curve["x"], curve["y"], strict=True):
            ends[place] += length
    for curve in panel["curves"]:
        if curve["faint"]:
            for number, (place, low, high) in enumerate(zip(curve["x"], curve["low"], curve["high"], strict=True)):
                label = _listed(curve) if not number else ""
                axes.plot([low, high], [place + 0.42] * 2, "-|", color="0.35", linewidth=1.4, markersize=4, label=label)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    if plot["y_range"] is not None:
        axes.set_xlim(*plot["y_range"])
    if plot.get("ticks"):
        axes.set_xticks([place for place, _ in plot["ticks"]], [words for _, words in plot["ticks"]])
    axes.set_title(panel["title"])


def _draw_heat(axes: Axes, plot: Plot, panel: Panel) -> None:
    """A row for each curve, each cell as wide as to the middle between it and the next one, as the axis is scaled."""
    axes.set_xscale("log" if plot["log_x"] else "linear")
    for row, curve in enumerate(panel["curves"]):
        points = [(x, y) for x, y in zip(curve["x"], curve["y"], strict=True) if x > 0 or not plot["log_x"]]
        at = [log(x) if plot["log_x"] else x for x, _y in points]
        if not at:
            continue
        middle = [(one + other) / 2 for one, other in pairwise(at)]
        # The cells at both ends reach as far outwards as inwards.
        edges = [2 * at[0] - middle[0], *middle, 2 * at[-1] - middle[-1]] if middle else [at[0] - 0.5, at[0] + 0.5]
        shown = [exp(edge) if plot["log_x"] else edge for edge in edges]
        cells = [[y for _x, y in points]]
        # Edges of their own colour, or viewers show the page between the cells.
        axes.pcolormesh(
            shown, [row - 0.46, row + 0.46], cells, cmap=_HEAT, norm=_norm(plot), edgecolors="face", linewidth=0.2
        )
    every = ceil(len(panel["curves"]) / _MOST_ROWS)
    named = range(0, len(panel["curves"]), every)
    axes.set_yticks(named, [panel["curves"][row]["label"] for row in named])
    axes.set_ylim(len(panel["curves"]) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_title(panel["title"])


def _norm(plot: Plot) -> Normalize:
    """The scale that gives equal values equal colours in all panels."""
    values = [y for panel in plot["panels"] for curve in panel["curves"] for y in curve["y"] if not isnan(y)]
    if plot["log_y"]:
        above = [value for value in values if value > 0]
        return LogNorm(min(above, default=0.1), max(above, default=1.0))
    if plot["y_range"] is not None:
        return Normalize(0, 1)
    return Normalize(min(values, default=0.0), max(values, default=1.0))


def figure_of(plot: Plot, look: Look) -> Figure:
    """The whole figure; call it, and save it, after ``style(look)``."""
    columns = 1 if len(plot["panels"]) == 1 or look["width_mm"] < 120 else 2
    rows = ceil(len(plot["panels"]) / columns)
    width = look["width_mm"]
    height = look["height_mm"] or rows * (0.62 * width / columns + 4) + 10
    if bars := plot.get("rows"):
        height = look["height_mm"] or min(240.0, (0.75 * len(bars) + 3) * look["size_pt"] + 8)
    if heat := plot.get("heat", False):
        lines = sum(
            max(len(panel["curves"]) for panel in plot["panels"][row * columns : (row + 1) * columns])
            for row in range(rows)
        )
        height = look["height_mm"] or min(
            240.0, (0.45 * min(lines, _MOST_ROWS * rows) + 2 * rows + 4) * look["size_pt"]
        )
    figure = Figure(figsize=(width * _MM, height * _MM), layout="constrained")
    shown_plot: Plot = {**plot, "log_y": plot["log_y"] or look["log_y"]}
    grid = figure.subplots(rows, columns, sharex=True, sharey=not heat, squeeze=False)
    for axes, panel in zip(grid.flat, plot["panels"], strict=False):
        draw(axes, shown_plot, panel)
    for axes in list(grid.flat)[len(plot["panels"]) :]:
        axes.set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel(plot["x"])
    for axes in grid[:, 0]:
        axes.set_ylabel("" if heat else plot["y"])
    if heat:
        if look["legend"]:
            scale = figure.colorbar(
                ScalarMappable(_norm(shown_plot), _HEAT), ax=grid, label=plot["y"], fraction=0.05, aspect=30
            )
            assert scale.solids is not None
            # As a picture, it would be a file of its own beside a PGF.
            scale.solids.set(rasterized=False, edgecolor="face")
    elif look["legend"]:
        shown: dict[str, Artist] = {}
        for axes in grid.flat:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                shown.setdefault(label, handle)
        # Where a name has different colours in different panels, each panel has its own legend.
        if len(plot["panels"]) == 1 or all(_names(panel) == _names(plot["panels"][0]) for panel in plot["panels"]):
            across = max(1, int(width / (2.4 * look["size_pt"] / 8 * max(map(len, shown), default=1) + 12)))
            ncols = min(across, len(shown) or 1)
            figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=ncols)
        else:
            for axes in grid.flat:
                axes.legend(loc="best")
    return figure


def _names(panel: Panel) -> list[str]:
    return [curve["label"] for curve in panel["curves"] if not curve["faint"]]


def style(look: Look) -> None:
    """Set matplotlib to this look: black on white, whatever a person has set. Call it within ``rc_context``."""
    matplotlib.rcdefaults()
    # The second family has what the first lacks, such as ✓.
    matplotlib.rc("font", family=[_family(look), "DejaVu Sans"], size=look["size_pt"])
    matplotlib.rc("axes", titlesize="medium", linewidth=0.6)
    matplotlib.rc("axes.spines", top=False, right=False)
    matplotlib.rc("legend", fontsize="small", frameon=False)
    matplotlib.rc("lines", linewidth=1.0)
    matplotlib.rc("pdf", fonttype=42)
    matplotlib.rc("svg", hashsalt="nimdesk")
    matplotlib.rc("savefig", dpi=look["dpi"])


def _family(look: Look) -> str:
    return _FAMILIES.get(look["font"], look["font"])


def save(plot: Plot, look: Look, path: Path, title: str, words: str, made: str) -> None:
    """Write it as PDF, SVG, PNG or PGF, by the ending of the name, with what made it in the file's own fields."""
    kind = path.suffix.lower()
    fields: dict[str, dict[str, str | None]] = {
        ".pdf": {"Title": title, "Subject": words, "Keywords": made, "Creator": "nimdesk", "CreationDate": None},
        ".svg": {"Title": title, "Description": f"{words} {made}", "Creator": "nimdesk", "Date": None},
        ".png": {"Title": title, "Description": words, "Comment": made, "Software": "nimdesk"},
    }
    try:
        font_manager.findfont(_family(look), fallback_to_default=False)
    except ValueError:
        sys.exit(f"There is no font “{look['font']}” on this machine")
    with matplotlib.rc_context():
        style(look)
        if kind in fields:
            figure_of(_spelled(plot, _NO_MATHS), look).savefig(path, metadata=fields[kind])
        else:
            _save_pgf(plot, look, path)
            text = path.read_text(encoding="utf-8")
            # Powers of ten at an axis use this command; matplotlib expects whoever includes the file to define it.
            power = r"\providecommand{\mathdefault}[1]{#1}%"
            path.write_text(f"%% {title}. {words} {made}\n{power}\n{text}", encoding="utf-8")


def _save_pgf(plot: Plot, look: Look, path: Path) -> None:
    """Write it as PGF, in the letters of the article or in the font that is named.

    LaTeX measures the letters. Each LaTeX is tried in turn, because one may lack the packages that it needs.
    """
    from matplotlib.backends.backend_pgf import LatexError  # lazy: for PGF alone

    family = _LATEX_FAMILIES.get(look["font"])
    if family is not None:
        matplotlib.rc("font", family=family)
    matplotlib.rc("pgf", rcfonts=family is None)
    figure = figure_of(_spelled(plot, _LATEX), look)
    programs = [name for name in ("xelatex", "lualatex", "pdflatex") if which(name)]
    for last, name in enumerate(programs, 1 - len(programs)):
        matplotlib.rc("pgf", texsystem=name)
        try:
            figure.savefig(path, format="pgf")
            return
        except (LatexError, RuntimeError):
            if not last:
                raise
    sys.exit("There is no LaTeX on this machine")


def _spelled(plot: Plot, instead: Mapping[str, str]) -> Plot:
    """The plot with the letters of ``instead`` replaced in all its words."""

    def said(words: str) -> str:
        return "".join(instead.get(letter, letter) for letter in words)

    panels: list[Panel] = [
        {
            "title": said(panel["title"]),
            "curves": [{**curve, "label": said(curve["label"])} for curve in panel["curves"]],
        }
        for panel in plot["panels"]
    ]
    shown: Plot = {**plot, "x": said(plot["x"]), "y": said(plot["y"]), "panels": panels}
    if "rows" in plot:
        shown["rows"] = list(map(said, plot["rows"]))
    if "ticks" in plot:
        shown["ticks"] = [(place, said(words)) for place, words in plot["ticks"]]
    return shown


def read_panels(table: Path) -> list[Panel]:
    """The panels of a table with ``COLUMNS``."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    panels: list[Panel] = []
    for title, own in groupby(rows, lambda row: row["panel"]):
        curves = [_curve(list(points)) for _, points in groupby(own, lambda row: (row["curve"], row["faint"]))]
        panels.append({"title": title, "curves": curves})
    return panels


def _curve(points: list[dict[str, str]]) -> Curve:
    numbers = {name: [float(point[name] or nan) for point in points] for name in ("x", "y", "low", "high")}
    bands = not all(map(isnan, numbers["low"]))
    return {
        "label": points[0]["curve"],
        "x": numbers["x"],
        "y": numbers["y"],
        "low": numbers["low"] if bands else [],
        "high": numbers["high"] if bands else [],
        "faint": points[0]["faint"] == "1",
    }


def main(script: str, table: str, plot: Plot, look: Look, title: str, words: str, made: str) -> None:
    """Draw the figure again: ``python FIGURE.py OUT.pdf``."""
    if len(sys.argv) != 2:
        sys.exit(f"Say where to: python {Path(script).name} OUT.pdf")
    plot["panels"] = read_panels(Path(script).with_name(table))
    save(plot, look, Path(sys.argv[1]), title, words, made)
