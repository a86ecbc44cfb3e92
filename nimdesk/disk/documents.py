"""JSON documents checked against their types, with faults said in words; and how large each kind may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from nimdesk.errors import quoted, shown, suggestion

DocumentT = TypeVar("DocumentT", bound=msgspec.Struct)
# What msgspec calls the kinds of JSON, in words that follow "expected" and "got".
_KINDS = {"int": "whole number", "float": "number", "str": "text", "bool": "true or false", "array": "list"}
_NO_NUMBERS: Mapping[str, str] = MappingProxyType({})

MAX_BYTES: Mapping[str, int] = MappingProxyType(
    {
        "nimdesk-game": 2**27,
        "nimdesk-bundle": 2**27,
        "nimdesk-exercises": 2**24,
        "nimdesk-lesson": 2**22,
        "nimdesk-answers": 2**22,
        "nimdesk-plan": 2**22,
        "nimdesk-study": 2**22,
        "nimdesk-settings": 2**20,
        "nimdesk-engines": 2**20,
    }
)
"""How long a file of each format may be, in bytes."""
# A value takes up to a hundred bytes of memory, a letter up to four: within these, no file takes a gigabyte.
MAX_VALUES = 4_000_000
MAX_TEXT_BYTES = 2**24


class DocumentFaultError(Exception):
    """What is wrong with a document, as a clause without a full stop."""


class NewerDocumentError(DocumentFaultError):
    """Nothing is wrong with it, but it is of a version that this program does not know."""


class _Header(msgspec.Struct, frozen=True):
    """The fields that tell whether, and how, to read the rest."""

    format: msgspec.Raw = msgspec.Raw(b"null")
    version: msgspec.Raw = msgspec.Raw(b"null")


def format_of(data: bytes) -> object:
    """The document's ``format`` field; None if it cannot be read."""
    with suppress(DocumentFaultError):
        return _short(parsed(data, _Header).format)
    return None


def check_size(data: bytes, form: str, what: str) -> None:
    """``DocumentFaultError`` for a document of this format that is too long, or would take too much memory."""
    most = MAX_BYTES[form]
    if len(data) > most:
        raise DocumentFaultError(f"it is larger than {most >> 20:,} MB, which no {what} is")
    if len(data) > MAX_VALUES and sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise DocumentFaultError(f"it holds more than {MAX_VALUES:,} values, which no {what} does")
    for begin in range(0, len(data) - MAX_TEXT_BYTES, MAX_TEXT_BYTES):
        if data.find(b'"', begin, begin + MAX_TEXT_BYTES) < 0:
            raise DocumentFaultError(f"a text in it is longer than {MAX_TEXT_BYTES >> 20} MB, which none may be")


def check_header(data: bytes, form: str, newest: int, what: str) -> None:
    """``DocumentFaultError`` unless this is a document of that format and size, of a version up to ``newest``."""
    check_size(data, form, what)
    if not data.lstrip().startswith(b"{"):
        raise DocumentFaultError(
            f"it is not a {what} of nimdesk: it does not begin as one" if data.strip() else "it is empty"
        )
    header = parsed(data, _Header)
    if _short(header.format) != form:
        raise DocumentFaultError(f"it is not a {what} of nimdesk, whose “format” is “{form}”")
    version = _short(header.version)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DocumentFaultError("its “version” must be a whole number from 1 on")
    if version > newest:
        raise NewerDocumentError(
            f"it was made by a newer nimdesk (its version is {version}, this program reads up to {newest})"
        )


def parsed(data: bytes, kind: type[DocumentT], numbered: Mapping[str, str] = _NO_NUMBERS) -> DocumentT:
    """The document as this type; ``DocumentFaultError`` says where it is wrong, how, and what is allowed.

    ``numbered`` names lists whose entries people count from 1, with the word for an entry: move 3, not plies[2].
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as fault:
        raise DocumentFaultError(_validation_words(str(fault), kind, data, numbered)) from None
    except RecursionError:
        raise DocumentFaultError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise DocumentFaultError("it is not a JSON document (its text is not UTF-8)") from None
    except ValueError as fault:
        raise DocumentFaultError(_malformed_words(clause(fault), data)) from None


def schema_of(kind: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a document, the same with every version of Python."""
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        # Before 3.13, Python keeps docstrings with their indentation.
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | schema


def clause(error: object) -> str:
    """The text of an error as part of a sentence: without full stop or capital, in printable letters only."""
    sentences = re.split(r"\. (?=[A-Z“])", shown(error).rstrip("."))
    return "; ".join(text[:1].lower() + text[1:] if text[1:2].islower() else text for text in sentences)


