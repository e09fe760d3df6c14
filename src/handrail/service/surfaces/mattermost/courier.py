"""Posts what jobs have to say to the channel that asked: cards while they wait for a yes, and the answer at their end.

- What is to be posted is in the database from the moment on that the command was taken; a process that starts finds what another one left.
- Mattermost takes five posts within thirty minutes of a command (`HandleCommandWebhook` in its `server/channels/app/webhook.go`): cards
  leave one of them for the answer, and an answer that does not fit is cut with a note.
- What Mattermost answered 200 to is not posted again. What it did not answer is tried again, ever later; what it refused is given up.
- Redirections are not followed, and nothing of an answer is read but its status.
- Nobody can answer a question here: it is posted as what the run came to, and the run is cancelled.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import httpx2
import msgspec

from handrail.codec import decode
from handrail.core.evolve import fold
from handrail.core.outstanding import open_holds
from handrail.service.running import Running
from handrail.service.surfaces.mattermost.cards import card
from handrail.service.surfaces.mattermost.forms import hook_url
from handrail.service.surfaces.mattermost.texts import answer_of, calling_nobody, pieces
from handrail.stores import deliveries, jobs, run_events
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.deliveries import Delivery, Due
from handrail.stores.jobs import Job
from handrail.stores.transactions import read, write
from handrail.vocab.outcomes import HoldKind

SURFACE = "mattermost"
MOST_POSTS = 5
LIFETIME = timedelta(minutes=30)
LOOKS = timedelta(seconds=1)
LEASE = timedelta(seconds=30)
"""How long a claim holds without a sign of life; longer than one post may take."""

POST_SECONDS = 15
AGAIN = timedelta(seconds=1)
LONGEST_AGAIN = timedelta(seconds=60)
PASSING = frozenset({408, 425, 429})
"""Statuses below 500 that may be others the next time; a redirection may be a site that is being moved."""

logger = logging.getLogger(__name__)


class Piece(msgspec.Struct, frozen=True):
    """One post: its name among those of its delivery, and what makes it."""

    name: str
    make: Callable[[], Awaitable[dict[str, Any]]]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be posted now.

    Args:
        posts: in order.
        last: nothing comes after these.
        cancel: end the run, once they are posted.
    """

    posts: list[Piece]
    last: bool
    cancel: bool = False


