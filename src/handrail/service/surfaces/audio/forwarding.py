"""Speech by another server that speaks OpenAI's audio API: a hosted one, or one of your own.

- It is asked for what the settings say, with the settings' key; of a request of ours only the sound or the text goes there.
- Nothing that it says on a failure is handed on. Redirections are not followed, and an answer is read no further than a bound.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec

from handrail.service.problems import Problem
from handrail.service.settings import Settings
from handrail.service.surfaces.audio.contract import Reading, Recording, busy, unreadable

PATIENCE = 60
"""Seconds of silence after which the server does not answer any more."""

MOST_ANSWERED = 20_000_000
UNREADABLE = frozenset({400, 413, 415, 422})
logger = logging.getLogger(__name__)


class Text(msgspec.Struct):
    """Of an answer, what matters here."""

    text: str


class Forwarding:
    """Asks the other server.

    Args:
        settings: where it is, and what it is asked for.
        client: follows no redirection.
    """

    def __init__(self, settings: Settings, client: httpx2.AsyncClient) -> None:
        """Ask nothing yet."""
        self._settings = settings
        self._client = client
        self._base = (settings.audio_url or "").rstrip("/")

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: Settings) -> AsyncIterator["Forwarding"]:
        """One that can ask."""
        key = settings.audio_key
        headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
        async with httpx2.AsyncClient(headers=headers, follow_redirects=False, timeout=PATIENCE) as client:
            yield cls(settings, client)

    async def heard(self, recording: Recording) -> str:
        """What was said."""
        wanted = {
            "model": self._settings.audio_transcription_model,
            "language": recording.language,
            "prompt": recording.prompt,
            "response_format": "json",
        }
        kind = recording.kind
        answer = await self._asked(
            "transcriptions",
            data={name: value for name, value in wanted.items() if value},
            files={"file": (f"recording.{kind.ending}", recording.sound, kind.media_type)},
            refused=unreadable(),
        )
        try:
            return msgspec.json.decode(answer, type=Text).text.strip()
        except msgspec.DecodeError:
            logger.warning("the audio server answered a recording with something that is no text")
            raise _failed() from None

    async def read_out(self, reading: Reading) -> bytes:
        """The sound."""
        wanted = {
            "model": self._settings.audio_speech_model,
            "input": reading.text,
            "voice": reading.voice or self._settings.audio_voice,
            "response_format": reading.format,
            "speed": None if reading.speed == 1.0 else reading.speed,
            "instructions": reading.instructions,
        }
        refused = Problem(400, "unsupported", "The audio server does not read this out: look at the voice, the speed and the format.")
        return await self._asked("speech", json={name: value for name, value in wanted.items() if value is not None}, refused=refused)

    async def _asked(self, what: str, *, refused: Problem, **body: Any) -> bytes:
        """The whole answer.

        Raises:
            Problem: there is none.
        """
        try:
            async with self._client.stream("POST", f"{self._base}/audio/{what}", **body) as answer:
                if answer.status_code != 200:
                    raise _refusal(what, answer.status_code, answer.headers, refused)
                return await _whole(answer)
        except httpx2.HTTPError as error:
            logger.warning("the audio server does not answer (%s): %s", what, type(error).__name__)
            raise _failed() from error


async def _whole(answer: httpx2.Response) -> bytes:
    parts, length = [], 0
    async for part in answer.aiter_bytes():
        length += len(part)
        if length > MOST_ANSWERED:
            logger.warning("the audio server answers more than %d bytes", MOST_ANSWERED)
            raise _failed()
        parts.append(part)
    return b"".join(parts)


def _refusal(what: str, status: int, headers: Mapping[str, str], refused: Problem) -> Problem:
    logger.warning("the audio server answered %d (%s)", status, what)
    if status == 429:
        wait = headers.get("retry-after", "")
        return busy(int(wait) if wait.isdigit() and len(wait) < 5 else 5)
    return refused if status in UNREADABLE else _failed()


def _failed() -> Problem:
    return Problem(502, "remote_failed", "The audio server does not answer as it should. Try again later.")
