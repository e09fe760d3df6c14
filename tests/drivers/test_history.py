"""A history that is too long, over a driver: measured before the call, summarised by a run of its own, and gone on with."""

from typing import Any

import pytest

from handrail import Agent, run, tool
from handrail.core.events import HistoryCut, HistoryMeasured, Summarised, SummaryFailed
from handrail.drivers.measuring import Ruler, estimated
from handrail.drivers.summarising import INSTRUCTIONS, shortened, source
from handrail.errors import InputError
from handrail.models import OpenAIChat
from handrail.models.rehearsal.fallback import SUMMARISES
from handrail.models.rehearsal.server import started
from handrail.service.desk import Desk as ServiceDesk
from handrail.stores.journals import MemoryJournal
from handrail.testing import ScriptedModel, calls, fails, says
from handrail.vocab.failures import FailureKind
from handrail.vocab.messages import AssistantMessage, Message, user
from handrail.vocab.outcomes import Status
from handrail.vocab.requests import ModelRequest
from handrail.vocab.usage import Usage
from tests.drivers.kit import agent, done, find, told
from tests.drivers.office import Office
from tests.models.providing import Provider, replies, serving, whole

WORDS = "a long story about a journey to the west, with many stops on the way and much to eat. " * 20
LIMIT = 600
LONG: tuple[Message, ...] = (user(WORDS), AssistantMessage(text=WORDS), user("And then?"), AssistantMessage(text="That was it."))


@tool(effect="read")
async def tell(chapter: int) -> str:
    """Tell a chapter.

    Args:
        chapter: which.
    """
    return f"Chapter {chapter}: {WORDS}"


async def story(model: ScriptedModel, *, history: tuple[Message, ...] = LONG, **more: Any) -> tuple[Any, tuple[Any, ...]]:
    journal = MemoryJournal()
    declared = more.pop("agent", agent(tell))
    ended = done(await run(declared, "Go on.", model=model, history=history, history_limit=LIMIT, journal=journal, run_id="r", **more))
    return ended, await journal.read("r")


async def test_a_short_history_is_neither_counted_nor_cut() -> None:
    counted: list[ModelRequest] = []

    class Counting(ScriptedModel):
        def counted(self, request: ModelRequest) -> Any:
            counted.append(request)
            return estimated(request)

    with Counting(says("Done.")) as model:
        _, events = await story(model, history=())
    assert not counted and not any(isinstance(event, HistoryMeasured) for event in events)


async def test_older_turns_are_summarised_by_a_run_of_its_own_before_the_model_is_asked() -> None:
    with ScriptedModel(says("They travelled west."), says("Done.")) as model:
        ended, events = await story(model)
    summary, asked = model.requests
    assert summary.system.startswith(INSTRUCTIONS) and summary.model == "scripted" and not summary.tools
    assert "They travelled west." in told(asked.messages)[0] and told(asked.messages)[-1].endswith("Go on.")
    assert ended.usage.calls == 2
    assert [type(event) for event in events if isinstance(event, HistoryMeasured | Summarised | HistoryCut)] == [
        HistoryMeasured,
        Summarised,
        HistoryCut,
    ]


async def test_a_summariser_of_ones_own_is_asked() -> None:
    mine = Agent(name="scribe", instructions="Be brief.", model="scribe-model")
    with ScriptedModel(says("West."), says("Done.")) as model:
        await story(model, agent=agent(tell, summariser=mine))
    assert (model.requests[0].system, model.requests[0].model) == ("Be brief.", "scribe-model")


async def test_case_49_a_turn_that_grows_too_long_inside_a_run_is_summarised_and_the_run_goes_on() -> None:
    with ScriptedModel(calls(("tell", {"chapter": 1})), says("Chapter 1 told of the west."), says("Done.")) as model:
        ended, _ = await story(model, history=())
    assert ended.output == "Done." and "Chapter 1 told" in told(model.requests[2].messages)[0]


async def test_case_49_a_summariser_that_fails_twice_blocks_nothing() -> None:
    with ScriptedModel(fails(), fails(), says("Done.")) as model:
        ended, events = await story(model)
    assert ended.output == "Done."
    assert [event.detail for event in events if isinstance(event, SummaryFailed)] == [
        "the model call failed (unavailable): scripted failure"
    ] * 2
    assert "left out here" in told(model.requests[2].messages)[0]


