"""The settings that people choose, as plain values from which a dialog can be derived."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from nimdesk.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting: its name in code, title and description for people, default, and what it may be.

    A choice has ``choices``, (value, label) in order; a number has ``minimum``, ``maximum`` and perhaps a ``unit``;
    a switch has neither.
    """

    name: str
    title: str
    description: str
    default: str | bool | int | float
    choices: tuple[tuple[str, str], ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    unit: str = ""


@cache
def setting_titles() -> dict[str, str]:
    """The title of every setting by its name, also of those that nobody types in."""
    return {field.encode_name: (_meta(field).extra_json_schema or {})["title"] for field in _fields()}


@cache
def setting_fields() -> tuple[SettingField, ...]:
    """The choices, switches and numbers, in the order of their declaration."""
    found = (_setting_field(field) for field in _fields())
    return tuple(field for field in found if field is not None)


def _fields() -> tuple[inspect.Field, ...]:
    info = inspect.type_info(Settings)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _meta(field: inspect.Field) -> inspect.Metadata:
    assert isinstance(field.type, inspect.Metadata)
    return field.type


def _setting_field(field: inspect.Field) -> SettingField | None:
    meta = _meta(field)
    schema, extra = meta.extra_json_schema or {}, meta.extra or {}
    bounds: dict[str, Any] = {}
    kind = meta.type
    if isinstance(kind, inspect.LiteralType):
        bounds["choices"] = tuple(extra["labels"].items())
    elif isinstance(kind, inspect.IntType | inspect.FloatType):
        bounds |= {"minimum": kind.ge, "maximum": kind.le, "unit": extra.get("unit", "")}
    elif not isinstance(kind, inspect.BoolType):
        return None
    assert field.default is not msgspec.NODEFAULT
    return SettingField(field.name, schema["title"], schema["description"], field.default, **bounds)
