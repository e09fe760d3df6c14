"""What is read of a request, and what is answered (https://platform.openai.com/docs/api-reference/chat).

- Of a request only these fields mean anything here. Others are ignored, as every provider does with what it does not know.
- What would change the answer's form and cannot be had is in `UNSUPPORTED`, and is refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from handrail.service.schemas.fields import SessionId

UNSUPPORTED: Mapping[str, tuple[Any, ...]] = {
    "n": (None, 1),
    "logprobs": (None, False),
    "top_logprobs": (None, 0),
    "modalities": (None, ["text"]),
    "audio": (None,),
    "response_format": (None, {"type": "text"}),
    "web_search_options": (None,),
}
"""Fields that are refused, with the values that ask for nothing."""


class _Read(BaseModel):
    """Something that a client sends; what is not known is ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Part(_Read):
    """A part of a message."""

    type: str = Field(description="`text`; other kinds are refused in the message that is new, and ignored in earlier ones.")
    text: str | None = None


class ChatMessage(_Read):
    """One message of the conversation. Of those of a system, of tools, and of calls nothing is heeded."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None


class Metadata(_Read):
    """Of what a client may note, what is read here."""

    session_id: SessionId | None = None


class StreamOptions(_Read):
    """How it is streamed."""

    include_usage: bool | None = None


class Completion(_Read):
    """One message to an agent, in the form of a chat completion."""

    model_config = ConfigDict(extra="allow", strict=True)

    model: str = Field(description="The app, as `/v1/models` lists it.")
    messages: Annotated[list[ChatMessage], Field(min_length=1, description="The last one is the user's, and is the only one that is new.")]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: Metadata | None = Field(default=None, description="`session_id` names the conversation, as the header X-Session-Id does.")


class Model(BaseModel):
    """An app, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["handrail"] = "handrail"


class Models(BaseModel):
    """Every app that is served."""

    object: Literal["list"] = "list"
    data: list[Model]


class Tokens(BaseModel):
    """Tokens that the job has used, in all of its model calls."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Answer(BaseModel):
    """What the agent says."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class Choice(BaseModel):
    """The only one."""

    index: Literal[0] = 0
    message: Answer
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class Completed(BaseModel):
    """A whole answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Tokens


class ChunkChoice(BaseModel):
    """The only one."""

    index: Literal[0] = 0
    delta: dict[Literal["role", "content"], str]
    finish_reason: Literal["stop"] | None = None


class Chunk(BaseModel):
    """A piece of an answer; the one with the usage has no choice."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Tokens | None = None


class ErrorInside(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """An error, as OpenAI says it."""

    error: ErrorInside
