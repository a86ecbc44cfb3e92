"""What was typed in the last version, and is understood in this one, with a word."""

from __future__ import annotations

from collections.abc import Sequence

from nimdesk.cli.options import say

_CHANGED: dict[tuple[str, ...], dict[str, str]] = {
    ("analyse",): {"--trace": "--csv"},
    ("analyze",): {"--trace": "--csv"},
    ("atlas", "convergence"): {"--game": "--position"},
    ("lab",): {"--bundle": ""},
    ("review",): {"--iterations": "--budget"},
}
"""The flags of a command that have another name now; "" where what follows is an argument."""


def as_now(arguments: Sequence[str]) -> list[str]:
    """The command line as it is written now."""
    changed = next((new for words, new in _CHANGED.items() if tuple(arguments[: len(words)]) == words), {})
    found: list[str] = []
    for place, word in enumerate(arguments):
        if word == "--":
            return [*found, *arguments[place:]]
        flag, equals, value = word.partition("=")
        if flag not in changed:
            found.append(word)
            continue
        new = changed[flag]
        say(f"nimdesk: {flag} is {new or 'left out'} now; the next version will not know the old form any more.")
        found += [f"{new}={value}" if equals and new else new or value] if equals or new else []
    return found
