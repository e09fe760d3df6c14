"""`GET /v1/models`, `GET /v1/models/{model_id}`, `POST /v1/chat/completions`.

- Which conversation a request belongs to: the one that it names (`X-Session-Id`, or `metadata.session_id`), else the one whose client has
  seen exactly what stands before the new message, else a new one.
- The answer is kept as the conversation's head before the client has it, so that its next request finds the way.
"""

import secrets
from collections.abc import Sequence
from contextlib import closing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Response

from handrail.errors import Bug
from handrail.service.auth.callers import CalledBy, Caller
from handrail.service.desk import LONGEST_ID, Asked
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.schemas.fields import SESSION_ID
from handrail.service.serving import Serving
from handrail.service.streams import MEDIA_TYPE
from handrail.service.surfaces.openai import conversation
from handrail.service.surfaces.openai.conversation import Turn
from handrail.service.surfaces.openai.following import Following, Rested, follow
from handrail.service.surfaces.openai.schemas import (
    UNSUPPORTED,
    Completed,
    Completion,
    ErrorBody,
    Model,
    Models,
    Tokens,
)
from handrail.service.surfaces.openai.sending import Naming, Sent, Written, sent
from handrail.service.surfaces.openai.words import words
from handrail.stores import threads
from handrail.stores.transactions import read, write

ERRORS: dict[int | str, dict[str, Any]] = {422: {"model": ErrorBody}}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The answer; as events where `stream` is true.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
    502: {},
}
ModelId = Annotated[str, Path(max_length=LONGEST_ID, description="The app's name.")]


class Going:
    """One completion: which conversation it is of, and what becomes of the answer."""

    def __init__(self, running: Running, serving: Serving, caller: Caller) -> None:
        """Nothing is asked yet."""
        self._running = running
        self._serving = serving
        self._caller = caller
        self._session_id = ""
        self._seen: Sequence[Turn] | None = None  # nothing, where the client has named the conversation

    async def asked(self, body: Completion, session_id: str | None) -> Asked:
        """The one message, and where it belongs.

        Raises:
            Problem: there is no message of the user's, or something is wanted that cannot be had.
        """
        _check_supported(body)
        app, user_id = self._serving.app.name, self._caller.user_id
        heard = conversation.heard(body.messages)
        named, message = session_id or (body.metadata.session_id if body.metadata is not None else None), heard.text
        if named is not None:
            return Asked(user_id=user_id, session_id=named, app=app, message=message)
        self._seen = (*heard.earlier, ("user", heard.text))
        if heard.earlier:
            named = await read(self._running.database, threads.session_of, user_id, conversation.head(app, heard.earlier))
            message = heard.text if named is not None else conversation.quoted(heard)
        self._session_id = named or f"chat_{secrets.token_hex(16)}"
        return Asked(user_id=user_id, session_id=self._session_id, app=app, message=message)

    async def finish(self, rested: Rested, written: Written) -> str:
        """What is still to be sent of the answer.

        Raises:
            Problem: there is none.
        """
        rest = written.rest(await words(self._running, self._serving.app, rested))
        if self._seen is not None:
            head = conversation.head(self._serving.app.name, (*self._seen, ("assistant", written.text)))
            now = self._running.clock.now()
            await write(self._running.database, threads.move, self._caller.user_id, self._session_id, head, at=now)
        return rest


def router(running: Running, served: Sequence[Serving]) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/v1", tags=["openai"], responses=ERRORS)
    apps = {serving.app.name: serving for serving in served}
    since = int(running.clock.now().timestamp())

    @routes.get("/models")
    async def models(called_by: CalledBy) -> Models:
        """The apps that are served, as models."""
        return Models(data=[Model(id=name, created=since) for name in apps])

    @routes.get("/models/{model_id}")
    async def model(model_id: ModelId, called_by: CalledBy) -> Model:
        """One of them."""
        return Model(id=_served(apps, model_id).app.name, created=since)

    @routes.post("/chat/completions", response_model=Completed, responses=ANSWERS)
    async def completions(
        body: Completion,
        response: Response,
        called_by: CalledBy,
        session_id: Annotated[
            str | None, Header(alias="X-Session-Id", pattern=SESSION_ID, description="The conversation, where the client has a name of it.")
        ] = None,
    ) -> Response | Completed:
        """Say something to an agent, and wait for its answer."""
        serving = _served(apps, body.model)
        running.messages.take(called_by.user_id)
        going = Going(running, serving, called_by)
        asked = await going.asked(body, session_id)
        following = await follow(running, asked, live=bool(body.stream))
        job = following.job
        headers = {"X-Session-Id": job.session_id, "X-Job-Id": job.job_id}
        naming = Naming(f"chatcmpl-{job.job_id}", serving.app.name, int(running.clock.now().timestamp()))
        if body.stream:
            wanted = body.stream_options is not None and body.stream_options.include_usage
            return Sent(following, sent(following, naming, going.finish, usage=_tokens if wanted else None), headers)
        response.headers.update(headers)
        rested = await _rested(following)
        return naming.whole(await going.finish(rested, Written()), _tokens(rested))

    return routes


def _served(apps: dict[str, Serving], name: str) -> Serving:
    if name not in apps:
        raise Problem(404, "model_not_found", "There is no such model here; GET /v1/models lists those that there are.")
    return apps[name]


def _check_supported(body: Completion) -> None:
    extra = body.model_extra or {}
    for name, fine in UNSUPPORTED.items():
        if extra.get(name) not in fine:
            raise Problem(400, "unsupported", f"`{name}` is not supported with this value: an agent gives one answer, as text.")


async def _rested(following: Following) -> Rested:
    with closing(following):
        async for item in following.happens():
            if isinstance(item, Rested):
                return item
    raise Bug(f"{following.job.job_id} was followed to no end")


def _tokens(rested: Rested) -> Tokens:
    usage = rested.usage
    return Tokens(prompt_tokens=usage.input_tokens, completion_tokens=usage.output_tokens, total_tokens=usage.total)
