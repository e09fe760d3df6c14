"""Tools that note down when they run."""

import json
from typing import Any

from benchmarks.decency.record import Ran, Record
from handrail import ToolContext
from handrail.tools import Failed, Lost, Returned, Tool


class Watched:
    """A tool that notes down when it runs, and is the tool itself in everything else."""

    def __init__(self, tool: Tool, record: Record) -> None:
        """Keep both."""
        self._tool = tool
        self._record = record
        self.name = tool.name
        self.effect = tool.effect
        self.where = tool.where
        self.timeout = tool.timeout
        self.produces = tool.produces
        self.declaration = tool.declaration
        self.digest = tool.digest
        self.examples = tool.examples
        self.parse = tool.parse

    async def run(self, arguments: str, context: ToolContext[Any], *, seconds: float | None = None) -> Returned | Failed | Lost:
        """Run the tool, and note it down; a run that is cancelled may have happened, so it is noted before."""
        at = len(self._record.steps)
        self._record.steps.append(self._ran(arguments, None))
        came = await self._tool.run(arguments, context, seconds=seconds)
        self._record.steps[at] = self._ran(arguments, came)
        return came

    def _ran(self, arguments: str, came: Returned | Failed | Lost | None) -> Ran:
        ok = isinstance(came, Returned)
        result = json.loads(came.content) if isinstance(came, Returned) and not came.text else None
        return Ran(tool=self._tool.name, effect=str(self._tool.effect), arguments=json.loads(arguments), ok=ok, result=result)
