"""`handrail graph` prints Mermaid."""

from pathlib import Path

import typer
from typer.testing import CliRunner, Result

from handrail.cli import graph

SOURCE = """
from handrail import Agent, tool
from handrail.guards import Order

@tool(effect="read")
async def first(text: str) -> str:
    "Go first."
    return text

@tool(effect="read")
async def second(text: str) -> str:
    "Go second."
    return text

agent = Agent(name="mine", instructions="", model="m", tools=[first, second], guards=[Order({"second": ["first"]})])
"""


def _run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(graph.command)
    return CliRunner().invoke(app, arguments)


def test_the_order_of_an_agent_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "mine_for_graph.py"
    path.write_text(SOURCE)
    result = _run(f"{path}:agent")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["flowchart TD", '    t1["first"]', '    t2["second"]', "    t1 --> t2"]


def test_the_orders_app_can_be_drawn() -> None:
    result = _run("orders")
    assert result.exit_code == 0
    assert result.stdout.startswith("flowchart TD\n") and "lookup_orders" in result.stdout


def test_an_agent_that_is_not_there_is_exit_2() -> None:
    result = _run("no_such_app")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
