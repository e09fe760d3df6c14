"""The routes for Mattermost's server, and the courier behind them. Without a command in the settings every request is a stranger's.

`POST /mattermost/command` takes a message on and answers at once; no model is called before the answer.
`POST /mattermost/action` is where a pressed button leads.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from handrail.core.events import Event, RunFinished, RunParked
from handrail.core.state import RunState
from handrail.drivers.watching import OnEvent
from handrail.errors import InputError
from handrail.service.desk import LONGEST_MESSAGE, Asked
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.surfaces.mattermost.commands import Command, Commands, user_id
from handrail.service.surfaces.mattermost.courier import SURFACE, Courier
from handrail.service.surfaces.mattermost.forms import SlashCommand, read_form, slash_command
from handrail.service.surfaces.mattermost.pressing import Pressing, unknown
from handrail.stores.deliveries import NewDelivery

COMMAND, ACTION = "/mattermost/command", "/mattermost/action"
WORKING = "Working on it: the answer comes here."
LATE = "Mattermost takes no more posts for this command; what comes of it is in {}."
logger = logging.getLogger(__name__)


class Mattermost:
    """The surface.

    Args:
        running: the service's parts.

    Raises:
        InputError: a setting does not fit, or one is missing beside it.
    """

    def __init__(self, running: Running) -> None:
        """Read the settings; nothing runs yet."""
        settings = running.settings
        self._running = running
        self._commands = Commands(settings.mattermost_commands, apps=running.apps)
        self._site = (settings.mattermost_url or "").rstrip("/")
        self._pressing = Pressing(running, self._commands)
        self._courier: Courier | None = None
        if self._commands and (not self._site or settings.public_url is None):
            raise InputError("HANDRAIL_MATTERMOST_COMMANDS needs HANDRAIL_MATTERMOST_URL, and HANDRAIL_PUBLIC_URL for its buttons")

    def router(self) -> APIRouter:
        """The routes. They are for one client only, and not in the description of the API."""
        routes = APIRouter(include_in_schema=False)
        routes.add_api_route(COMMAND, self._asked, methods=["POST"])
        routes.add_api_route(ACTION, self._pressed, methods=["POST"])
        return routes

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Post answers for as long as this is entered; nothing where there is no command."""
        if not self._commands:
            yield
            return
        button_url = (self._running.settings.public_url or "").rstrip("/") + ACTION
        async with Courier.opened(self._running, site=self._site, button_url=button_url) as courier:
            self._courier = courier
            posting = asyncio.create_task(courier.run(), name="mattermost courier")
            try:
                yield
            finally:
                self._courier = None
                posting.cancel()
                await asyncio.wait({posting})

    def watching(self, on_event: OnEvent | None) -> OnEvent:
        """The same watcher; the courier hears of runs that end or wait in this process at once."""

        def saw(event: Event, state: RunState) -> Any:
            if self._courier is not None and isinstance(event, RunFinished | RunParked):
                self._courier.nudge()
            return None if on_event is None else on_event(event, state)

        return saw

    async def _asked(self, request: Request) -> JSONResponse:
        """Take a command on."""
        fields = read_form(await request.body(), request.headers.get("content-type", ""))
        command = self._commands.authentic(fields.get("team_id", ""), fields.get("command", ""), _tokens(request, fields.get("token")))
        if command is None:
            logger.warning("a request to %s had no token that is good for its command; it was refused", COMMAND)
            raise unknown()
        said = slash_command(fields, site=self._site)
        return JSONResponse({"response_type": "ephemeral", "text": await self._taken(command, said), "skip_slack_parsing": True})

    async def _taken(self, command: Command, said: SlashCommand) -> str:
        """What whoever typed the command is told, in private."""
        if command.channels is not None and said.channel_id not in command.channels:
            return f"{command.command} is not for this channel. Nothing was done."
        if not said.text:
            return f"Say what you want: `{command.command} <message>`."
        if len(said.text) > LONGEST_MESSAGE:
            return f"A message has at most {LONGEST_MESSAGE:,} characters. Nothing was done."
        owner = user_id(said.user_id)
        try:
            self._running.messages.take(owner)
        except Problem as refused:
            return refused.detail
        target = {"team_id": command.team_id, "channel_id": said.channel_id, "command": command.command, "hook": said.hook}
        # The hook is made for this one command, so it names the message: what is delivered again has the same.
        asked = Asked(
            user_id=owner,
            session_id=f"mattermost:{said.hook}",
            app=command.app,
            message=said.text,
            delivery=(SURFACE, said.hook),
            answer_to=NewDelivery(surface=SURFACE, target=target),
        )
        await self._running.desk.invoke(asked)
        return WORKING

    async def _pressed(self, request: Request) -> JSONResponse:
        """Decide an approval."""
        answer, job_id = await self._pressing.pressed(await request.body())
        if job_id is not None and self._courier is not None and not await self._courier.takes(job_id):
            answer |= {"ephemeral_text": LATE.format(job_id), "skip_slack_parsing": True}
        return JSONResponse(answer)


def _tokens(request: Request, in_form: str | None) -> Sequence[bytes]:
    """The tokens that came, as `Authorization: Token …` and in the form; other schemes are somebody else's."""
    given = [] if in_form is None else [in_form.encode()]
    for value in request.headers.getlist("authorization"):
        scheme, _, text = value.partition(" ")
        if scheme.lower() == "token":
            given.append(text.encode("latin-1"))
    return given
