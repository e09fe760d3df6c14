"""`town` is a service with one slash command, and a Mattermost server beside it."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent
from handrail.service.desk import Asked
from handrail.service.surfaces.mattermost.courier import SURFACE, Courier
from handrail.stores.deliveries import NewDelivery
from handrail.stores.jobs import Job
from tests.service.branch import Branch, opened, teller
from tests.service.conftest import database, postgres_server, postgres_url, url
from tests.service.mattermost.fake import ALICE, CHANNEL, TEAM, TOKEN, Fake, mattermost

__all__ = ["database", "opening", "postgres_server", "postgres_url", "posting", "town", "url"]

PUBLIC_URL = "http://service.test"
COMMAND = {"team_id": TEAM, "command": "/foodfight", "token": TOKEN, "app": "bank"}


class Town:
    """Both, and a client that stands for Mattermost's server."""

    def __init__(self, branch: Branch, fake: Fake, client: httpx2.AsyncClient) -> None:
        self.branch = branch
        self.fake = fake
        self.client = client

    async def typed(self, text: str, **changed: str) -> httpx2.Response:
        return await self.fake.typed(self.client, text, **changed)

    async def press(self, button: str, user_id: str | None, *, post: int = -1, **changed: Any) -> httpx2.Response:
        return await self.fake.press(self.client, self.fake.posts[post], button, user_id, **changed)

    async def jobs(self, user_id: str) -> list[str]:
        """The user's jobs, newest first."""
        return [job.job_id for job in await self.branch.running.desk.jobs(f"mattermost:{user_id}")]

    async def approval(self, user_id: str) -> Any:
        return (await self.branch.running.desk.approvals(f"mattermost:{user_id}"))[0]


class Posting:
    """A courier that looks when it is told to, and what it posts for."""

    def __init__(self, branch: Branch, fake: Fake, courier: Courier) -> None:
        self.branch = branch
        self.fake = fake
        self.courier = courier

    async def asked(self, text: str) -> Job:
        """A command, taken on as the route does it."""
        hook = self.fake.hook()
        target = {"team_id": TEAM, "channel_id": CHANNEL, "command": "/foodfight", "hook": hook}
        asked = Asked(
            user_id=f"mattermost:{ALICE}",
            session_id=f"mattermost:{hook}",
            app="bank",
            message=text,
            delivery=(SURFACE, hook),
            answer_to=NewDelivery(surface=SURFACE, target=target),
        )
        return await self.branch.running.desk.invoke(asked)

    async def ended(self, text: str) -> Job:
        """The same, with its run."""
        job = await self.asked(text)
        await self.branch.ended(job.job_id)
        return job

    async def look(self, *, after: float = 0) -> list[str]:
        """Let time pass and the courier look; what the channel has by then."""
        self.branch.clock.advance(after)
        await self.courier.look()
        return [post.message for post in self.fake.posts]


Opening = Callable[..., AbstractAsyncContextManager[Town]]


@pytest.fixture
def opening(database: AsyncEngine) -> Opening:
    """Makes a town, with other commands or another agent where it is told to."""

    @asynccontextmanager
    async def town(
        commands: Sequence[Mapping[str, Any]] = (COMMAND,), *, agent: Callable[[], Agent] = teller, start: bool = True, **fields: Any
    ) -> AsyncIterator[Town]:
        async with mattermost() as fake:
            settings = {"mattermost_url": fake.site, "mattermost_commands": json.dumps(commands), "public_url": PUBLIC_URL} | fields
            async with opened(database, agent=agent, start=start, **settings) as branch, branch.stranger() as client:
                fake.clock = branch.clock
                yield Town(branch, fake, client)

    return town


@pytest.fixture
def posting(opening: Opening) -> Callable[..., AbstractAsyncContextManager[Posting]]:
    """A courier without a loop of its own, in a town without commands."""

    @asynccontextmanager
    async def made(**fields: Any) -> AsyncIterator[Posting]:
        async with opening(mattermost_commands=None, **fields) as town:
            running = town.branch.running
            async with Courier.opened(running, site=town.fake.site, button_url=f"{PUBLIC_URL}/mattermost/action") as courier:
                yield Posting(town.branch, town.fake, courier)

    return made


@pytest.fixture
async def town(opening: Opening) -> AsyncIterator[Town]:
    async with opening() as made:
        yield made
