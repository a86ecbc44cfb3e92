"""Reads what is said: every sentence is one of nimdesk's own templates, by which it is taken apart again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from nimdesk.games import truth_words
from nimdesk.games.nim import theory_words
from nimdesk.games.take import theory as take_theory

_VALUE, _COUNT, _RESULT = r"(?:win|draw|loss)", r"[\d,]+", r"(?:wins|draws|loses)(?: in \d+)?"
_PLIES, _SIDE = r"\d+ pl(?:y|ies)", r"(?:First|Second|X|O|Red|Yellow|Black|White)"
# A move in notation has no space; as a person says it, it begins with what is done.
_MOVE = r"(?:[^\s;()]*[^\s;(),.]|(?:take|split) [^;()]+?)"
_LISTED = rf"(?:any move|{_MOVE}(?:, (?:or )?{_MOVE})*(?:,? (?:or|and) (?:{_MOVE}|one of \d+ more moves|\d+ others))?)"
PARTS = {
    "value": _VALUE,
    "before": _VALUE,
    "after": _VALUE,
    "result": _RESULT,
    "plies": _PLIES,
    "count": r"[\d,]+(?: moves?)?",
    "move": _MOVE,
    "moves": _LISTED,
    "side": _SIDE,
    "other": rf"(?:{_SIDE}|.+?)",
    "within": rf"(?: in {_PLIES})?",
    "soon": r"(?: in .+?| \(.+?\))?",
    "hedge": rf"(?:{re.escape(truth_words.HEDGE)})?",
    "how": r"(?: more slowly| as well|proven by .+?|\w+ can keep .+?|known from .+?|proven|seen, not proven|\d.+?)?",
    "win": r"wins?",
    "hold": r"holds?",
    "others": r"(?: \(or [\d,]+ other moves?\))?",
    "next": r"(?:, depth \d+ is under way)?",
    "so_far": r"(?: so far)?",
    "share": r"(?: (?:with|\().+?)?",
    "ahead": r"\d+ moves?",
    "end": r"(?:win|lose)",
    "percent": r"[\d.]+%",
    "mean": r"(?:, expected score \d\.\d\d)?",
    "changes": r"(?:; .+?)?",
    "simulations": rf"{_COUNT} simulations?",
    "nodes": rf"{_COUNT} nodes?",
    "positions": rf"{_COUNT} positions?",
    "kind": r"(?:proven|estimated.*?)",
    "what": r"(?:(?:Winning|Drawing) moves?|The start|Move \d+, \S+|remainders|piles|has .+?|holds .+?)",
    "score": r"\d\.\d\d",
    "threats": r"fours(?: and threes)?",
    "parry": r"parr(?:y|ies)",
    "answers": _LISTED,
    "lost": r"\d\.\d\d",
    "left": r"[\d.]+",
    **dict.fromkeys(("all", "fewer", "depth", "modulus", "size", "take", "total", "nim_sum"), _COUNT),
}
"""What can stand in the place of a part, by its name; for all others it is some text."""
PACKAGES = {"pins": "The groups of pins have the nim-sum {total}; a move that leaves 0 wins."}
"""What the example of a package says, which has no templates."""


class UnreadError(Exception):
    """A sentence that no template has: whoever adds one has to say here how it is compared with the truth."""


class Said(NamedTuple):
    """A sentence taken apart: the name of its template, and its parts."""

    name: str
    parts: Mapping[str, str]
    text: str


def pattern(template: str) -> re.Pattern[str]:
    """The regular expression for what a template makes; a part that comes twice is the same each time."""
    pieces, seen = [], set[str]()
    for number, piece in enumerate(re.split(r"\{(\w+)\}", template)):
        if not number % 2:
            pieces.append(re.escape(piece))
        elif piece in seen:
            pieces.append(f"(?P={piece})")
        else:
            seen.add(piece)
            pieces.append(f"(?P<{piece}>{PARTS.get(piece, '.+?')})")
    return re.compile("".join(pieces))


def _any_of(*names: str) -> str:
    """One of these clauses, or none."""
    each = (re.sub(r"\?P<\w+>", "?:", pattern(truth_words.CLAUSES[name]).pattern) for name in names)
    return f"(?:{'|'.join(each)})?"


PARTS |= {
    "slower": _any_of("many slower", "slower"),
    "longest": _any_of("many longest", "longest"),
    "parries": _any_of("only", "parries", "none"),
    "forced": _any_of("by threats"),
}


@cache
def sentences() -> dict[str, re.Pattern[str]]:
    """All sentences that there are."""
    named = {
        **truth_words.TEMPLATES,
        **{f"nim: {name}": template for name, template in theory_words.TEMPLATES.items()},
        **{f"take: {name}": template for name, template in take_theory.TEMPLATES.items()},
        **PACKAGES,
    }
    return {name: pattern(template) for name, template in named.items()}


@cache
def clauses() -> dict[str, re.Pattern[str]]:
    """What sentences are made of."""
    return {name: pattern(template) for name, template in truth_words.CLAUSES.items()}


def read(text: str) -> list[Said]:
    """The sentences of a text; ``UnreadError`` where it is not made of the templates alone."""
    if not text:
        return []
    ends = [match.end() for match in re.finditer(r"\.(?= )", text)] + [len(text)]
    for end in ends:
        for name, each in sentences().items():
            if found := each.fullmatch(text, 0, end):
                try:
                    return [Said(name, found.groupdict(), text[:end]), *read(text[end:].lstrip(" "))]
                except UnreadError:
                    continue
    raise UnreadError(text)


def read_clause(text: str, *names: str) -> Said:
    """The one of these clauses that the text is."""
    for name in names:
        if found := clauses()[name].fullmatch(text):
            return Said(name, found.groupdict(), text)
    raise UnreadError(text)
