"""JSON documents checked against their types, and what is wrong with one in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from inspect import cleandoc
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from nimdesk.errors import NimdeskError

DocumentT = TypeVar("DocumentT", bound=msgspec.Struct)
# What msgspec calls the kinds of JSON, in words that follow "expected" and "got".
_KINDS = {"int": "whole number", "float": "number", "str": "text", "bool": "true or false", "array": "list"}


class _Header(msgspec.Struct, frozen=True):
    """What tells whether, and how, to read the rest."""

    format: Any = None
    version: Any = None


def format_of(data: bytes) -> object:
    """What a document says it is; None where it says nothing that can be read."""
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(data, type=_Header).format
    return None


def decoded(
    data: bytes, kind: type[DocumentT], form: str, version: int, error: Callable[[str], NimdeskError]
) -> DocumentT:
    """The document, or ``error`` of a clause that says where it is wrong, how, and what is allowed.

    ``form`` and ``version`` are what its fields "format" and "version" must say; a newer version is refused by name.
    """
    try:
        header = msgspec.json.decode(data, type=_Header)
        if header.format != form:
            raise error(f"its “format” must be “{form}”")
        if isinstance(header.version, int) and not isinstance(header.version, bool) and header.version > version:
            raise error(
                f"it was made for a newer nimdesk (its version is {header.version}, this program reads up to {version})"
            )
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as fault:
        raise error(_validation_words(str(fault), kind, data)) from None
    except (ValueError, RecursionError) as fault:  # malformed JSON, text that is not UTF-8, or nested too deeply
        why = str(fault).removeprefix("JSON is malformed: ")
        raise error(f"it is not a JSON document ({why})") from None


def schema_of(kind: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a document, the same with every version of Python."""
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        # Docstrings, which Python before 3.13 keeps with the spaces of the source.
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | schema


def clause(error: object) -> str:
    """The text of an error as part of a sentence: no full stop at the end, no capital at the beginning."""
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def sentence(words: str) -> str:
    """The words with a full stop, unless they end in a question."""
    return words if words.endswith("?") else f"{words}."


def _validation_words(text: str, kind: type[msgspec.Struct], data: bytes) -> str:
    """msgspec's ``Expected `int` >= 1 - at `$.matches[0].games``` as a clause for people."""
    match = re.fullmatch(r"(.*) - at (`?key`? in )?`\$\.?(.*)`", text, re.DOTALL)
    what, path = (match[1], match[3]) if match else (text, "")
    if match and match[2]:
        return f"a name in “{path}” is empty or too long"
    path = _with_key(path, kind, data)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        return _unknown_field(unknown[1], path, kind)
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        return f"the field “{f'{path}.' if path else ''}{missing[1]}” is missing"
    if what.startswith("Invalid enum value"):
        what += f"; allowed are {', '.join(map(str, get_args(_type_at(path, kind))))}"
    words = re.sub(r"`(\w+)`", lambda word: _KINDS.get(word[1], word[1]), what).replace("`", "")
    return f"in “{path}”: {clause(words)}" if path else clause(words)


def _unknown_field(name: str, path: str, kind: type[msgspec.Struct]) -> str:
    from difflib import get_close_matches  # lazy: only a mistake needs it

    known = list(_struct_within(_type_at(path, kind)).__struct_fields__)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean “{near[0]}”?" if near else f"there are: {', '.join(known)}"
    where = f" in “{path}”" if path else ""
    return f"there is no field “{name[:60]}”{where}; {hint}"


def _with_key(path: str, kind: type[msgspec.Struct], data: bytes) -> str:
    """The path with the name of the bad entry of an object in place of msgspec's "[...]"."""
    field, dots, rest = path.partition("[...]")
    if not dots or field not in kind.__struct_fields__:
        return path
    inner = get_args(_type_at(field, kind))[-1]
    for key, value in msgspec.json.decode(data)[field].items():
        try:
            msgspec.convert(value, inner)
        except msgspec.ValidationError:
            return f"{field}[{key[:80]}]{rest}"
    return path


def _type_at(path: str, kind: type[msgspec.Struct]) -> Any:
    """The type of the field at this path, found by walking down; ``kind`` itself for no path."""
    here: Any = kind
    for step in re.findall(r"\w+(?![^\[]*\])", path):
        here = get_type_hints(_struct_within(here) or here)[step]
    return here


def _struct_within(kind: Any) -> Any:
    if hasattr(kind, "__struct_fields__"):
        return kind
    found = [_struct_within(inner) for inner in get_args(kind)]
    return next((each for each in found if each is not None), None)
