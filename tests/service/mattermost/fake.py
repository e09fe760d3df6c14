"""A Mattermost server as its source has it, as far as slash commands and buttons go: over real HTTP, on this machine.

What stands for what, in mattermost/mattermost under `server/`:

- `typed` sends the form of `tryExecuteCustomCommand` and `DoCommandRequest` (`channels/app/command.go`);
- a hook takes five posts within thirty minutes (`HandleCommandWebhook` in `channels/app/webhook.go`, `TryUse` in its store), and each try
  counts, whether it becomes a post or not;
- a post has at most 16,383 characters (`Post.IsValid`), an action has a name, a type and an address (`PostAction.IsValid`);
- `mentions` reads a post as `channels/app/mention_parser_standard.go` does, after the parts of Markdown that matter here;
- `press` sends `PostActionIntegrationRequest` and does what the answer says (`DoPostActionWithCookie`, `app/integration_action.go`).
"""

import asyncio
import html
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from handrail.testing import ManualClock
from tests.models.providing import serving

LONGEST = 240
"""Seconds after which what hangs fails its test; nothing is judged by how fast it is."""

ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769"
TEAM, OTHER_TEAM = "team" + "1" * 22, "team" + "2" * 22
CHANNEL, OTHER_CHANNEL = "chan" + "1" * 22, "chan" + "2" * 22
ALICE, BOSS, CAROL = "alice" + "1" * 21, "boss" + "1" * 22, "carol" + "1" * 21
TOKEN = "okwexkjpe7ygb8eq1ww58t483w"
MOST_CHARACTERS = 16_383


def new_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(26))


class Hook(msgspec.Struct):
    """`model.CommandWebhook`."""

    created_at: Any
    channel_id: str
    user_id: str
    uses: int = 0


class Post(msgspec.Struct):
    """What people in a channel see."""

    post_id: str
    channel_id: str
    message: str
    props: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """Where mentions are looked for (`getMentionsEnabledFields`)."""
        return [self.message, *(each.get("text", "") for each in self.props.get("attachments", ()))]

    @property
    def buttons(self) -> dict[str, dict[str, Any]]:
        return {each["id"]: each for attachment in self.props.get("attachments", ()) for each in attachment.get("actions", ())}


