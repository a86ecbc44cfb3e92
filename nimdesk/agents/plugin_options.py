"""The options of plug-ins: what all have in common, and how a plug-in's process tells its own.

The class of a plug-in's options stays in the plug-in's process. From its fields, which travel as JSON, nimdesk makes a
class with the same names, bounds, defaults and words, so that forms, flags and saved games treat all agents alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, inspect

from nimdesk.agents.fields import NumberField, OptionField, OptionsT, SwitchField, option_fields
from nimdesk.errors import OptionError, quoted
from nimdesk.faults import fault_words
from nimdesk.plugins.protocol import Greeting, OptionPart
from nimdesk.search.options import (
    MAX_ITERATIONS,
    MAX_SEED,
    AgentOptions,
    IterationsOption,
    Seconds,
    SeedOption,
    TimeOption,
)

_PluginMemory = Annotated[
    int,
    Meta(
        ge=256,
        le=1_048_576,
        title="Memory",
        description="How many megabytes it may take. On Linux it gets no more, and a program of Gomocup 4,096 at most.",
        extra={"advanced": True, "unit": "MB"},
    ),
]


class PluginOptions(AgentOptions, frozen=True, kw_only=True):
    """Base of the options of plug-ins. A subclass adds its own, and may override these defaults."""

    time_s: Annotated[
        Seconds,
        Meta(
            title="Seconds",
            description="The longest thinking time for each move; a plug-in that takes longer loses its game.",
            extra={"unit": "s"},
        ),
    ] = 30.0
    memory_mb: _PluginMemory = 4_096
    seed: SeedOption = None


class SearchOptions(AgentOptions, frozen=True, kw_only=True):
    """Base of the options of searches of others. A subclass adds its own; what ends a search is added to them."""

    memory_mb: _PluginMemory = 4_096
    seed: SeedOption = None


class CountingOptions(SearchOptions, frozen=True, kw_only=True):
    """Options of a search that counts its iterations."""

    iterations: IterationsOption = 10_000
    time_s: TimeOption = None

    def __post_init__(self) -> None:
        """Check what the bounds of single fields cannot say."""
        if self.iterations is None and self.time_s is None:
            raise ValueError("give a number of iterations, or seconds, or both")


class NodesOptions(SearchOptions, frozen=True, kw_only=True):
    """Options of a search that counts its nodes."""

    nodes: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)] | None,
        Meta(
            title="Nodes",
            description="How many nodes it searches for a move. Empty: no such limit.",
            extra={"empty": "no limit"},
        ),
    ] = 100_000
    time_s: TimeOption = None


class TimedOptions(SearchOptions, frozen=True, kw_only=True):
    """Options of a search that can only be told its time."""

    time_s: Annotated[
        Seconds, Meta(title="Seconds", description="Thinking time for each move.", extra={"unit": "s"})
    ] = 2.0


BUDGETS: dict[str | None, type[SearchOptions]] = {
    "iterations": CountingOptions,
    "nodes": NodesOptions,
    None: TimedOptions,
}
"""What ends a search, by what it counts."""


MOST_OPTIONS = 64
TAKEN = frozenset(
    {
        *("agent", "as_json", "board", "budget", "bundle", "csv", "help", "json", "limit", "listing", "position"),
        "words",
        *("figure", "figure_look", "figure_nodes", "figure_of", "figure_seeds"),
    }
)
"""No option of a plug-in has one of these names: commands that take the options of all agents use them themselves."""
_NAME = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"
_MOST_LETTERS = {"name": 40, "title": 60, "description": 500, "note": 200, "empty": 60, "unit": 20}
_MOST_CHOICES = 50

_DECLARATION = "a default and Annotated[…, Meta(title=…, description=…)], numbers with ge= and le=, choices with labels"


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a plug-in's process tells of its agent, as it comes."""

    title: str
    about: str
    options: tuple[OptionPart, ...]
    search: Greeting | None = None
    """As it greets, if it is a search."""


def option_part(field: OptionField) -> OptionPart:
    """The declaration as plain values, for ``options_class``; ``msgspec.ValidationError`` if they are none."""
    values = msgspec.structs.asdict(field)
    kind = field.kind.__name__ if isinstance(field, NumberField) else "choice"
    return msgspec.convert(values | {"kind": "switch" if isinstance(field, SwitchField) else kind}, OptionPart)


