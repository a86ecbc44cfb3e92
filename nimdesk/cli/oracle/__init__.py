"""The oracle: questions of other programs answered, as JSON Lines and as an MCP server."""
