"""A real `handrail serve` on a file of its own, with the rule-based stand-in: what the tests of the pages open."""

import asyncio
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import msgspec

from handrail.cli.demo import HANDRAIL
from handrail.drivers.clock import SystemClock
from handrail.service import find_app
from handrail.service.auth.links import sign_in_link
from handrail.stores.database import make_engine
from tests.cli.processes import LONGEST, environment, finished

SERVES = re.compile(r"handrail serves .* at (http://\S+)")
LINK = re.compile(r"Sign in as (\S+), once and soon: (\S+)")
USER = "ada"


AFTERNOON = 14
"""On the restaurants' clocks: which of them are open decides what a search finds first, and the tests are run at any hour."""


def zone_at(hour: int, *, now: datetime) -> str:
    """A time zone in which it is that hour now."""
    ahead = (hour - now.astimezone(UTC).hour + 11) % 24 - 11
    return f"Etc/GMT{-ahead:+d}"  # whose sign is the other way round


class Served(msgspec.Struct):
    """A service that runs.

    Args:
        url: where it is.
        link: signs a browser in as `USER`, once.
        folder: with its database.
        variables: of its environment.
        lines: what it has printed so far.
    """

    url: str
    link: str
    folder: Path
    variables: dict[str, str]
    lines: list[str]

    def another_link(self, user: str = USER) -> str:
        """A new link, for another browser."""
        # Beside the loop that Playwright runs in this thread there is no room for another one.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, _link(self.variables["HANDRAIL_DATABASE_URL"], self.url, user)).result()


async def _link(database_url: str, url: str, user: str) -> str:
    database = make_engine(database_url)
    try:
        return await sign_in_link(database, url, user_id=user, clock=SystemClock())
    finally:
        await database.dispose()


@contextmanager
def serving(folder: Path, *apps: str, **variables: str) -> Iterator[Served]:
    """The service, started; what it prints is kept, and a test that fails can show it."""
    environs = {
        "HANDRAIL_DATABASE_URL": f"sqlite:///{folder / 'handrail.db'}",
        "HANDRAIL_DELIVERY_TIME_ZONE": zone_at(AFTERNOON, now=datetime.now(UTC)),
        **variables,
    }
    for app in apps:
        if find_app(app).seed is not None:
            seeded = finished("seed", app, folder=folder, **environs)
            assert seeded.returncode == 0, seeded.stderr
    arguments = [argument for app in apps for argument in ("--app", app)]
    command = [*HANDRAIL, "serve", *arguments, "--model", "rehearsal", "--port", "0", "--user", USER]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(**environs), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        url = link = ""
        for line in process.stdout:
            lines.append(line)
            if found := SERVES.search(line):
                url = found[1]
            if found := LINK.search(line):
                link = found[2]
                break
        assert link, "".join(lines)
        reader = Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
        reader.start()
        yield Served(url=url, link=link, folder=folder, variables=environs, lines=lines)
    finally:
        process.terminate()
        process.wait(LONGEST)
        process.stdout.close()
