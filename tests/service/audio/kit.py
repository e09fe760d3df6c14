"""Recordings for the tests, and another audio server: a real one on a socket, that says what it was asked."""

import asyncio
import io
import math
import wave
from array import array
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import UploadFile

from handrail.cli.listening import listening, url
from handrail.service.http import Http
from tests.service.branch import LONGEST


def wav(seconds: float = 0.5, *, rate: int = 16_000, loud: float = 0.0) -> bytes:
    """A recording of silence, or of a tone."""
    samples = array("h", (round(loud * 32_767 * math.sin(2 * math.pi * 440 * at / rate)) for at in range(round(seconds * rate))))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return out.getvalue()


def parts(sound: bytes | None = None, name: str = "said.wav") -> dict[str, Any]:
    """A recording, as a client sends it."""
    return {"file": (name, wav() if sound is None else sound, "audio/wav")}


class Elsewhere:
    """An audio server.

    Attributes:
        asked: the fields of each request, and its key.
        answers: what it says instead, one after the other.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answers: list[Response] = []
        self.app = FastAPI(openapi_url=None)
        self.app.add_api_route("/v1/audio/transcriptions", self._heard, methods=["POST"])
        self.app.add_api_route("/v1/audio/speech", self._read, methods=["POST"])

    async def _heard(self, request: Request) -> Response:
        async with request.form() as form:
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
            file = form["file"]
            assert isinstance(file, UploadFile)
            fields |= {"name": file.filename or "", "kind": file.content_type or "", "length": str(file.size)}
        self.asked.append({**fields, "key": request.headers.get("authorization")})
        return self.answers.pop(0) if self.answers else JSONResponse({"text": " two pad thai, please \n", "usage": {"type": "tokens"}})

    async def _read(self, request: Request) -> Response:
        self.asked.append({**await request.json(), "key": request.headers.get("authorization")})
        return self.answers.pop(0) if self.answers else Response(b"a sound", media_type="audio/mpeg")


@asynccontextmanager
async def elsewhere() -> AsyncIterator[tuple[Elsewhere, str]]:
    """The server on a socket, and its address."""
    server = Elsewhere()
    with listening("127.0.0.1", 0) as listener:
        http = Http(server.app, stopping=lambda: None)
        serving = asyncio.create_task(http.serve(listener))
        try:
            yield server, f"{url(listener)}/v1"
        finally:
            http.stop()
            async with asyncio.timeout(LONGEST):
                await serving
