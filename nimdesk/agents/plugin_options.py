"""The options of plug-ins: what all of them have, and how declarations travel from the process of a plug-in to ours.

The plug-in's own class stays over there. From its fields, nimdesk makes a class of its own with the same names, bounds,
defaults and words, so that forms, flags and saved games treat a plug-in like every other agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nimdesk.agents.fields import ChoiceField, NumberField, OptionField
from nimdesk.search.options import MAX_TIME_S, AgentOptions, SeedOption


class PluginOptions(AgentOptions, frozen=True, kw_only=True):
    """Base of the options of plug-ins. A subclass adds its own, and may give these other defaults."""

    time_s: Annotated[
        float,
        Meta(
            ge=0.01,
            le=MAX_TIME_S,
            title="Seconds",
            description="The longest thinking time for each move; a plug-in that takes longer loses its game.",
            extra={"unit": "s"},
        ),
    ] = 30.0
    memory_mb: Annotated[
        int,
        Meta(
            ge=256,
            le=1_048_576,
            title="Memory",
            description="On Linux the plug-in gets no more than this many megabytes.",
            extra={"advanced": True, "unit": "MB"},
        ),
    ] = 4_096
    seed: SeedOption = None


def field_to_json(field: OptionField) -> dict[str, object]:
    """The declaration as plain values, for ``options_class``."""
    values = msgspec.structs.asdict(field)
    if isinstance(field, NumberField):
        return values | {"kind": field.kind.__name__}
    return values | {"kind": "choice" if isinstance(field, ChoiceField) else "switch"}


def options_class(fields: Iterable[Mapping[str, Any]]) -> type[PluginOptions]:
    """A class with these declarations, each as ``field_to_json`` gives it; those that all plug-ins have come first."""
    declared = [(field["name"], _annotation(field), field["default"]) for field in fields]
    made = msgspec.defstruct(
        "DeclaredOptions", declared, bases=(PluginOptions,), frozen=True, kw_only=True, forbid_unknown_fields=True
    )
    assert issubclass(made, PluginOptions)
    return made


def _annotation(field: Mapping[str, Any]) -> Any:
    extra: dict[str, Any] = {"advanced": field["advanced"], "note": field["note"]}
    words: dict[str, Any] = {"title": field["title"], "description": field["description"], "extra": extra}
    if field["kind"] == "switch":
        return Annotated[bool, Meta(**words)]
    if field["kind"] == "choice":
        labels = dict(field["choices"])
        extra["labels"] = labels
        return Annotated[Literal[tuple(labels)], Meta(**words)]
    extra |= {"unit": field["unit"], "empty": field["empty"]}
    kind: Any = int if field["kind"] == "int" else float
    bounds = {"ge": field["minimum"], "le": field["maximum"]}
    if field["optional"]:
        return Annotated[Annotated[kind, Meta(**bounds)] | None, Meta(**words)]
    return Annotated[kind, Meta(**bounds, **words)]
