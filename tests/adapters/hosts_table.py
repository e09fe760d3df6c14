"""What of each guard a host lacks, and the page that says it: `python -m tests.adapters.hosts_table` writes docs/reference/hosts.md.

The tests measure every cell, and hold the page against this table.
"""

from collections.abc import Mapping

from tests.adapters.hosting import HOSTS
from tests.adapters.measuring import GUARDS
from tests.docs.markdown import DOCS

PAGE = DOCS / "reference" / "hosts.md"
EVERYTHING = None
LACKING: Mapping[tuple[str, str], tuple[str, ...] | None] = {
    ("AnswerLimit", "mcp"): EVERYTHING,
    ("Approval", "openai_agents"): ("where nobody is there, the call waits",),
    ("Approval", "pydantic_ai"): ("where nobody is there, the call waits",),
    ("MustSubmit", "openai_agents"): EVERYTHING,
    ("MustSubmit", "pydantic_ai"): ("a short text is a question to the user",),
    ("MustSubmit", "mcp"): ("a long text is no answer", "a short text is a question to the user"),
    ("NoProgress", "mcp"): ("nothing is run after it",),
    ("Review", "openai_agents"): EVERYTHING,
    ("Review", "pydantic_ai"): EVERYTHING,
    ("Screen", "openai_agents"): EVERYTHING,
    ("Screen", "pydantic_ai"): EVERYTHING,
    ("Screen", "mcp"): EVERYTHING,
    ("TimeLimit", "openai_agents"): ("what is under way is stopped",),
    ("TimeLimit", "pydantic_ai"): ("what is under way is stopped",),
    ("TimeLimit", "mcp"): ("nothing is run after it", "what is under way is stopped"),
    ("TokenLimit", "openai_agents"): ("an agent that submits lands",),
    ("TokenLimit", "mcp"): EVERYTHING,
    ("TurnLimit", "openai_agents"): ("an agent that submits lands",),
    ("TurnLimit", "mcp"): ("nothing is run after it",),
}
"""Guard and host -> what does not hold there; a cell that is not here holds fully."""

CALLED = {
    "handrail": "handrail",
    "openai_agents": "[OpenAI Agents SDK](../howto/openai-agents.md)",
    "pydantic_ai": "[pydantic-ai](../howto/pydantic-ai.md)",
    "mcp": "[MCP](../howto/mcp.md)",
}
FILES = {"@guard": "guard"}
HEAD = """\
# Guards and hosts

The same tools and the same ring run under handrail's own loop, under two other libraries' loops, and for MCP clients. No other host holds
everything. This is what each holds, measured: every cell is played with the real package and a scripted model, and is the test
`tests/adapters/test_hosts.py::test_a_guard_holds_under_a_host_what_the_page_says[guard-host]`, such as `[Approval-pydantic_ai]`.
"""
TAIL = """\
## Why

- **Refused by name.** Where a loop cannot hold an agent at all, it is refused before anything runs: under the OpenAI Agents SDK one that
  submits, under both loops one with a reviewer, a screen, or a tool that runs in a browser or with a person; over MCP one with a screen.
- **Waiting.** A foreign loop is a coroutine that is awaited. It asks a person while it waits, and where nobody is there the answer is a no
  that says so.
- **Time.** What the core decides between two things that happen, a foreign loop is told with the next one.
- **Landing.** pydantic-ai's loop can be ended without another model call, and asks for the settings of each one, so that the submit tool
  can be forced. The OpenAI Agents SDK's ends in a text or an exception.
- **MCP.** The client's model is not ours: its texts, its tokens and what its user says never come here. When a run has ended, the client
  is told so, and the next call begins a new one, since nothing makes a client stop.

Why a foreign loop asks the core, and what that costs, is in [the decision](../decisions/0007-a-foreign-loop-asks-the-core.md).
"""


def lacking(guard: str, host: str) -> tuple[str, ...]:
    """What the table says that does not hold."""
    found = LACKING.get((guard, host), ())
    return tuple(GUARDS[guard]) if found is EVERYTHING else found


def page() -> str:
    """The page's text."""
    table = ["| guard |" + "|".join(f" {CALLED[host]} " for host in HOSTS) + "|", "|---" * (len(HOSTS) + 1) + "|"]
    table += [f"| {_link(guard)} |" + "|".join(f" {_cell(guard, host)} " for host in HOSTS) + "|" for guard in GUARDS]
    looked = [f"- {_link(guard)}: {'; '.join(promises)}." for guard, promises in GUARDS.items()]
    return "\n".join([HEAD, *table, "", "## What was looked at", "", *looked, "", TAIL])


def _cell(guard: str, host: str) -> str:
    missing = lacking(guard, host)
    if not missing:
        return "fully"
    return "**not**" if len(missing) == len(GUARDS[guard]) else f"all but: {'; '.join(missing)}"


def _link(guard: str) -> str:
    name = FILES.get(guard) or "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in guard).removeprefix("_")
    return f"[`{guard}`](guards/{name}.md)"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