class Fake:
    """The server."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.site = ""
        self.hooks: dict[str, Hook] = {}
        self.posts: list[Post] = []
        self.refused: list[int] = []
        self.ephemeral: list[tuple[str, str]] = []
        self.in_the_way: list[Callable[[], Response] | None] = []  # what a proxy answers instead of it, in turn
        self.paths: list[str] = []
        self._news = asyncio.Condition()

    # People

    def hook(self, channel_id: str = CHANNEL, user_id: str = ALICE) -> str:
        hook_id = new_id()
        self.hooks[hook_id] = Hook(self.clock.now(), channel_id, user_id)
        return hook_id

    def form(self, text: str, **changed: str) -> dict[str, str]:
        """What is sent for `/foodfight text`."""
        hook = self.hook(changed.get("channel_id", CHANNEL), changed.get("user_id", ALICE))
        return {
            "token": TOKEN,
            "team_id": TEAM,
            "team_domain": "fans",
            "channel_id": CHANNEL,
            "channel_name": "town-square",
            "user_id": ALICE,
            "user_name": "alice",
            "command": "/foodfight",
            "text": text,
            "trigger_id": secrets.token_urlsafe(150),
            "root_id": "",
            "response_url": f"{self.site}/hooks/commands/{hook}",
        } | changed

    async def typed(self, service: httpx2.AsyncClient, text: str, **changed: str) -> httpx2.Response:
        """Somebody types the command; what the service says to them in private is kept."""
        form = self.form(text, **changed)
        return await self.sent(service, form)

    async def sent(self, service: httpx2.AsyncClient, form: dict[str, str]) -> httpx2.Response:
        headers = {"Accept": "application/json", "Authorization": f"Token {form['token']}"}
        answer = await service.post("/mattermost/command", data=form, headers=headers)
        if answer.status_code == 200:
            assert answer.headers["content-type"] == "application/json"
            said = answer.json()
            assert said["response_type"] == "ephemeral" and said["text"]
            self.ephemeral.append((form["user_id"], said["text"]))
        return answer

    async def press(
        self, service: httpx2.AsyncClient, post: Post, button: str, user_id: str | None = ALICE, **changed: Any
    ) -> httpx2.Response:
        """Somebody presses a button of a post."""
        action = post.buttons[button]
        body = {
            "user_id": user_id,
            "user_name": re.sub(r"\d", "", user_id or ""),
            "channel_id": post.channel_id,
            "channel_name": "town-square",
            "team_id": TEAM,
            "team_domain": "fans",
            "post_id": post.post_id,
            "trigger_id": secrets.token_urlsafe(150),
            "type": "button",
            "data_source": "",
            "context": action["integration"]["context"],
        } | changed
        path = re.sub(r"^https?://[^/]+", "", action["integration"]["url"])
        answer = await service.post(path, json=body, headers={"Accept": "application/json"})
        if answer.status_code == 200:
            said = answer.json()
            if said.get("update") is not None:
                props = said["update"].get("props")
                post.message, post.props = said["update"]["message"], post.props if props is None else props
            if said.get("ephemeral_text"):
                self.ephemeral.append((user_id or "", said["ephemeral_text"]))
        return answer

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait for what the service posts."""
        async with asyncio.timeout(LONGEST), self._news:
            await self._news.wait_for(happened)

    async def until_posts(self, many: int) -> None:
        await self.until(lambda: len(self.posts) >= many)

    # The server

    async def answered(self, request: Request) -> Response:
        body = await request.body()
        async with self._news:
            self._news.notify_all()
            self.paths.append(request.url.path)
            instead = self.in_the_way.pop(0) if self.in_the_way else None
            if instead is not None:
                return instead()
            status = self._posted(request.path_params["hook"], body)
            if status != 200:
                self.refused.append(status)
        return PlainTextResponse("ok" if status == 200 else '{"id": "api.error"}', status)

    def _posted(self, hook_id: str, body: bytes) -> int:
        try:
            response = msgspec.json.decode(body)
        except msgspec.DecodeError:
            return 400
        hook = self.hooks.get(hook_id)
        if hook is None or self.clock.now() >= hook.created_at + timedelta(minutes=30):
            return 404
        if hook.uses >= 5:
            return 400
        hook.uses += 1
        assert response["skip_slack_parsing"] is True, "or <!channel> becomes @channel"
        attachments = response.get("attachments") or []
        for action in (action for each in attachments for action in each.get("actions", ())):
            assert re.fullmatch("[A-Za-z0-9]+", action["id"]) and action["name"] and action["type"] == "button", action
            assert action["style"] in {"default", "primary", "success", "good", "warning", "danger"}
            assert re.match("https?://", action["integration"]["url"])
        if len(response["text"]) > MOST_CHARACTERS:
            return 500
        if response["response_type"] == "in_channel":
            self.posts.append(Post(new_id(), hook.channel_id, response["text"], {"attachments": attachments}))
        elif response["text"] or attachments:
            self.ephemeral.append((hook.user_id, response["text"]))
        return 200


def mentions(post: Post) -> set[str]:
    """Whom a post calls: everything that would be looked up as a name, and `@here`, `@channel`, `@all`."""
    return {name for text in post.texts for name in _mentioned(_plain(text))}


def _plain(text: str) -> str:
    """The text nodes of its Markdown, joined: code is left out, entities and escapes are characters; it knows no emphasis."""
    text = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1`*\s*$", " ", text)
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", " ", text)
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


def _mentioned(text: str) -> set[str]:
    found = set()
    for whole in _words(text):
        word = whole.lstrip(":.-_")
        if whole.startswith(":") and whole.endswith(":"):  # an emoji
            continue
        tried = [word, word.rstrip(".-:_"), *re.split(r"[.\-:]", word)]
        found |= {each.lower() for each in tried if each.startswith("@") and len(each) > 1}
    return found


def _words(text: str) -> list[str]:
    """`strings.FieldsFunc` at everything that can be no part of a mention."""
    kept = "".join(each if each in ":.-_@" or each.isalpha() or each.isnumeric() else " " for each in text)
    return kept.split()


@asynccontextmanager
async def mattermost() -> AsyncIterator[Fake]:
    """The server, on a port of its own."""
    fake = Fake()
    app = Starlette(routes=[Route("/hooks/commands/{hook}", fake.answered, methods=["POST", "GET"])])
    async with serving(app) as base:
        fake.site = base.removesuffix("/v1")
        yield fake
