"""`POST /orders/chat`: a question in, an answer out. It asks for no key: the console that calls it is behind single sign-on."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from handrail.apps.orders.orders_agent import answer
from handrail.service import Serving

LONGEST_MESSAGE = 2000


class Question(BaseModel):
    """What is asked."""

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE)


class Answer(BaseModel):
    """What is answered."""

    answer: str


def router(serving: Serving) -> APIRouter:
    """The routes of this app."""
    routes = APIRouter()

    @routes.post("/orders/chat")
    async def chat(question: Question) -> Answer:
        text = await answer(question.message, model=serving.model, database=serving.deps, asked=serving.agent, on_event=serving.on_event)
        return Answer(answer=text)

    return routes
