"""A tiny app, and a service with it that is asked without a network."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from fastapi import APIRouter, FastAPI
from pydantic import BaseModel, Field

from handrail import Agent
from handrail.service import App, Serving
from handrail.service.problems import answered

opened: list[str] = []


class Words(BaseModel):
    words: str = Field(min_length=1, max_length=20)


def greeter() -> Agent:
    return Agent(name="greeter", instructions="Greet.", model="some-model")


@asynccontextmanager
async def deps() -> AsyncIterator[str]:
    opened.append("open")
    yield "the deps"
    opened.append("closed")


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(prefix="/greeter")

    @routes.post("/greet")
    async def greet(words: Words) -> dict[str, Any]:
        return {"said": answered(await serving.ask(words.words)), "deps": serving.deps}

    @routes.post("/break")
    async def broken() -> None:
        raise RuntimeError("the password is hunter2")

    return routes


APP = App(
    name="greeter",
    summary="Greets.",
    agent=greeter,
    deps=deps,
    routes="tests.service.kit",
    open_routes={"/greeter/greet": "a test", "/greeter/break": "a test"},
)


@asynccontextmanager
async def asking(service: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """The service, started; an exception of its own is an answer and does not end the test."""
    transport = httpx2.ASGITransport(service, raise_app_exceptions=False)
    async with service.router.lifespan_context(service), httpx2.AsyncClient(transport=transport, base_url="http://service.test") as client:
        yield client
