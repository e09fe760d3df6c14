"""Walks through the rings of the agents that are served, for whoever wants to see what `handrail check` says.

- Each is made once, when it is first asked for, in a thread and one at a time: a walk is seconds of work, and no ring changes while it is
  served.
- It has an end: what has more states than `MOST_STATES` is not walked to the end here, and says so.
"""

import asyncio
from collections.abc import Sequence

from handrail.check.explore import explore
from handrail.check.report import Report
from handrail.errors import AgentError
from handrail.service.serving import Serving

MOST_STATES = 50_000


class Walks:
    """What walks have found, by app."""

    def __init__(self, served: Sequence[Serving]) -> None:
        """Nothing is walked yet."""
        self._agents = {serving.app.name: serving.agent for serving in served}
        self._found: dict[str, Report | AgentError] = {}
        self._one_at_a_time = asyncio.Lock()

    async def report(self, app: str) -> Report:
        """What a walk through the app's ring has found.

        Raises:
            AgentError: it cannot be walked.
        """
        async with self._one_at_a_time:
            if app not in self._found:
                self._found[app] = await asyncio.to_thread(self._walked, app)
        found = self._found[app]
        if isinstance(found, AgentError):
            raise found
        return found

    def _walked(self, app: str) -> Report | AgentError:
        try:
            return explore(self._agents[app], most_states=MOST_STATES)
        except AgentError as error:
            return error
