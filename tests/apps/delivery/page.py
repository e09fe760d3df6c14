"""The page, played by the test: it runs the loop, calls the model over HTTP, clicks over HTTP, and asks a person before an order.

What is real: the agent and its ring, the core, the server's tools, the routes, the facts that the server notes. The page is a few lines.
"""

import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import httpx2

from handrail.apps.delivery.delivery_agent import agent
from handrail.apps.delivery.interface import beside
from handrail.core.effects import AskClient, AskPerson, CallModel, Effect, RunTool, StartTool
from handrail.core.events import (
    CallRefused,
    Event,
    FactsNoted,
    HoldAnswered,
    ModelReplied,
    RunStarted,
    ToolFailed,
    ToolReturned,
    ToolStarted,
)
from handrail.core.request import request
from handrail.ports import Model
from handrail.tools import Failed, Returned, Tool, ToolContext
from handrail.vocab.calls import ProposedCall, call_id
from handrail.vocab.messages import Message
from handrail.vocab.outcomes import Outcome
from handrail.vocab.reviews import Answer
from tests.apps.delivery.kit import Customer, TestShop
from tests.core.kit import Play

Show = dict[str, Any]
MOST_STEPS = 200


class Page:
    """One browser tab with a conversation.

    Attributes:
        shown: the carts that the person was asked about.
        clicks: what the page did for the agent, in order.
        events: of all runs.
    """

    def __init__(self, customer: Customer, shop: TestShop, model: Model, decide: Callable[[Show], bool] = lambda show: True) -> None:
        self.customer, self.shop, self.model, self.decide = customer, shop, model, decide
        self.shown: list[Show] = []
        self.clicks: list[str] = []
        self.events: list[Event] = []
        self._history: Sequence[Message] = ()
        self._seen: Show = {}
        self._keys = count(1)

    async def say(self, text: str) -> str:
        """One message, from asking to finish; the answer in words."""
        outcome = await self.run(text)
        return str(outcome.output or outcome.reason)

    async def run(self, text: str) -> Outcome:
        """The same, with all of the outcome."""
        along = await beside(self.shop, "alice", self.customer.session)
        play = Play(agent(), at=self.shop.at)
        started = RunStarted(
            at=play.now,
            run_id=f"r{next(self._keys)}",
            agent=play.agent.name,
            fingerprint=play.agent.fingerprint,
            message=text,
            history=tuple(self._history),
            notes=tuple(along.notes),
        )
        play.give(started)
        for noted in along.facts:
            play.give(FactsNoted(at=play.now, source=noted.source, facts=noted.facts, replaces=noted.replaces))
        for _ in range(MOST_STEPS):
            if play.state.outcome is not None:
                break
            await self._served(play, next(effect for effect in play.effects if type(effect).__name__ != "WakeAt"))
        self._history = play.state.transcript
        self.events += play.journal
        return play.outcome

    @property
    def refused(self) -> list[str]:
        """The guards that refused something."""
        return [event.guard for event in self.events if isinstance(event, CallRefused)]

    async def _served(self, play: Play, effect: Effect) -> None:
        match effect:
            case CallModel():
                answer = await self.model.reply(request(play.agent, play.state))
                proposed = tuple(
                    ProposedCall(id=call_id(effect.turn, place), name=call.name, arguments=call.arguments, provider_id=call.provider_id)
                    for place, call in enumerate(answer.calls, 1)
                )
                play.give(ModelReplied(at=play.now, turn=effect.turn, text=answer.text, calls=proposed, finish=answer.finish))
            case StartTool():
                play.give(ToolStarted(at=play.now, call=effect.call))
            case RunTool():
                await self._on_the_server(play, effect)
            case AskPerson(show=dict() as show):
                self.shown.append(show)
                self._seen = show
                answered = Answer.YES if self.decide(show) else Answer.NO
                play.give(HoldAnswered(at=play.now, hold=effect.hold, digest=effect.digest, answer=answered))
            case AskClient():
                play.give(ToolStarted(at=play.now, call=effect.call))
                await self._in_the_browser(play, effect)
            case _:
                raise AssertionError(f"the page cannot serve {effect!r}")

    async def _on_the_server(self, play: Play, effect: RunTool) -> None:
        tool: Any = play.agent.tools[effect.tool]
        assert isinstance(tool, Tool)
        came = await tool.run(effect.arguments, ToolContext(deps=self.shop, ledger=play.state.ledger))
        if isinstance(came, Returned):
            play.give(ToolReturned(at=play.now, call=effect.call, content=came.content, text=came.text, facts=came.facts))
        else:
            assert isinstance(came, Failed)
            play.give(ToolFailed(at=play.now, call=effect.call, error=came.error))

    async def _in_the_browser(self, play: Play, effect: AskClient) -> None:
        """Click, hand on what the server noted, and answer; what cannot be done now says why."""
        self.clicks.append(effect.tool)
        before = len(self.shop.noted)
        cart = self._seen.get("cart", "empty")
        answer = await clicked(self.customer, effect.tool, json.loads(effect.arguments), cart=cart, key=f"key-{next(self._keys)}")
        for _, _, noted in self.shop.noted[before:]:
            play.give(FactsNoted(at=play.now, source=noted.source, facts=noted.facts, replaces=noted.replaces))
        if answer.status_code == 200:
            play.give(ToolReturned(at=play.now, call=effect.call, content=answer.text))
        else:
            play.give(ToolFailed(at=play.now, call=effect.call, error=answer.json()["detail"]))


async def clicked(page: Customer, tool: str, arguments: dict[str, Any], *, cart: str, key: str) -> httpx2.Response:
    """What a page does for a call of the agent's; `cart` is the version that the person said yes to."""
    by = {"by": "agent"}
    match tool:
        case "open_restaurant_page":
            return await page.did("page_opened", **arguments, **by)
        case "close_restaurant_page":
            return await page.did("page_closed", **by)
        case "get_user_actions":
            return await page.client.get("/delivery/acts", params={"session_id": page.session, **arguments})
        case "add_food_to_cart":
            return await page.post("cart/items", **arguments, **by)
        case "remove_food_from_cart":
            return await page.post("cart/removals", **arguments, **by)
        case "open_shopping_cart":
            await page.did("cart_opened", **by)
            return await page.client.get("/delivery/cart", params={"session_id": page.session})
        case "close_shopping_cart":
            return await page.did("cart_closed", **by)
        case "place_order":
            return await page.order(key, cart=cart, **by)
        case _:
            return await page.did("handsfree_on" if arguments["on"] else "handsfree_off", **by)