class Courier:
    """Posts.

    Args:
        running: the service's parts.
        client: follows no redirection.
        site: Mattermost's.
        button_url: where a button leads.
    """

    def __init__(self, running: Running, client: httpx2.AsyncClient, *, site: str, button_url: str) -> None:
        """Post nothing yet."""
        self._running = running
        self._client = client
        self._site = site
        self._button_url = button_url
        self._news = asyncio.Event()
        self._nothing_since: dict[str, int] = {}  # deliveries that had nothing to post, and their job's events then

    @classmethod
    @asynccontextmanager
    async def opened(cls, running: Running, *, site: str, button_url: str) -> AsyncIterator["Courier"]:
        """A courier that can post."""
        async with httpx2.AsyncClient(follow_redirects=False, timeout=POST_SECONDS) as client:
            yield cls(running, client, site=site, button_url=button_url)

    def nudge(self) -> None:
        """Say that there may be something to post."""
        self._news.set()

    async def run(self) -> None:
        """Post until cancelled."""
        while True:
            self._news.clear()
            try:
                await self.look()
            except Exception:
                logger.exception("what is to be posted cannot be read; it is read again in %s", LOOKS)
            await self._news_or(self._now() + LOOKS)

    async def look(self) -> None:
        """Post what is due now."""
        found = await read(self._running.database, deliveries.due, SURFACE, at=self._now())
        names = {due.delivery.delivery_id for due in found}
        self._nothing_since = {name: events for name, events in self._nothing_since.items() if name in names}
        await asyncio.gather(*(self._tended(due) for due in found))

    async def takes(self, job_id: str) -> bool:
        """Whether anything of a job can still be posted."""
        return await read(self._running.database, deliveries.is_open, job_id)

    async def _news_or(self, at: datetime) -> None:
        waiting = (asyncio.create_task(self._news.wait()), asyncio.create_task(self._running.clock.sleep_until(at)))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    async def _tended(self, due: Due) -> None:
        try:
            await self._tend(due.delivery, due.events)
        except Exception:
            logger.exception("%s: what it has to say cannot be posted; it is tried again in %s", due.delivery.job_id, LEASE)

    async def _tend(self, delivery: Delivery, events: int) -> None:
        database, now = self._running.database, self._now()
        if now >= delivery.created_at + LIFETIME:
            logger.warning("%s: the thirty minutes in which Mattermost takes posts are over; the rest is in the job", delivery.job_id)
            await self._kept(delivery, delivery.sent, None)
            return
        job = await read(database, jobs.found, delivery.job_id)
        if job is None or self._nothing_since.get(delivery.delivery_id) == events:
            return
        plan = await (self._ending(job, delivery) if job.ended else self._waiting(job, delivery))
        if plan is None:
            self._nothing_since[delivery.delivery_id] = events
            return
        if not await write(database, deliveries.claim, delivery, until=now + LEASE):
            return
        sent = await self._posted(delivery, plan)
        if sent is not None:
            if plan.cancel:
                await self._running.desk.cancel(job.user_id, job.job_id)
            await self._kept(delivery, sent, None if plan.last else self._now())

    async def _ending(self, job: Job, delivery: Delivery) -> Plan:
        others = sum(not name.startswith("answer ") for name in delivery.sent)
        parts = pieces(answer_of(job), most=max(1, MOST_POSTS - others), job_id=job.job_id)
        named = [(f"answer {number}", part) for number, part in enumerate(parts, 1)]
        return Plan(posts=[_said(name, part) for name, part in named if name not in delivery.sent], last=True)

    async def _waiting(self, job: Job, delivery: Delivery) -> Plan | None:
        state = fold(decode(line) for _, line in await read(self._running.database, run_events.lines, job.job_id))
        holds = open_holds(state)
        if not any(hold.kind is HoldKind.APPROVAL for hold in holds):
            asked = next((hold.show for hold in holds if isinstance(hold.show, str)), "")
            return Plan(posts=[] if "question" in delivery.sent else [_said("question", _question(asked))], last=True, cancel=True)
        pending = [
            each for each in await self._running.desk.approvals(job.user_id, status=ApprovalStatus.PENDING) if each.job_id == job.job_id
        ]
        new = [each for each in pending if each.approval_id not in " ".join(delivery.sent)]
        if not new:
            return None
        if len(delivery.sent) >= MOST_POSTS - 1:
            return Plan(posts=[_said("no room", _no_room(job))], last=True)
        return Plan(posts=[Piece(" ".join(each.approval_id for each in new), lambda: self._cards(new, delivery))], last=False)

    async def _cards(self, waiting: list[Approval], delivery: Delivery) -> dict[str, Any]:
        clock, database = self._running.clock, self._running.database
        made = [await card(database, each, delivery.target, url=self._button_url, clock=clock) for each in waiting]
        return _post("", attachments=made)

    async def _posted(self, delivery: Delivery, plan: Plan) -> list[str] | None:
        """What has been posted by now; `None` where it could not go on, which is written down."""
        sent = list(delivery.sent)
        for piece in plan.posts:
            status = await self._status(delivery.target["hook"], await piece.make())
            if status == 200:
                sent.append(piece.name)
                await self._kept(delivery, sent, self._now() + LEASE)
            elif status is not None and 400 <= status < 500 and status not in PASSING:
                logger.error("%s: Mattermost refused %r with %d; it is not posted", delivery.job_id, piece.name, status)
                await self._kept(delivery, sent, None)
                return None
            else:
                pause = min(AGAIN * 2 ** min(delivery.tries, 10), LONGEST_AGAIN)
                logger.warning("%s: Mattermost did not take %r (%s); it is tried again in %s", delivery.job_id, piece.name, status, pause)
                await self._kept(delivery, sent, self._now() + pause, tries=delivery.tries + 1)
                return None
        return sent

    async def _status(self, hook: str, post: dict[str, Any]) -> int | None:
        """What Mattermost answers; `None` where it does not."""
        content, headers = msgspec.json.encode(post), {"Content-Type": "application/json"}
        with suppress(httpx2.HTTPError, TimeoutError):
            async with asyncio.timeout(POST_SECONDS):
                url = hook_url(hook, site=self._site)
                async with self._client.stream("POST", url, content=content, headers=headers) as answer:
                    return answer.status_code
        return None

    async def _kept(self, delivery: Delivery, sent: list[str], next_at: datetime | None, *, tries: int = 0) -> None:
        await write(self._running.database, deliveries.keep, delivery.delivery_id, sent=sent, tries=tries, next_at=next_at)

    def _now(self) -> datetime:
        return self._running.clock.now()


def _said(name: str, text: str) -> Piece:
    async def make() -> dict[str, Any]:
        return _post(text)

    return Piece(name, make)


def _post(text: str, **more: Any) -> dict[str, Any]:
    """A post to everybody in the channel (`CommandResponse` in Mattermost's `server/public/model/command_response.go`)."""
    return {"response_type": "in_channel", "text": text, "skip_slack_parsing": True, **more}


def _question(asked: str) -> str:
    shown = pieces(asked, most=1, job_id="its run")[0] if asked else "This needs an answer that cannot be given here."
    return f"{shown}\n\n*(A command is one message: ask again, with the answer in it.)*"


def _no_room(job: Job) -> str:
    return (
        "This needs one more yes, and Mattermost takes no more posts for this command. It can be decided elsewhere, as an approval of "
        f"{calling_nobody(job.job_id)}, and the answer will be there."
    )
