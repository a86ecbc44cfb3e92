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
PARTS = {
    "value": _VALUE, "before": _VALUE, "after": _VALUE, "result": _RESULT, "plies": r"\d+ pl(?:y|ies)",
    "count": r"[\d,]+(?: moves?)?", "all": _COUNT, "fewer": _COUNT, "move": r"[^;()]+?", "moves": r"[^;()]+?",
    "depth": _COUNT, "modulus": _COUNT, "size": _COUNT, "take": _COUNT, "total": _COUNT, "nim_sum": _COUNT,
    "within": r"(?: in \d+ pl(?:y|ies))?", "hedge": rf"(?:{re.escape(truth_words.HEDGE)})?",
    "slower": r"(?:; .+?)?", "longest": r"(?:; .+?)?", "others": r"(?: \(or [\d,]+ other moves?\))?",
    "side": r"(?:First|Second|X|O|Red|Yellow|Black|White)", "other": r"[^;]+?", "soon": r"(?: in .+?| \(.+?\))?",
    "next": r"(?:, depth \d+ is under way)?", "so_far": r"(?: so far)?", "mean": r"(?:, expected score \d\.\d\d)?",
    "share": r"(?: (?:with|\().+?)?", "changes": r"(?:; .+?)?", "how": r".*?", "until": r".*?",
    "simulations": rf"{_COUNT} simulations?", "nodes": rf"{_COUNT} nodes?", "kind": r"(?:proven|estimated.*?)",
    "what": r"(?:(?:Winning|Drawing) moves?|The start|Move \d+, \S+|remainders|piles|has .+?|holds .+?)",
    "percent": r"[\d.]+%",
    "win": r"(?:wins?|lose)", "hold": r"holds?", "score": r"\d\.\d\d", "lost": r"\d\.\d\d", "left": r"[\d.]+",
}  # fmt: skip
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
