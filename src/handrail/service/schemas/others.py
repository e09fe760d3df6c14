"""Small bodies."""

from typing import Literal

from pydantic import BaseModel, Field


class Warm(BaseModel):
    """The way to the database is open."""

    status: Literal["warm"]


class Me(BaseModel):
    """Who calls."""

    user_id: str
    csrf_token: str | None = Field(description="What a browser's posts carry as X-CSRF-Token; null for a key.")


class Healthy(BaseModel):
    """The process answers."""

    status: Literal["ok"]


class Ready(BaseModel):
    """Every app can work."""

    status: Literal["ready"]


class ProblemError(BaseModel):
    """What is wrong with one field."""

    at: str
    rule: str
    detail: str


class ProblemBody(BaseModel):
    """Why something was not done (RFC 9457)."""

    type: Literal["about:blank"]
    title: str
    status: int
    code: str = Field(description="One word for programs.")
    detail: str = Field(description="One sentence for people.")
    errors: list[ProblemError] = []
