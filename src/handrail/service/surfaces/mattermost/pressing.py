"""What a pressed button does: Mattermost's server tells who pressed it, and the token in it says that it is ours.

- Who decides is `user_id` of the callback, against the command's list of approvers. Whoever is not on it is told so in private, and the
  card stays as it is, its buttons unused (case 61).
- A token is good in its own team and channel only. In a direct message Mattermost names no team; the channel still has to be the same.
- The first decision stands, wherever it was made; a card whose approval is over shows what became of it.
- A card names people as Mattermost does, and it tells the name of whoever pressed and of nobody else. So a card that somebody else
  has decided stays as it is, and whoever pressed is told in private.
"""

import re
from datetime import datetime
from typing import Any

import msgspec

from handrail.core.stale import StaleCode
from handrail.errors import StaleInput
from handrail.service.auth.callers import Caller
from handrail.service.desk import NotThere
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.surfaces.mattermost.cards import PURPOSE, Button, closed
from handrail.service.surfaces.mattermost.commands import ID, Commands, is_of_mattermost, user_id
from handrail.stores import one_time
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.one_time import Seen
from handrail.stores.transactions import read, write

LONGEST_TOKEN = 200
ELSEWHERE = "This button belongs to another channel. Nothing was done."
GONE = "This command is not answered any more. Nothing was done."
OVER = "This button has been used, or its time is over. Nothing was done."
DECIDED = "Somebody else has decided this already: it is {}. Nothing was done."
_ID = re.compile(ID)
_NAME = re.compile(r"[a-z0-9._-]{1,64}")


class Context(msgspec.Struct, frozen=True):
    """What we have put into a button."""

    token: str


class Pressed(msgspec.Struct, frozen=True, kw_only=True):
    """A callback (`PostActionIntegrationRequest` in Mattermost's `server/public/model/integration_action.go`)."""

    user_id: str
    channel_id: str
    context: Context
    team_id: str = ""
    user_name: str = ""


class Pressing:
    """Judges callbacks."""

    def __init__(self, running: Running, commands: Commands) -> None:
        """Keep what it needs."""
        self._running = running
        self._commands = commands

    async def pressed(self, body: bytes) -> tuple[dict[str, Any], str | None]:
        """What to answer, and the job that goes on with it.

        Raises:
            Problem: it is no callback of a button of ours.
        """
        press, button, works = await self._known(body)
        if press.channel_id != button.channel_id or press.team_id not in ("", button.team_id):
            return _privately(ELSEWHERE), None
        command = self._commands.named(button.team_id, button.command)
        if command is None:
            return _privately(GONE), None
        by = user_id(press.user_id)
        try:
            command.who_decides(self._running.approvers).check(Caller(user_id=by, by=by), button.owner)
        except Problem as refused:
            return _privately(refused.detail), None
        if not works:
            return await self._as_it_is(press, button, by), None
        return await self._decided(press, button, by)

    async def _known(self, body: bytes) -> tuple[Pressed, Button, bool]:
        """The callback, and the button that its token belongs to."""
        try:
            press = msgspec.json.decode(body, type=Pressed)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise unknown() from None
        seen = await self._seen(press.context.token)
        if seen is None or _ID.fullmatch(press.user_id) is None:
            raise unknown()
        return press, msgspec.convert(seen.bound, type=Button), seen.works

    async def _seen(self, token: str) -> Seen | None:
        if len(token) > LONGEST_TOKEN:
            return None
        return await read(self._running.database, one_time.seen, PURPOSE, token, at=self._now())

    async def _decided(self, press: Pressed, button: Button, by: str) -> tuple[dict[str, Any], str | None]:
        desk, database = self._running.desk, self._running.database
        try:
            approval = await desk.decide(button.owner, button.approval_id, approve=button.approve, by=by)
        except NotThere:
            return _privately(OVER), None
        except StaleInput as stale:
            approval = await desk.approval(button.owner, button.approval_id)
            if stale.code == StaleCode.EXPIRED.value and approval.status is ApprovalStatus.PENDING:
                return _privately(OVER), None
        # After the decision: a token that is used up for nothing would leave a card that nobody can decide.
        await write(database, one_time.use_either, PURPOSE, press.context.token, at=self._now())
        return _over(approval, press, by), approval.job_id

    async def _as_it_is(self, press: Pressed, button: Button, by: str) -> dict[str, Any]:
        approval: Approval = await self._running.desk.approval(button.owner, button.approval_id)
        if approval.status is ApprovalStatus.PENDING:
            return _privately(OVER)
        return _over(approval, press, by)

    def _now(self) -> datetime:
        return self._running.clock.now()


def unknown() -> Problem:
    """The one answer to everything that Mattermost has not sent, or not with a token of ours."""
    return Problem(401, "unauthorized", "This is for Mattermost's server, which sends a token along.")


def _over(approval: Approval, press: Pressed, by: str) -> dict[str, Any]:
    """What became of the approval; `by` is whoever pressed."""
    if approval.decided_by == by:
        return {"update": closed(approval, name=press.user_name if _NAME.fullmatch(press.user_name) else None)}
    if approval.decided_by is not None and is_of_mattermost(approval.decided_by):
        return _privately(DECIDED.format(approval.status.value))
    return {"update": closed(approval)}


def _privately(text: str) -> dict[str, Any]:
    """Shown to whoever pressed; the card stays."""
    return {"ephemeral_text": text, "skip_slack_parsing": True}
