"""What is read of a request, and what is answered (https://platform.openai.com/docs/api-reference/audio).

- Of a request only these fields mean anything here. What would change the answer's form and cannot be had is refused.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from handrail.service.schemas.fields import NOT_BLANK
from handrail.service.surfaces.audio.contract import Format

LONGEST_TEXT = 4_096
LONGEST_PROMPT = 4_000
LANGUAGE = "^[a-z]{2}$"
VOICE = r"^[A-Za-z0-9_.:-]{1,64}$"


class SpeechBody(BaseModel):
    """Text to be read out."""

    model_config = ConfigDict(extra="ignore", strict=True)

    input: str = Field(min_length=1, max_length=LONGEST_TEXT, pattern=NOT_BLANK, description="The text, without markup.")
    model: str = Field(default="", max_length=200, description="Is not heeded: the service's settings say which one is used.")
    voice: str | None = Field(default=None, pattern=VOICE, description="Whose voice, where the service's own has several.")
    response_format: Format = Field(default="mp3", description="`pcm` is 24 kHz, 16 bits, one channel.")
    speed: float = Field(default=1.0, ge=0.25, le=4.0)
    instructions: str | None = Field(
        default=None, max_length=LONGEST_TEXT, description="How it is to be read, where the model can be told."
    )
    stream_format: Literal["audio"] = Field(default="audio", description="The sound comes whole.")


class Heard(BaseModel):
    """What was said."""

    text: str
