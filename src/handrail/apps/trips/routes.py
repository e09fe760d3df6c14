"""`POST /trips/chat`: one run, with the travellers' answers sent along. It asks for no key (see `open_routes` of the app).

Rules: an answer that was not sent is no yes: the run stops there, and what it would have asked is the answer of the route; only `true` is a
yes; nothing is kept, so whoever gives more answers asks again from the beginning.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from handrail import No, Outcome, Parked, Say, Yes, run
from handrail.apps.trips.rendering import rendered
from handrail.apps.trips.rendering.html import POLICY, page
from handrail.apps.trips.rendering.markdown import markdown
from handrail.service import Serving
from handrail.service.problems import answered

LONGEST_MESSAGE = 2000
LONGEST_ANSWER = 500
MOST_ANSWERS = 8
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_ANSWER)]
HEADERS = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


class Answers(BaseModel):
    """What the travellers say when they are asked."""

    model_config = ConfigDict(extra="forbid")

    brief: StrictBool | Words | None = Field(
        default=None, description="true: the brief is right, whenever it is shown; a text: no, because."
    )
    plan: StrictBool | Words | None = Field(default=None, description="true: yes to the plan; a text: no, because.")
    questions: list[Words] = Field(default=[], max_length=MOST_ANSWERS, description="Answers to questions, in the order of asking.")


class Wish(BaseModel):
    """What is asked."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE)
    answers: Answers = Answers()


class Travellers:
    """Whoever asked, as far as they have sent their answers along."""

    def __init__(self, answers: Answers) -> None:
        """Nothing has been asked yet."""
        self._decided = {"record_brief": answers.brief, "submit_plan": answers.plan}
        self._words: Iterator[str] = iter(answers.questions)

    async def __call__(self, hold: Any) -> Yes | No | Say | None:
        """The answer to one hold, or `None` where none was sent."""
        if hold.kind != "approval":
            words = next(self._words, None)
            return None if words is None else Say(words)
        decided = self._decided.get(hold.tool)
        if decided is None:
            return None
        if isinstance(decided, str):
            return No(decided)
        return Yes() if decided else No()


def router(serving: Serving) -> APIRouter:
    """The routes of this app."""
    routes = APIRouter()

    @routes.post("/trips/chat")
    async def chat(wish: Wish, form: Literal["json", "markdown", "html"] = "json") -> Response:
        ended = await run(
            serving.agent,
            wish.message,
            model=serving.model,
            deps=serving.deps,
            ask=Travellers(wish.answers),
            on_event=serving.on_event,
        )
        if isinstance(ended, Parked):
            return JSONResponse(
                {"status": "asked", "asked": [{"kind": hold.kind, "tool": hold.tool, "show": hold.show} for hold in ended.holds]}
            )
        return _answer(ended, form)

    return routes


def _answer(ended: Outcome, form: str) -> Response:
    trip = answered(ended)
    if not isinstance(trip, dict):
        return JSONResponse({"status": ended.status, "said": trip})
    shown = rendered(ended)
    if form == "html":
        return HTMLResponse(page(shown), headers=HEADERS)
    if form == "markdown":
        return PlainTextResponse(markdown(shown), media_type="text/markdown", headers=HEADERS)
    marks = {"partial": ended.partial, "unconfirmed": ended.unconfirmed, "unreviewed": ended.unreviewed, "limit": ended.limit}
    return JSONResponse({"status": ended.status, **marks, "remarks": shown.remarks, "trip": trip})
