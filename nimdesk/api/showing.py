"""What all answers of the library have in common: a sentence, a form for notebooks, a table, a figure."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from nimdesk.errors import NimdeskError, OptionError, lacking
from nimdesk.experiments.sections import Section
from nimdesk.figures.content import Content

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

_MOST_ROWS = 12


class Answer:
    """Base of what the functions return: ``finding`` says it in a sentence, which a prompt and a notebook show."""

    __slots__ = ()

    @property
    def finding(self) -> str:
        """What was found, for a person."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """What ``finding`` was called in earlier versions."""
        warnings.warn("“sentence” is called “finding” now, as in JSON", DeprecationWarning, stacklevel=2)
        return self.finding

    def __repr__(self) -> str:
        """What was found."""
        return f"<{self.finding}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.finding)}</p>{self._html}"

    @property
    def _html(self) -> str:
        """What a notebook shows below the sentence."""
        return ""


def html_table(headers: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for a notebook: its first rows, and how many more there are. Names in it are text, and never run."""
    listed = list(rows)
    lines = [f"<tr>{''.join(f'<th>{escape(each)}</th>' for each in headers)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in listed[:_MOST_ROWS]]
    more = f"<p>and {len(listed) - _MOST_ROWS:,} more</p>" if len(listed) > _MOST_ROWS else ""
    return f"<table>{''.join(lines)}</table>{more}"


def html_section(section: Section) -> str:
    """A table in words for a notebook, under its title."""
    note = f"<p>{escape(section.note)}</p>" if section.note else ""
    return f"<p><b>{escape(section.title)}</b></p>{html_table(section.headers, section.rows)}{note}"


def frame(rows: Sequence[Any], columns: Sequence[str] | None = None) -> DataFrame:
    """A table of pandas; ``NimdeskError`` where that is missing."""
    table: DataFrame = library("pandas").DataFrame(rows, columns=columns)
    return table


def drawn(make: Callable[[], Content], axes: Axes | None) -> Axes:
    """The figure as the command line and the window draw it, all panels in one: in these axes, or in new ones."""
    pyplot = library("matplotlib.pyplot")
    from matplotlib.axes import Axes as AnyAxes  # lazy: it loads matplotlib

    from nimdesk.figures.drawing import draw

    if axes is not None and not isinstance(axes, AnyAxes):
        raise OptionError("The argument axes is none of matplotlib; leave it out for a new figure.")
    content = make()
    plot = content.plot
    several, curves = len(plot["panels"]) > 1, []
    for panel in plot["panels"]:
        for curve in panel["curves"]:
            named = curve.copy()
            named["label"] += f" on {panel['title']}" if several else ""
            curves.append(named)
    shown: Axes = pyplot.subplots()[1] if axes is None else axes
    draw(shown, plot, {"title": "", "curves": curves})
    shown.set(xlabel=plot["x"], ylabel=plot["y"])
    shown.legend()
    return shown


def library(name: str) -> Any:
    """A library that only notebooks need; ``NimdeskError`` with one sentence if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NimdeskError(lacking("This needs", name.partition(".")[0], "notebook")) from None
