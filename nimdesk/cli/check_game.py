"""The command ``check-game``: a game of a package is tried as nimdesk tries it, for the author to read."""

from __future__ import annotations

import click

from nimdesk.errors import OptionError, quoted, shown
from nimdesk.games.kit import KITS
from nimdesk.plugins.games import installed
from nimdesk.plugins.trial import find

_TRIED = {
    "rules": ("Rules", "notation, legal moves, what they lead to, ends; five games at random"),
    "parts": ("Parts", "what those return that answer at once"),
    "solver": ("Solver", "its truth after a moment"),
    "kernel": ("Compiled rules", "compared with the rules in games at random, every index checked"),
}


@click.command("check-game")
@click.argument("game", metavar="NAME")
def check_game(game: str) -> int:
    """Try a game that a package brings, and say what is wrong with it.

    NAME is its entry point in the group nimdesk.games, such as kayles. It is tried on its presets; after a colon, as in
    kayles:3,4, on that game. Each line is tried in a process of its own. The exit code is 2 if something is wrong.
    """
    name, _, parameters = game.partition(":")
    entry = installed().get(name)
    if entry is None and name not in KITS:
        raise OptionError(f"No installed package brings a game {quoted(name)} in the group nimdesk.games.")
    reference = entry.reference if entry is not None else ""
    wrong = False
    for what, (title, about) in _TRIED.items():
        found = find(what, name, reference, game if parameters else "")
        if what == "rules" and not found.fault and not found.tried:
            raise OptionError(f"The game {quoted(name)} has no presets; name one, as in {name}:3,4.")
        if found.fault:
            print(f"wrong   {title}: {shown(found.fault)}")
        else:
            print(f"sound   {title}: {about}" if found.tried else f"none    {title}")
        wrong = wrong or bool(found.fault)
        if found.fault.startswith("cannot be loaded"):
            break
    return 2 if wrong else 0