async def test_case_49_a_message_that_alone_is_too_long_ends_the_run_with_words_that_say_so() -> None:
    with ScriptedModel() as model:
        ended = done(await run(agent(tell), WORDS * 2, model=model, history_limit=LIMIT))
    assert (ended.status, ended.limit) == (Status.FAILED, "the history limit")


async def test_what_a_provider_refuses_as_too_long_is_made_shorter_and_asked_again() -> None:
    too_long = fails(FailureKind.TOO_LONG, "HTTP 400: context_length_exceeded")
    with ScriptedModel(too_long, says("West."), says("Done.")) as model:
        ended = done(await run(agent(tell), "Go on.", model=model, history=LONG))
    assert ended.output == "Done." and "West." in told(model.requests[2].messages)[0]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"},
        {"message": "request (9000 tokens) exceeds the available context size (4096 tokens)", "type": "exceed_context_size_error"},
        {"message": "prompt is too long: 210000 tokens > 200000 maximum"},
    ],
    ids=["openai", "llama.cpp", "in words"],
)
async def test_the_ways_in_which_providers_say_that_are_known(error: dict[str, str]) -> None:
    provider = Provider(replies({"error": error}, 400), replies(whole({"content": "West."})), replies(whole({"content": "Done."})))
    async with serving(provider.app) as url:
        model = OpenAIChat(base_url=url, api_key="key")
        ended = done(await run(agent(tell), "Go on.", model=model, history=LONG))
        await model.close()
    assert ended.output == "Done." and len(provider.bodies) == 3


async def test_a_limit_is_a_number_of_tokens() -> None:
    with pytest.raises(InputError, match="1 or more tokens"):
        await run(agent(), "hi", model=ScriptedModel(), history_limit=0)


async def test_without_a_limit_nothing_is_cut() -> None:
    with ScriptedModel(says("Done.")) as model:
        await run(agent(tell), "Go on.", model=model, history=LONG, history_limit=None)
    assert len(model.requests[0].messages) == 5


def test_a_source_is_cut_in_the_middle_of_what_is_long_so_that_it_fits() -> None:
    text = source((user("x" * 100_000), AssistantMessage(text="short"), user("y" * 100_000)), 3_000)
    assert len(text) < 3_000 and '"short"' in text and "…" in text
    assert shortened("abcdefghij", 5) == "ab…ij" and shortened("abc", 3) == "abc"


def test_a_request_never_has_more_tokens_than_the_ruler_says() -> None:
    ruler = Ruler(ScriptedModel())
    messages: tuple[Message, ...] = ()
    for number in range(5):
        messages = (*messages, user(f"{number} Ünïcødé 漢字 \U0001f44b" * 50), AssistantMessage(text="ok"))
        request = ModelRequest(model="m", system="s" * 40, messages=messages, tools=(find.declaration,))
        assert ruler.most(request) == Ruler(ScriptedModel()).most(request) > estimated(request).total
    shorter = ModelRequest(model="m", system="s" * 40, messages=messages[:3])
    assert ruler.most(shorter) == Ruler(ScriptedModel()).most(shorter)


async def test_a_job_has_its_limit_and_a_session_remembers_the_summary(office: Office) -> None:
    plain = agent(tell)
    with ScriptedModel(says(WORDS), says("They spoke of the west."), says("Done.")) as model:
        worker = office.worker(plain, model)
        first = await office.asked(WORDS)
        await worker.advance("s")
        office.desk = ServiceDesk(office.database, office.bell, apps=("mini",), clock=office.clock, history_limit=LIMIT)
        second = await office.asked("Go on.")
        await worker.advance("s")
    assert (await office.job(first)).history_limit == 100_000
    job = await office.job(second)
    assert job.history_limit == LIMIT and job.history_tokens == 15 and job.response == "Done."
    assert any(isinstance(event, HistoryCut) for event in await office.events(second))


async def test_a_reply_without_usage_is_counted_for_a_job(office: Office) -> None:
    with ScriptedModel(says("Done.", usage=Usage())) as model:
        job = await office.asked("Go on, and tell me about the west.")
        await office.worker(agent(tell), model).advance("s")
    assert (await office.job(job)).history_tokens > 20


async def test_the_stand_in_summarises_what_the_user_said() -> None:
    assert SUMMARISES in INSTRUCTIONS.replace("\n", " ")
    async with started() as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        journal = MemoryJournal()
        await run(agent(), "And now?", model=model, history=LONG, history_limit=LIMIT, journal=journal, run_id="r")
        await model.close()
    (summary,) = [event.text for event in await journal.read("r") if isinstance(event, Summarised)]
    assert summary.startswith("The user said: a long story")
