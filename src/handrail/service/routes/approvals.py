"""`GET /agent/approvals` and `POST /agent/approvals/{approval_id}/decision`: the only way in for a yes (case 69).

- The first decision stands. The same again is no error; another one is told what was decided (409).
- What has expired is 410; what the run does not wait for any more, or was shown as something else, is 412.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from handrail.core.stale import StaleCode
from handrail.errors import StaleInput
from handrail.service.auth.callers import CalledBy, Caller
from handrail.service.desk import LONGEST_ID
from handrail.service.problems import BY_STALE_CODE, Problem
from handrail.service.running import Running
from handrail.service.schemas.approvals import ApprovalBody, Approvals, Decision
from handrail.stores import approvals
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.transactions import read

ApprovalId = Annotated[str, Path(max_length=LONGEST_ID, description="As the list of approvals gave it.")]
DETAILS = {
    StaleCode.TWICE.value: "This was decided already, and the first decision stands; `approval` says which.",
    StaleCode.EXPIRED.value: "This has expired. Nothing was run.",
    StaleCode.HOLD.value: "The run does not wait for this any more; look at its other approvals.",
}


def router(running: Running) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/agent/approvals", tags=["approvals"])

    @routes.get("")
    async def listed(
        called_by: CalledBy,
        status: Annotated[ApprovalStatus | None, Query(description="Only those.")] = None,
        job_id: Annotated[str | None, Query(max_length=LONGEST_ID, description="Only this job's.")] = None,
        whose: Annotated[
            Literal["mine", "everybody"], Query(description="Everybody's: for those whom `HANDRAIL_APPROVERS` names.")
        ] = "mine",
    ) -> Approvals:
        """The user's approvals, newest first; 100 at most."""
        if whose == "everybody":
            running.approvers.check_named(called_by)
            found = await read(running.database, approvals.of_everybody, status=status)
        else:
            found = await running.desk.approvals(called_by.user_id, status=status)
        return Approvals.of([approval for approval in found if job_id is None or approval.job_id == job_id])

    @routes.get("/{approval_id}", responses={404: {}})
    async def one(approval_id: ApprovalId, called_by: CalledBy) -> ApprovalBody:
        """An approval as it stands."""
        return ApprovalBody.of(await _found(running, called_by, approval_id))

    @routes.post("/{approval_id}/decision", responses={404: {}, 409: {}, 410: {}, 412: {}})
    async def decide(
        approval_id: ApprovalId,
        decision: Decision,
        called_by: CalledBy,
    ) -> ApprovalBody:
        """Say yes or no to exactly what the approval shows."""
        approval = await _found(running, called_by, approval_id)
        running.approvers.check(called_by, approval.user_id)
        if decision.digest is not None and decision.digest != approval.digest:
            raise Problem(412, StaleCode.DIGEST.value, "This is not what you were shown; look at it again.")
        return ApprovalBody.of(await _decided(running, called_by, approval, decision))

    return routes


async def _found(running: Running, caller: Caller, approval_id: str) -> Approval:
    """The caller's own approval, or anybody's where the caller is named as an approver."""
    if caller.user_id in running.approvers.named and (approval := await read(running.database, approvals.found, approval_id)) is not None:
        return approval
    return await running.desk.approval(caller.user_id, approval_id)


async def _decided(running: Running, caller: Caller, approval: Approval, decision: Decision) -> Approval:
    desk = running.desk
    try:
        return await desk.decide(approval.user_id, approval.approval_id, approve=decision.approve, by=caller.by, comment=decision.comment)
    except StaleInput as error:
        recorded = ApprovalBody.of(await desk.approval(approval.user_id, approval.approval_id)).model_dump(mode="json")
        detail = DETAILS.get(error.code, DETAILS[StaleCode.HOLD.value])
        raise Problem(BY_STALE_CODE.get(error.code, 409), error.code, detail, more={"approval": recorded}) from error
