"""What an agent says to a chat: its answer, or what it waits for and where that is decided."""

from typing import Any

import msgspec

from handrail.codec import cleaned_text
from handrail.service.apps import App
from handrail.service.pages import panel_at
from handrail.service.problems import Problem, answered
from handrail.service.running import Running
from handrail.service.surfaces.openai.following import Rested
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.vocab.outcomes import HoldKind, OpenHold, Outcome


async def words(running: Running, app: App, rested: Rested) -> str:
    """The text.

    Raises:
        Problem: the run has ended without an answer.
    """
    if rested.holds:
        return await _waiting(running, rested)
    if rested.job.outcome is None:
        raise Problem(503, "cancelled", "This was stopped before it began. Ask again.")
    outcome = msgspec.convert(rested.job.outcome, type=Outcome)
    output = answered(outcome)
    if isinstance(output, str):
        return output
    return app.shown(outcome) if app.shown is not None else _json(output)


async def _waiting(running: Running, rested: Rested) -> str:
    job = rested.job
    pending = await running.desk.approvals(job.user_id, status=ApprovalStatus.PENDING)
    approvals = {approval.hold: approval for approval in pending if approval.job_id == job.job_id}
    parts = [_question(hold) for hold in rested.holds if hold.kind is not HoldKind.APPROVAL]
    asked = [approvals[hold.id] for hold in rested.holds if hold.id in approvals]
    base = (running.settings.public_url or "").rstrip("/")
    parts += [_approval(approval, base) for approval in asked]
    return "\n\n".join(part for part in parts if part)


def _approval(approval: Approval, base: str) -> str:
    parts = [f"Before it goes on, `{approval.tool}` needs a yes or a no to exactly this:", _block(approval.show)]
    if approval.show != msgspec.json.decode(approval.arguments):
        parts += ["The call:", _block(f"{approval.tool}({approval.arguments})")]
    until = "" if approval.expires_at is None else f" until {approval.expires_at:%Y-%m-%d %H:%M} UTC"
    decision = f"`POST {base}/agent/approvals/{approval.approval_id}/decision`"
    parts.append(f"It is decided{until} in the developer panel, {panel_at(base, approval.session_id)}, or by a program with {decision}.")
    parts.append("A message here is no yes: the agent takes it as a no, with that reason.")
    return "\n\n".join(parts)


def _question(hold: OpenHold) -> str:
    """A question is what its call says; one lone text needs no JSON around it."""
    if hold.kind is HoldKind.MESSAGE:
        return hold.show if isinstance(hold.show, str) else _json(hold.show)
    arguments: Any = msgspec.json.decode(hold.arguments or "{}")
    texts = list(arguments.values())
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else _json(arguments)


def _block(document: Any) -> str:
    """A document as code, so that nothing in it is read as markup or as words of ours."""
    text = document if isinstance(document, str) else msgspec.json.format(_json(document), indent=2)
    return "\n".join(f"    {line}" for line in text.splitlines())


def _json(value: Any) -> str:
    return cleaned_text(msgspec.json.encode(value).decode())
