"""A completion as server-sent events: the role, text as it comes, the end, the usage where it is wanted, `[DONE]`.

- Text comes as the model writes it where nobody can refuse it any more, each turn as a paragraph. What is missing of the answer
  comes at the end; where the run is in another process that is all of it.
- An error after the first event is an event with `error`, as the official clients read it.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import closing

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from handrail.service.problems import UNFORESEEN, problem
from handrail.service.streams import MEDIA_TYPE
from handrail.service.surfaces.openai.errors import body_of
from handrail.service.surfaces.openai.following import Alive, Following, Rested
from handrail.service.surfaces.openai.schemas import Answer, Choice, Chunk, ChunkChoice, Completed, Tokens
from handrail.service.texts import Piece

ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"
PARAGRAPH = "\n\n"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Finish = Callable[[Rested, "Written"], Awaitable[str]]
"""What is still to be sent of the answer."""

logger = logging.getLogger(__name__)


class Written:
    """What has been sent of the text, turn by turn."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.text = ""
        self._turn = ""

    def piece(self, text: str | None) -> str:
        """What to send of a piece."""
        if text is None:
            self._turn = ""
            return ""
        gap = PARAGRAPH if text and self.text and not self._turn else ""
        self._turn += text
        self.text += gap + text
        return gap + text

    def rest(self, answer: str) -> str:
        """What to send at the end, so that the answer is there as a whole."""
        if self._turn and answer.startswith(self._turn):
            return self.piece(answer.removeprefix(self._turn))
        self._turn = ""
        return self.piece(answer)


class Naming:
    """What is the same in every part of a completion."""

    def __init__(self, id: str, model: str, created: int) -> None:
        """Keep it."""
        self._fields = {"id": id, "model": model, "created": created}

    def whole(self, text: str, usage: Tokens) -> Completed:
        """The whole answer."""
        choices = [Choice(message=Answer(content=text))]
        return Completed.model_validate({**self._fields, "choices": choices, "usage": usage})

    def chunk(self, *choices: ChunkChoice, usage: Tokens | None = None) -> bytes:
        """One event."""
        made = Chunk.model_validate({**self._fields, "choices": choices, "usage": usage})
        line = made.model_dump_json(exclude={"usage"} if usage is None else None)
        return f"data: {line}\n\n".encode()


class Sent(StreamingResponse):
    """The events. Whatever becomes of the client, the following ends with it; the run does not."""

    def __init__(self, following: Following, events: AsyncGenerator[bytes, None], headers: dict[str, str]) -> None:
        """Send nothing yet."""
        super().__init__(events, media_type=MEDIA_TYPE, headers={**UNBUFFERED, **headers})
        self._following = following

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        with closing(self._following):
            await super().__call__(scope, receive, send)


async def sent(
    following: Following, naming: Naming, finish: Finish, *, usage: Callable[[Rested], Tokens] | None
) -> AsyncGenerator[bytes, None]:
    """The events of a message that is taken on already."""
    written = Written()
    yield naming.chunk(ChunkChoice(delta={"role": "assistant", "content": ""}))
    try:
        async for item in following.happens():
            match item:
                case Piece(text=text):
                    if new := written.piece(text):
                        yield naming.chunk(ChunkChoice(delta={"content": new}))
                case Alive():
                    yield ALIVE
                case Rested():
                    if new := await finish(item, written):
                        yield naming.chunk(ChunkChoice(delta={"content": new}))
                    yield naming.chunk(ChunkChoice(delta={}, finish_reason="stop"))
                    if usage is not None:
                        yield naming.chunk(usage=usage(item))
    except Exception as error:
        found = problem(error)
        if found is UNFORESEEN:
            logger.exception("a completion broke off")
        yield b"data: " + body_of(found) + b"\n\n"
        return
    yield DONE
