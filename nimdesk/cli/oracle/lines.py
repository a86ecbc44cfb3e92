"""The oracle on standard input and output: one request a line as JSON, one answer a line, in the same order.

    {"id": 1, "method": "judge", "params": {"position": "nim:3,4,5", "move": "1-1"}}
    {"id": 1, "result": {...}}  or  {"id": 1, "error": {"kind": "params", "message": "One sentence."}}

Whatever a line holds, it gets one answer, and the next line is read. The end of the input is the end of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec.json import schema_components as components
from msgspec.structs import fields

from nimdesk.cli.oracle.questions import METHODS, PROTOCOL, Oracle
from nimdesk.disk.documents import DocumentFaultError, parsed, sentence
from nimdesk.errors import NimdeskError, quoted, suggestion
from nimdesk.faults import fault_words
from nimdesk.plugins.games import blamed

MOST_BYTES = 1 << 20
"""A longer line is no request."""

Identity = int | str | None


def _no_params() -> msgspec.Raw:
    return msgspec.Raw(b"{}")


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the input. ``id`` comes back with the answer; ``params`` are those of the method."""

    id: Identity = None
    method: str
    params: msgspec.Raw = msgspec.field(default_factory=_no_params)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no result, as one sentence.

    ``kind`` is "request" for a line that is no request, "method" for a method that there is not, "params" for
    parameters that cannot be answered, "fault" where nimdesk or a game of another package failed.
    """

    kind: Literal["request", "method", "params", "fault"]
    message: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """An answer; ``result`` is that of the method."""

    id: Identity
    result: Any


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in place of a result."""

    id: Identity
    error: Problem


class _Named(msgspec.Struct, frozen=True):
    id: Identity = None


def answer_all(requests: BinaryIO, write: Callable[[bytes], object], oracle: Oracle) -> None:
    """Answer each line until the input ends; ``write`` is called once for each answer, with the end of its line."""
    for line in _lines(requests):
        write(msgspec.json.encode(answer(line, oracle)) + b"\n")


def answer(line: bytes | None, oracle: Oracle) -> Result | Failure:
    """The answer to one line; None stands for one that is too long."""
    if line is None:
        return _failure(None, "request", f"The line is longer than {MOST_BYTES:,} bytes, which no request is.")
    try:
        request = parsed(line, Request)
    except DocumentFaultError as fault:
        return _failure(_identity(line), "request", sentence(f"The line is no request: {fault}"))
    method = METHODS.get(request.method)
    if method is None:
        hint = suggestion(request.method, METHODS)
        return _failure(request.id, "method", f"There is no method {quoted(request.method)}; {hint}")
    try:
        asked = parsed(bytes(request.params), method.asked)
        return Result(id=request.id, result=method.call(oracle, asked))
    except DocumentFaultError as fault:
        return _failure(request.id, "params", sentence(f"The params of {request.method} cannot be used: {fault}"))
    except NimdeskError as error:
        return _failure(request.id, "params", str(error))
    except MemoryError:
        return _failure(request.id, "fault", "The memory of this machine does not suffice; ask for less.")
    except Exception as error:
        told = blamed(error) or f"nimdesk failed: {fault_words(error)}."
        return _failure(request.id, "fault", told)


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a request; ``answers`` has the schema of each method's result."""
    types = [method.asked for method in METHODS.values()] + [method.answer for method in METHODS.values()]
    found, parts = components([*types, Failure], ref_template="#/$defs/{name}")
    asked, answers = found[: len(METHODS)], found[len(METHODS) : -1]
    requests = [
        {
            "description": method.about,
            "properties": {"id": {"type": ["integer", "string", "null"]}, "method": {"const": name}, "params": params},
            "required": ["method", "params"] if any(field.required for field in fields(method.asked)) else ["method"],
            "additionalProperties": False,
        }
        for (name, method), params in zip(METHODS.items(), asked, strict=True)
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A request to nimdesk serve, protocol {PROTOCOL}",
        "type": "object",
        "oneOf": requests,
        "answers": dict(zip(METHODS, answers, strict=True)) | {"error": found[-1]},
        "$defs": parts,
    }


def _failure(identity: Identity, kind: Literal["request", "method", "params", "fault"], message: str) -> Failure:
    return Failure(id=identity, error=Problem(kind=kind, message=message))


def _identity(line: bytes) -> Identity:
    """The id of a line that is no request otherwise, so that who asked finds the answer."""
    with suppress(DocumentFaultError):
        return parsed(line, _Named).id
    return None


def _lines(requests: BinaryIO) -> Iterator[bytes | None]:
    """The lines that are not empty; None for one that is too long."""
    while line := requests.readline(MOST_BYTES + 1):
        if len(line) > MOST_BYTES and not line.endswith(b"\n"):
            while (rest := requests.readline(MOST_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield None
        elif line.strip():
            yield line
