"""What the official conformance suite expects a server to have, of our own tools: those that fit what we serve."""

from handrail import Agent, ToolError, tool
from handrail.guards import Approval


@tool(effect="read")
async def test_simple_text() -> str:
    """Return a text."""
    return "This is a simple text response for testing."


@tool(effect="read")
async def test_error_handling() -> str:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool(effect="read")
async def test_tool_with_progress() -> str:
    """Return a text; the progress is the surface's own."""
    return "done"


@tool(effect="read")
async def test_logging_tool() -> str:
    """Return a text; nothing is logged to clients."""
    return "done"


@tool(effect="write")
async def test_streaming_elicitation() -> str:
    """Ask a person first."""
    return "done"


@tool(effect="write")
async def test_input_required_result_elicitation() -> str:
    """Ask a person first."""
    return "done"


@tool(effect="write")
async def test_input_required_result_request_state() -> str:
    """Ask a person first."""
    return "state-ok"


@tool(effect="write")
async def test_input_required_result_tampered_state() -> str:
    """Ask a person first."""
    return "done"


ASKING = (
    test_streaming_elicitation,
    test_input_required_result_elicitation,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
)


def everything() -> Agent:
    """The agent with all of them."""
    tools = [test_simple_text, test_error_handling, test_tool_with_progress, test_logging_tool, *ASKING]
    return Agent(name="everything", instructions="Be tested.", model="m", tools=tools, guards=[Approval(tool.name) for tool in ASKING])
