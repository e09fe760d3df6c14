"""MCP over HTTP: `/mcp/{app}` for clients that bring their own model. It needs the extra `mcp`, which only its modules import."""
