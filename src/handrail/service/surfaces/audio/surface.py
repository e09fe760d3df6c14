"""`POST /v1/audio/transcriptions` and `POST /v1/audio/speech`: the routes, and which way of speech is behind them.

- An audio server that the settings name goes before the models of the extra `voice`. Without either, it is said what to do (501).
- Both cost more than a question, so they have a limit of their own for each user.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Response, UploadFile

from handrail.service.auth.callers import CalledBy, Caller
from handrail.service.problems import Problem
from handrail.service.rates import Rates
from handrail.service.running import Running
from handrail.service.surfaces.audio.contract import MEDIA_TYPES, Reading, Recording, Speech, kind_of
from handrail.service.surfaces.audio.forwarding import Forwarding
from handrail.service.surfaces.audio.local import Local, installed
from handrail.service.surfaces.audio.schemas import LANGUAGE, LONGEST_PROMPT, Heard, SpeechBody
from handrail.service.surfaces.openai.schemas import ErrorBody

TRANSCRIPTIONS, SPEECH = "/audio/transcriptions", "/audio/speech"
RECORDINGS = f"/v1{TRANSCRIPTIONS}"
"""Whose bodies may be longer than others."""

ERRORS: dict[int | str, dict[str, Any]] = {422: {"model": ErrorBody}, 501: {}, 502: {}}
TEXT = "text/plain; charset=utf-8"
HEARD: dict[int | str, dict[str, Any]] = {200: {"model": Heard, "content": {"text/plain": {"schema": {"type": "string"}}}}}
READ: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The sound.",
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in MEDIA_TYPES.values()},
    }
}
PRIVATE = {"Cache-Control": "no-store"}


class Audio:
    """The surface.

    Args:
        running: the service's parts.
    """

    def __init__(self, running: Running) -> None:
        """Open nothing yet."""
        self._settings = running.settings
        self._rates = Rates(running.settings.most_audio_per_minute, clock=running.clock, what="recordings and readings")
        self._way: Speech | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Hear and speak for as long as this is entered, if there is a way."""
        if self._settings.audio_url is not None:
            async with Forwarding.opened(self._settings) as self._way:
                yield
        elif installed():
            async with Local.opened() as self._way:
                yield
        else:
            yield
        self._way = None

    def router(self) -> APIRouter:
        """The routes."""
        routes = APIRouter(prefix="/v1", tags=["audio"], responses=ERRORS)

        @routes.post(TRANSCRIPTIONS, responses=HEARD)
        async def transcriptions(
            *,
            called_by: CalledBy,
            file: Annotated[UploadFile, File(description="The recording: wav, mp3, ogg, webm, flac or m4a.")],
            model: Annotated[str, Form(max_length=200, description="Is not heeded: the settings say which one is used.")] = "",
            language: Annotated[str | None, Form(pattern=LANGUAGE, description="Two letters, such as `en`.")] = None,
            prompt: Annotated[str, Form(max_length=LONGEST_PROMPT, description="Words that may come up, such as names.")] = "",
            response_format: Annotated[str, Form(max_length=40, description="`json` or `text`.")] = "json",
            stream: Annotated[bool, Form(description="Only `false`: the text comes whole.")] = False,
        ) -> Response:
            """What was said in a recording."""
            if response_format not in {"json", "text"} or stream:
                raise Problem(400, "unsupported", "A transcript comes whole, and as `json` or `text`.")
            sound = await file.read()
            recording = Recording(sound=sound, kind=kind_of(sound), language=language, prompt=prompt)
            text = await self._for(called_by).heard(recording)
            if response_format == "text":
                return Response(f"{text}\n", media_type=TEXT, headers=PRIVATE)
            return Response(Heard(text=text).model_dump_json(), media_type="application/json", headers=PRIVATE)

        @routes.post(SPEECH, responses=READ, response_class=Response)
        async def speech(called_by: CalledBy, body: SpeechBody) -> Response:
            """Text, read out."""
            reading = Reading(
                text=body.input, format=body.response_format, voice=body.voice, speed=body.speed, instructions=body.instructions
            )
            sound = await self._for(called_by).read_out(reading)
            return Response(sound, media_type=MEDIA_TYPES[reading.format], headers=PRIVATE)

        return routes

    def _for(self, caller: Caller) -> Speech:
        if self._way is None:
            detail = "There is no speech here: install handrail[voice], or name an audio server with HANDRAIL_AUDIO_URL."
            raise Problem(501, "no_speech", detail)
        self._rates.take(caller.user_id)
        return self._way
