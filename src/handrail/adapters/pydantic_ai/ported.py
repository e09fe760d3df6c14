"""A model of ours as one of the host's.

- What the host keeps (`all_messages()`) is what is asked with: its messages become ours, and `handrail.models` writes them out.
- The declarations go as the host has them, which under the ring is word for word as the tool declares itself.
- There is no streaming: under the ring a text is shown when it is accepted, not before.
"""

from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from handrail.adapters.pydantic_ai.messages import messages_of, response_of, system_of
from handrail.errors import InputError
from handrail.ports import Model as Port
from handrail.vocab.requests import ModelRequest

SENT = ("temperature", "top_p", "max_tokens", "parallel_tool_calls", "seed")


class PortedModel(Model[Any]):
    """A model of ours (`handrail.ports.Model`), such as `OpenAIChat`, for the host's `Agent(model)`.

    Args:
        port: answers.
        name: the provider's name of the model.
    """

    def __init__(self, port: Port, name: str) -> None:
        """Keep both."""
        super().__init__()
        self._port = port
        self._name = name

    @property
    def model_name(self) -> str:
        """The provider's name of the model."""
        return self._name

    @property
    def system(self) -> str:
        """Whose it is."""
        return "handrail"

    async def request(
        self, messages: list[ModelMessage], model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> ModelResponse:
        """Ask our model with the host's messages.

        Raises:
            InputError: something in the messages is no text.
            ModelError: the provider failed.
        """
        instructions = [part.content for part in model_request_parameters.instruction_parts or ()]
        request = ModelRequest(
            model=self._name,
            system="\n\n".join([*system_of(messages), *instructions]),
            messages=messages_of(messages),
            tools=tuple(map(_declaration, model_request_parameters.declared_function_tools)),
            choice=_choice(model_settings or {}),
            settings=_settings(model_settings or {}),
        )
        return response_of(await self._port.reply(request), self._name)


def _declaration(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters_json_schema}
    return {"type": "function", "function": function}


def _choice(settings: Mapping[str, Any]) -> str:
    match settings.get("tool_choice"):
        case "auto" | None:
            return "auto"
        case "none":
            return "none"
        case [str(name)]:
            return name
        case other:
            raise InputError(f"tool_choice={other!r} is none that handrail's models know; name one tool, or give 'auto' or 'none'")


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: settings[name] for name in SENT if settings.get(name) is not None}
    extra = settings.get("extra_body")
    return {**(extra if isinstance(extra, Mapping) else {}), **given}
