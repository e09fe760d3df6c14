"""What can be set for this app alone: whether it may write, and under whose loop it runs."""

from enum import StrEnum

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from handrail.service import settings


class Loop(StrEnum):
    """Who calls the model and the tools. The ring is ours under all of them."""

    HANDRAIL = "handrail"
    OPENAI_AGENTS = "openai-agents"
    PYDANTIC_AI = "pydantic-ai"


class FoodFightSettings(BaseSettings):
    """Each field is an environment variable: `HANDRAIL_FOODFIGHT_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="HANDRAIL_FOODFIGHT_", extra="ignore", frozen=True, hide_input_in_errors=True)

    writes: bool = Field(default=False, description="Whether the tools that write are offered; a person still says yes to every call.")
    loop: Loop = Field(
        default=Loop.HANDRAIL,
        description="Whose loop runs the agent in `handrail chat` and in `talk`; `openai-agents` needs the extra `agents`, "
        "`pydantic-ai` the extra `pydantic-ai`. Jobs of the service are parked and survive crashes, so they keep handrail's own.",
    )


def read_settings() -> FoodFightSettings:
    """The settings of this environment.

    Raises:
        InputError: one of them does not fit.
    """
    return settings.read_settings(FoodFightSettings)
