"""Approvals as cards with two buttons, as Mattermost's message attachments have them.

- A card shows the whole of what a yes is bound to. What is too long for that gets no buttons: nobody says yes to what they cannot see.
- Each button carries a token of its own, kept by Mattermost's server and shown to nobody. Both work until the approval expires, and the
  first one that is used uses up the other.
- A card whose approval is decided has no buttons left.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.ports import Clock
from handrail.service.surfaces.mattermost.texts import calling_nobody, quoted
from handrail.stores import one_time
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.transactions import write

PURPOSE = "mattermost"
LASTS = timedelta(days=1)
"""For an approval that does not expire by itself."""

LONGEST_CARD = 12_000
COLOURS = {ApprovalStatus.PENDING: "#d9a404", ApprovalStatus.APPROVED: "#2e7d32"}
OVER = "#757575"


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """What a button's token is bound to."""

    approval_id: str
    approve: bool
    owner: str
    team_id: str
    channel_id: str
    command: str


async def card(database: AsyncEngine, approval: Approval, target: Mapping[str, str], *, url: str, clock: Clock) -> dict[str, Any]:
    """A card for an approval that waits, with new tokens in its buttons.

    Args:
        database: where the tokens are written down, as hashes.
        approval: shown whole.
        target: the command's team and channel.
        url: where a button leads.
        clock: says the time.
    """
    text = _text(approval)
    if len(text) > LONGEST_CARD:
        text = (
            f"**{_name(approval)}** needs a yes, and is too long to be shown here: look at it, and decide it, as `{approval.approval_id}`."
        )
        return _attachment(approval, text)
    bounds = [
        msgspec.to_builtins(
            Button(
                approval_id=approval.approval_id,
                approve=approve,
                owner=approval.user_id,
                team_id=target["team_id"],
                channel_id=target["channel_id"],
                command=target["command"],
            )
        )
        for approve in (True, False)
    ]
    expires_at = approval.expires_at or clock.now() + LASTS
    yes, no = await write(database, one_time.issue_either, PURPOSE, bounds, expires_at=expires_at)
    text += f"\n\nIt can be decided until {expires_at:%Y-%m-%d %H:%M} UTC."
    buttons = [_button("yes", "Approve", "primary", url, yes), _button("no", "Refuse", "danger", url, no)]
    return _attachment(approval, text) | {"actions": buttons}


def closed(approval: Approval, *, name: str | None = None) -> dict[str, Any]:
    """The post in a card's place, once its approval is decided or over.

    Args:
        approval: as it is now.
        name: who decided it, as people know them.
    """
    by = "" if approval.decided_by is None else f" by {calling_nobody(name or approval.decided_by)}"
    said = f"{approval.status.value.capitalize()}{by}."
    shown = _text(approval)
    attachment = _attachment(approval, f"{shown if len(shown) <= LONGEST_CARD else _name(approval)}\n\n**{said}**")
    return {"message": "", "props": {"attachments": [attachment]}}


def _text(approval: Approval) -> str:
    parts = [f"**{_name(approval)}** needs a yes. It would be called with exactly this:", quoted(msgspec.json.decode(approval.arguments))]
    if approval.show not in (None, "", msgspec.json.decode(approval.arguments)):
        parts += ["What it shows:", quoted(approval.show)]
    return "\n\n".join(parts)


def _name(approval: Approval) -> str:
    return calling_nobody(approval.tool)


def _attachment(approval: Approval, text: str) -> dict[str, Any]:
    fallback = f"{_name(approval)}: {approval.status.value}"
    return {"fallback": fallback, "color": COLOURS.get(approval.status, OVER), "text": text}


def _button(name: str, shown: str, style: str, url: str, token: str) -> dict[str, Any]:
    # The name of an action is letters and digits only: Mattermost's own route takes nothing else.
    return {"id": name, "name": shown, "type": "button", "style": style, "integration": {"url": url, "context": {"token": token}}}
