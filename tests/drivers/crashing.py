"""A process of its own for the tests of crashes: `python -m tests.drivers.crashing ACT FOLDER [EFFECT]`.

- `begin` starts a run whose tool writes its line and then waits for ever, so that it can be killed between the act and its result.
- `begin-unstarted` stops in the moment in which the start of the tool has been written and the tool has not been called.
- `resume` goes on with the run, and prints the outcome's text; `park` runs to an approval, and prints the hold's id.
- `yes` goes on with an answer.
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handrail import Agent, Outcome, Parked, ToolContext, Yes, resume, run, tool
from handrail.core.events import Event, ToolStarted
from handrail.guards import Approval
from handrail.stores.journals import FileJournal
from handrail.testing import ScriptedModel, calls, says
from tests.drivers.kit import told

RUN = "run_1"


def act(folder: Path, key: str, *, stop: bool) -> str:
    with (folder / "acts.txt").open("a") as file:
        file.write(f"{key}\n")
    if stop:
        (folder / "acted").touch()
        time.sleep(3600)
    return "done"


def agents(folder: Path, *, stop: bool) -> dict[str, Agent]:
    @tool(effect="read", name="act")
    async def read(context: ToolContext[None]) -> str:
        """Act."""
        return act(folder, context.idempotency_key, stop=stop)

    @tool(effect="idempotent", name="act")
    async def idempotent(context: ToolContext[None]) -> str:
        """Act."""
        return act(folder, context.idempotency_key, stop=stop)

    @tool(effect="write", name="act")
    async def write(context: ToolContext[None]) -> str:
        """Act."""
        return act(folder, context.idempotency_key, stop=stop)

    def agent(acts: Any, *guards: Any) -> Agent:
        return Agent(name="actor", instructions="Act.", model="scripted", tools=[acts], guards=guards)

    return {"read": agent(read), "idempotent": agent(idempotent), "write": agent(write), "approved": agent(write, Approval("act"))}


class StopsAfterStart(FileJournal):
    """The process is killed when the start of a tool is on the disk."""

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        await super().append(run_id, seq, events)
        if isinstance(events[0], ToolStarted):
            (self.path / "acted").touch()
            await asyncio.to_thread(time.sleep, 3600)


def shown(ended: Outcome | Parked, model: ScriptedModel) -> str:
    if isinstance(ended, Parked):
        return f"parked {ended.holds[0].id}"
    return f"{ended.output} | {told(model.requests[-1].messages)[-1]}"


async def main(what: str, folder: Path, effect: str) -> None:
    agent = agents(folder, stop=what == "begin")[effect]

    async def ask(hold: Any) -> Yes:
        return Yes()

    if what == "begin":
        await run(agent, "act", model=ScriptedModel(calls(("act", {}))), journal=FileJournal(folder), ask=ask, run_id=RUN)
    elif what == "begin-unstarted":
        await run(agent, "act", model=ScriptedModel(calls(("act", {}))), journal=StopsAfterStart(folder), ask=ask, run_id=RUN)
    elif what == "park":
        model = ScriptedModel(calls(("act", {})))
        print(shown(await run(agent, "act", model=model, journal=FileJournal(folder), run_id=RUN), model))
    else:
        model = ScriptedModel(says("ok"))
        answer = Yes() if what == "yes" else None
        print(shown(await resume(RUN, agent=agent, model=model, journal=FileJournal(folder), answer=answer), model))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
