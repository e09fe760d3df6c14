"""What `serve` and `worker` print: what they are, and the timeline of the runs where it is wanted.

- The timeline holds what people say and what tools find. It is for whoever sits at a terminal; elsewhere HANDRAIL_TIMELINE=1 prints it, and
  nothing else does.
- With HANDRAIL_LOGS=json what they are is a record of the log like any other, so that nothing but JSON comes out.
"""

import logging
import sys
from collections.abc import Iterable

from rich.console import Console

from handrail.cli.timeline import Timeline
from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.service.apps import App, named

logger = logging.getLogger(__name__)


class Saying:
    """What a command that goes on says.

    Args:
        logs: how logs are written; as `json`, this is one of them.
        timeline: whether the timeline is wanted; `None` is only at a terminal, and where logs are no JSON.
        quiet: no timeline, whatever is wanted.
    """

    def __init__(self, *, logs: str, timeline: bool | None, quiet: bool) -> None:
        """Print nothing yet."""
        self.logs = logs == "json"
        at_terminal = sys.stdout.isatty() and not self.logs
        self._shows = not quiet and (at_terminal if timeline is None else timeline)
        self._console = Console(soft_wrap=True)
        self._timeline = Timeline(run=True)

    def say(self, text: str) -> None:
        """One line for whoever began this."""
        if self.logs:
            logger.info("%s", text)
        else:
            self._console.print(text, highlight=False, markup=False)

    def warn(self, text: str) -> None:
        """One line that asks for something to be done."""
        if self.logs:
            logger.warning("%s", text)
        else:
            self._console.print(text, style="yellow", highlight=False, markup=False)

    def show(self, event: Event, state: RunState) -> None:
        """The timeline's line of an event, where it is wanted."""
        if self._shows and (shown := self._timeline.line(event, state)) is not None:
            self._console.print(shown)


def own_loop(apps: Iterable[App]) -> Iterable[str]:
    """A line for each app that is set to another loop: a run that is parked, or goes on in another process, has handrail's own."""
    for app in apps:
        if app.loop is not None and (other := named(app.loop)()) is not None:
            yield f"{other.setting} names {other.name} for `handrail chat {app.name}`; here {app.name} keeps handrail's own loop."
