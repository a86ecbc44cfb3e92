"""Settings files of older versions: a table from each version to the function that makes the next one of it."""

from collections.abc import Callable, Mapping

Values = dict[str, object]
Migration = Callable[[Values], Values]

# MIGRATIONS[n] turns the values of version n into those of n + 1; version 1 is the first there was.
MIGRATIONS: Mapping[int, Migration] = {}


def migrate(values: Values, version: int, target: int, table: Mapping[int, Migration] = MIGRATIONS) -> Values:
    """The values as version ``target`` has them; a newer version is left as it is.

    A migration sees values of any kind, since they are checked only afterwards: it must leave alone what it does not
    understand. ``KeyError`` for a version that nothing leads on from.
    """
    for number in range(version, target):
        values = table[number](dict(values))
    return values
