"""One message under the SDK's `Runner.run`, from asking to finish, and what is kept of it for the next one.

- The SDK's loop runs. Between its turns the core can have a last word: a reply that it does not take (an empty one, a text that a guard
  refuses) is answered with a note, and the SDK runs again; a limit ends the run before the next model call.
- What was finished is kept, whichever way it ends: `items` is what `to_input_list()` gives, valid for a next run.
- Nothing is sent to the SDK's tracing.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import openai
from agents import Agent as Hosted
from agents import (
    Model,
    ModelBehaviorError,
    ModelRefusalError,
    ModelSettings,
    RunConfig,
    RunHooks,
    Runner,
    ToolErrorFormatterArgs,
    TResponseInputItem,
)
from agents.run import CallModelData, ModelInputData

from handrail.adapters.foreign import ENDED, Gate, OnEvent, now
from handrail.adapters.openai_agents.hooks import GateHooks
from handrail.adapters.openai_agents.ported import PortedModel, in_order, messages_of
from handrail.adapters.openai_agents.tools import function_tools
from handrail.core.agent import Agent
from handrail.errors import Bug, ModelError
from handrail.models.failures import failure
from handrail.models.wire import NOTE
from handrail.ports import Journal, Person
from handrail.ports import Model as Port
from handrail.vocab.outcomes import Outcome

LONGEST_DETAIL = 300
Items = list[TResponseInputItem]


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended.

    Args:
        outcome: ours, as `handrail.run` gives it.
        items: the conversation in the SDK's form; give it as `history` to the next run.
    """

    outcome: Outcome
    items: Items


class RunOver(Exception):
    """Raised out of the SDK's loop: the core has ended the run, and no model is to be asked any more."""


class Kept:
    """The SDK's items as they were before the latest model call."""

    def __init__(self, items: Items) -> None:
        """Begin with those that there are."""
        self.items = items


def run_config(gate: Gate, kept: Kept | None = None) -> RunConfig:
    """What `Runner.run(run_config=…)` has to be given: notes of the ring's, the end, and what a call of an unknown tool is answered."""

    def asking(data: CallModelData[Any]) -> ModelInputData:
        items = in_order(data.model_data.input)
        if kept is not None:
            kept.items = items
        if gate.outcome is not None:
            raise RunOver
        return ModelInputData(input=_with_notes(items, gate.notes), instructions=data.model_data.instructions)

    async def unknown(args: ToolErrorFormatterArgs[Any]) -> str | None:
        return await gate.result(args.call_id) if args.kind == "tool_not_found" else None

    return RunConfig(
        tracing_disabled=True,
        call_model_input_filter=asking,
        tool_not_found_behavior="return_error_to_model",
        tool_error_formatter=unknown,
    )


def hosted(gate: Gate, model: Model) -> Hosted[Any]:
    """The gate's agent as one of the SDK's, for one run."""
    settings = gate.agent.settings
    extra: Mapping[str, Any] = {**settings.extra, **({"seed": settings.seed} if settings.seed is not None else {})}
    return Hosted(
        name=gate.agent.name,
        instructions=lambda context, agent: gate.instructions,
        model=model,
        model_settings=ModelSettings(
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            parallel_tool_calls=settings.parallel_tool_calls,
            extra_body=dict(extra) or None,
        ),
        tools=function_tools(gate),
    )


async def run(
    agent: Agent,
    message: str,
    *,
    model: Port | Model,
    deps: Any = None,
    history: Sequence[TResponseInputItem] = (),
    ask: Person | None = None,
    hooks: RunHooks[Any] | None = None,
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
    now: Callable[[], datetime] = now,
    run_id: str | None = None,
) -> Ran:
    """Run the agent on a message under the SDK's loop.

    Args:
        agent: what runs; one without a submit tool, reviewers, and tools that run elsewhere.
        message: what the user says.
        model: one of ours, or one of the SDK's own.
        deps: given to the tools as `ToolContext.deps`.
        history: the `items` of the run before.
        ask: asks a person; where it is missing, or gives `None`, the answer to an approval is a no.
        hooks: the SDK's, told of what really runs.
        journal: keeps our events of the run; `handrail.resume` can go on with them, under our own loop.
        on_event: called with each event and the state after it.
        now: the time.
        run_id: a name of one's own.

    Raises:
        AgentError: the agent has what this host cannot hold.
        InputError: the message is empty, or `ask` gave something that is no answer.
    """
    gate = Gate(agent, deps=deps, ask=ask, journal=journal, on_event=on_event, now=now, run_id=run_id)
    await gate.begin(message, messages_of(list(history)))
    said: TResponseInputItem = {"role": "user", "content": message}
    kept = Kept([*history, said])
    starting = hosted(gate, model if isinstance(model, Model) else PortedModel(model, agent.model))
    while (outcome := gate.outcome) is None:
        turn = gate.state.turn
        await _once(gate, starting, kept, GateHooks(gate, hooks))
        if gate.outcome is None and gate.state.turn == turn:
            raise Bug("the SDK's loop came back without having asked the model")
    last = _last_words(kept.items, gate.last_word) if gate.last_word else []
    return Ran(outcome=outcome, items=[*kept.items, *last])


def _with_notes(items: Items, notes: Sequence[str]) -> Items:
    """The ring's notes in the user's role, in one message with what the user said last: providers refuse two in a row."""
    if not notes:
        return items
    text = "\n\n".join(f"{NOTE}{note}" for note in notes)
    match items[-1:]:
        case [{"role": "user", "content": str(said)}]:
            return [*items[:-1], {"role": "user", "content": f"{said}\n\n{text}"}]
        case _:
            return [*items, {"role": "user", "content": text}]


def _last_words(items: Items, text: str) -> Items:
    """What is kept where it is not the model that has spoken last: no two replies stand next to each other."""
    spoke: Any = items[-1] if items else {}
    between: Items = [{"role": "user", "content": NOTE + ENDED}] if spoke.get("role") == "assistant" else []
    return [*between, {"role": "assistant", "content": text}]


async def _once(gate: Gate, starting: Hosted[Any], kept: Kept, hooks: GateHooks) -> None:
    """The SDK's loop, until it takes a reply for the end, the core ends the run, or the model fails."""
    try:
        result = await Runner.run(starting, list(kept.items), max_turns=None, hooks=hooks, run_config=run_config(gate, kept))
    except RunOver:
        return
    except ModelError as error:
        await gate.failed(error.kind, str(error)[:LONGEST_DETAIL])
    except openai.OpenAIError as error:
        known = failure(error, now=gate.now())
        await gate.failed(known.kind, str(known))
    except ModelRefusalError as refused:
        kept.items = [*kept.items, {"role": "assistant", "content": refused.refusal}]
    except ModelBehaviorError:
        await gate.stopped("the SDK could not read the reply")
    else:
        kept.items = in_order(result.to_input_list())
