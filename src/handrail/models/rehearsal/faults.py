"""An answer that breaks off: its head promises more than comes, and then the connection is closed."""

import logging

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PROMISED = 4096
SENT = b'{"id":"chatcmpl-broken","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"I was ab'


class BrokenOff(Response):
    """Ends in the middle; uvicorn then closes the connection, since it cannot be used any more."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head and a piece, and nothing more."""
        headers = [(b"content-type", b"application/json"), (b"content-length", str(PROMISED).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": SENT, "more_body": True})


class _Meant(logging.Filter):
    """Passes everything but uvicorn's complaint about an answer that was broken off on purpose."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        return not record.getMessage().startswith("ASGI callable returned without completing response")


_MEANT = _Meant()


def quiet() -> None:
    """Let uvicorn not complain about what is meant; asked twice it is done once."""
    logging.getLogger("uvicorn.error").addFilter(_MEANT)