def declared(
    options_type: Any, base: type[AgentOptions] = PluginOptions, made: type[AgentOptions] = PluginOptions
) -> tuple[OptionPart, ...]:
    """The options of this class, a subclass of ``base``; nimdesk will make a subclass of ``made`` from them.

    ``OptionError``, a clause that follows the plug-in's name, if nimdesk refuses them.
    """
    if not isinstance(options_type, type) or not issubclass(options_type, base):
        raise OptionError(f"has an options_type that is no subclass of nimdesk.agents.{base.__name__}")
    try:
        inspect.type_info(options_type)
    except Exception as error:  # from Python 3.14 on, annotations are worked out when they are asked for
        raise OptionError(f"declares options that cannot be used: {fault_words(error)}") from None
    try:
        parts = tuple(option_part(field) for field in option_fields(options_type))
    except Exception:
        raise OptionError(f"has an option without {_DECLARATION}") from None
    options_class(parts, made)
    try:
        options_type()
    except Exception as error:
        raise OptionError(f"has options that refuse their own defaults: {fault_words(error)}") from None
    return parts


def options_class(
    parts: Sequence[OptionPart],
    base: type[OptionsT] = PluginOptions,  # type: ignore[assignment]
) -> type[OptionsT]:
    """A class with these declarations; those of its ``base``, common to all plug-ins of a kind, come first.

    ``OptionError``, a clause that follows the plug-in's name, unless they are all that forms, flags and files rely on.
    """
    if len(parts) > MOST_OPTIONS:
        raise OptionError(f"declares {len(parts):,} options, and {MOST_OPTIONS} are the most")
    for part in parts:
        if why := _problem(part):
            raise OptionError(f"has an option {quoted(part.name)} {why}")
    try:
        declared = [(part.name, _annotation(part), part.default) for part in parts]
        made = msgspec.defstruct(
            "DeclaredOptions", declared, bases=(base,), frozen=True, kw_only=True, forbid_unknown_fields=True
        )
        assert issubclass(made, base)
        fields = {field.name: field for field in option_fields(made)}
    except (TypeError, ValueError) as error:
        raise OptionError(f"declares options that cannot be used: {error}") from None
    commons = {field.name: field for field in option_fields(base)}
    for name, field in fields.items():
        try:
            field.check(field.default)
        except OptionError as error:
            raise OptionError(f"has an option whose default is out of bounds: {error}") from None
        common = commons.get(name)
        if common is not None and not _narrows(field, common):
            raise OptionError(f"has an option {quoted(name)} that leaves the bounds it has in all plug-ins")
    return made


def _problem(part: OptionPart) -> str:
    """What is wrong with the declaration, as the end of a sentence; "" as a rule."""
    if not re.fullmatch(_NAME, part.name):
        return "whose name is not made of small letters from a to z and digits, with single underscores between"
    if part.name in TAKEN:
        return "whose name nimdesk needs itself"
    for name, most in _MOST_LETTERS.items():
        text = getattr(part, name)
        if len(text) > most or not text.isprintable():
            return f"whose {name} must be a line of at most {most} letters"
    if not part.title.strip():
        return "without a title"
    if part.kind == "choice":
        words = [word for word, _label in part.choices]
        good = 0 < len(words) <= _MOST_CHOICES and len(set(words)) == len(words)
        short = all(0 < len(text) <= 60 and text.isprintable() for choice in part.choices for text in choice)
        return "" if good and short else f"whose choices must be 1 to {_MOST_CHOICES} different words with short labels"
    if part.kind != "switch" and not -MAX_SEED <= part.minimum <= part.maximum <= MAX_SEED:
        return "whose bounds must be two numbers of at most 19 digits, the smaller one first"
    return ""


def _narrows(field: OptionField, common: OptionField) -> bool:
    assert isinstance(common, NumberField)
    return (
        isinstance(field, NumberField)
        and (field.kind, field.optional) == (common.kind, common.optional)
        and common.minimum <= field.minimum <= field.maximum <= common.maximum
    )


def _annotation(part: OptionPart) -> Any:
    extra: dict[str, Any] = {"advanced": part.advanced, "note": part.note}
    words: dict[str, Any] = {"title": part.title, "description": part.description, "extra": extra}
    if part.kind == "switch":
        return Annotated[bool, Meta(**words)]
    if part.kind == "choice":
        labels = dict(part.choices)
        extra["labels"] = labels
        return Annotated[Literal[tuple(labels)], Meta(**words)]
    extra |= {"unit": part.unit, "empty": part.empty}
    kind: Any = int if part.kind == "int" else float
    bounds: dict[str, Any] = {"ge": part.minimum, "le": part.maximum}
    if part.optional:
        return Annotated[Annotated[kind, Meta(**bounds)] | None, Meta(**words)]
    return Annotated[kind, Meta(**bounds, **words)]