def sentence(words: str) -> str:
    """The words with a full stop, unless they end in a question."""
    return words if words.endswith("?") else f"{words}."


def _short(value: msgspec.Raw) -> object:
    """The value if it is a short one, as a format or a version is; otherwise None."""
    with suppress(ValueError):
        return msgspec.json.decode(value) if len(bytes(value)) <= 100 else None
    return None


def _malformed_words(text: str, data: bytes) -> str:
    """msgspec's "JSON is malformed: invalid character (byte 17)" as a clause for people."""
    if "truncated" in text:
        return "its end is missing"
    match = re.fullmatch(r"JSON is malformed: (.*) \(byte ([0-9]+)\)", text)
    if match is None:
        return f"it is not a JSON document ({text})"
    line = data.count(b"\n", 0, int(match[2])) + 1
    return f"it is damaged, or no JSON document, from byte {int(match[2]) + 1:,} on, in line {line:,} ({match[1]})"


def _validation_words(text: str, kind: type[msgspec.Struct], data: bytes, numbered: Mapping[str, str]) -> str:
    """msgspec's ``Expected `int` >= 1 - at `$.matches[0].games``` as a clause for people."""
    match = re.fullmatch(r"(.*) - at (`?key`? in )?`\$\.?(.*)`", shown(text))
    what, path = (match[1], match[3]) if match else (shown(text), "")
    if match and match[2]:
        return f"a name in “{path}” is empty, too long, or has a space in front or a control character"
    where = _place(_with_key(path, kind, data), numbered)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        return _unknown_field(unknown[1], where, _struct_within(_type_at(path, kind)))
    if what.startswith("Invalid enum value"):
        what += f"; allowed are {', '.join(_words_of(_type_at(path, kind))).replace(', null', ' or null')}"
    if " matching regex " in what:
        what = f"Expected {_described(_type_at(path, kind, extras=True))}"
    what = re.sub(r"Object missing required field `(\w+)`", r"the field “\1” is missing", what)
    words = clause(re.sub(r"`(\w+)`", lambda word: _KINDS.get(word[1], word[1]), what).replace("`", ""))
    return f"{where}: {words}" if where else words


def _place(path: str, numbered: Mapping[str, str]) -> str:
    """The place in words, such as “in move 3, in “search.seed””; "" for the whole document."""
    places = []
    while (entry := re.match(r"(\w+)\[(\d+)\]\.?", path)) is not None and entry[1] in numbered:
        places.append(f"{numbered[entry[1]]} {int(entry[2]) + 1}")
        path = path[entry.end() :]
    if path := path.replace("[...]", ""):
        places.append(f"in “{path}”" if places else f"“{path}”")
    return f"in {', '.join(places)}" if places else ""


def _unknown_field(name: str, where: str, kind: Any) -> str:
    hint = clause(suggestion(name, kind.__struct_fields__))
    return f"there is no field {quoted(name)}{' ' * bool(where)}{where}; {hint}"


def _with_key(path: str, kind: type[msgspec.Struct], data: bytes) -> str:
    """The path with the name of the bad entry in place of msgspec's "[...]"."""
    field, dots, rest = path.partition("[...]")
    if not dots or field not in kind.__struct_fields__:
        return path
    inner = get_args(_type_at(field, kind))[-1]
    entries = msgspec.json.decode(data, type=dict[str, msgspec.Raw])[field]
    for key, value in msgspec.json.decode(entries, type=dict[str, msgspec.Raw]).items():
        try:
            msgspec.json.decode(value, type=inner)
        except ValueError:
            return f"{field}[{quoted(key)[1:-1]}]{rest}"
    return path


def _type_at(path: str, kind: type[msgspec.Struct], *, extras: bool = False) -> Any:
    """The type of the field at this path, perhaps with its ``Meta``; ``kind`` itself for an empty path."""
    here: Any = kind
    for step in re.findall(r"\w+(?![^\[]*\])", path):
        here = get_type_hints(_struct_within(here) or here, include_extras=extras)[step]
    return here


def _described(kind: Any) -> str:
    """What the ``Meta`` of a text's type says, or that of the texts within it."""
    found = (getattr(part, "description", None) or _described(part) for part in get_args(kind))
    return next((words for words in found if words), "")


def _struct_within(kind: Any) -> Any:
    if hasattr(kind, "__struct_fields__"):
        return kind
    found = [_struct_within(inner) for inner in get_args(kind)]
    return next((each for each in found if each is not None), None)


def _words_of(kind: Any) -> list[str]:
    """The words that a type such as ``Literal["a", "b"] | None`` allows."""
    if kind is type(None):
        return ["null"]
    return [word for part in get_args(kind) for word in _words_of(part)] or [str(kind)]
