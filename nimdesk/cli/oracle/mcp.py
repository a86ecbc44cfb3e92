"""The oracle as a server of the Model Context Protocol on standard input and output: a tool for each question."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.json import schema_components

from nimdesk.cli.oracle.lines import Failure, answer
from nimdesk.cli.oracle.questions import METHODS, Oracle
from nimdesk.errors import NimdeskError, lacking
from nimdesk.version import __version__

_ABOUT = (
    "Exact answers about Nim, take-away games, Connect Four and other m,n,k games. A value is proven, or it is "
    "“unknown”; only the tool analyse estimates."
)
TOOLS = [name for name in METHODS if name != "hello"]
"""What is asked by a tool; the protocol has its own greeting."""


def run() -> None:
    """Answer until the input ends; ``NimdeskError`` without the library ``mcp``."""
    try:  # lazy: it is an extra
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError:
        raise NimdeskError(lacking("A server of the Model Context Protocol needs", "mcp", "mcp")) from None
    server = new_server(Oracle())

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def new_server(oracle: Oracle) -> Any:
    """A server of the library ``mcp``, not yet connected."""
    import anyio.to_thread
    import mcp_types as types
    from mcp.server import Server

    one_at_a_time = anyio.CapacityLimiter(1)

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        tools = [
            types.Tool(name=name, description=METHODS[name].about, input_schema=_schema(METHODS[name].asked))
            for name in TOOLS
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        line = msgspec.json.encode({"method": params.name, "params": params.arguments or {}})
        found = await anyio.to_thread.run_sync(answer, line, oracle, limiter=one_at_a_time)
        failed = isinstance(found, Failure)
        text = found.error.message if isinstance(found, Failure) else msgspec.json.encode(found.result).decode()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=None if isinstance(found, Failure) else msgspec.to_builtins(found.result),
            is_error=failed,
        )

    return Server("nimdesk", version=__version__, instructions=_ABOUT, on_list_tools=list_tools, on_call_tool=call_tool)


def _schema(kind: type[Any]) -> dict[str, Any]:
    """The schema of a type by itself; those of the parameters refer to no others."""
    _, parts = schema_components([kind])
    return dict(parts[kind.__name__])
