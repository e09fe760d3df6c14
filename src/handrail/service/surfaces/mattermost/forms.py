"""What Mattermost's server posts for a slash command, read without believing any of it.

The form is that of `tryExecuteCustomCommand` in its `server/channels/app/command.go`. A field that is there twice makes it no form of ours.

- The address for answers is not fetched as it came: only the hook's id is taken from it, and only where the rest of it is the configured
  site, letter for letter (case 74).
- Where that is another address, the log has its host, and nothing else of it: an answer's address is a secret.
- An id is what Mattermost makes, 26 small letters and digits: nothing that came can break a line of a log.
"""

import logging
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

import msgspec

from handrail.service.problems import Problem
from handrail.service.surfaces.mattermost.commands import ID

CONTENT_TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 2_000
NAMES = frozenset({"team_id", "channel_id", "user_id", "command", "text", "token", "response_url"})
HOOKS = "/hooks/commands/"

LONGEST_HOST = 100

logger = logging.getLogger(__name__)
_ID = re.compile(ID)


class SlashCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that somebody typed."""

    channel_id: str
    user_id: str
    text: str
    hook: str


def read_form(body: bytes, content_type: str) -> Mapping[str, str]:
    """The fields that matter here, each once; none where it is no such form."""
    if content_type.partition(";")[0].strip().lower() != CONTENT_TYPE:
        return {}
    try:
        pairs = parse_qsl(body.decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return {}
    found = [(name, value) for name, value in pairs if name in NAMES]
    return dict(found) if len(dict(found)) == len(found) else {}


def slash_command(fields: Mapping[str, str], *, site: str) -> SlashCommand:
    """The command, from a form whose token was good.

    Raises:
        Problem: an id is none, or answers would go somewhere else.
    """
    channel_id, user_id = fields.get("channel_id", ""), fields.get("user_id", "")
    if _ID.fullmatch(channel_id) is None or _ID.fullmatch(user_id) is None:
        raise Problem(422, "invalid", "There is no channel and no user in this that Mattermost could have made.")
    return SlashCommand(
        channel_id=channel_id, user_id=user_id, text=fields.get("text", "").strip(), hook=hook_in(fields.get("response_url", ""), site=site)
    )


def hook_in(response_url: str, *, site: str) -> str:
    """The id of the hook for answers.

    Raises:
        Problem: the address is not one of the site's.
    """
    before, slash, hook = response_url.rpartition(HOOKS)
    if not slash or before != site or _ID.fullmatch(hook) is None:
        logger.warning(
            "a command was refused: its answer would go to %r, and HANDRAIL_MATTERMOST_URL names %r; it is to be Mattermost's Site URL, "
            "letter for letter",
            _host(response_url),
            _host(site),
        )
        raise Problem(422, "foreign_url", "The response_url is no hook of the site that HANDRAIL_MATTERMOST_URL names; nothing was done.")
    return hook


def _host(url: str) -> str:
    try:
        return (urlsplit(url).netloc.rpartition("@")[2])[:LONGEST_HOST]
    except ValueError:
        return ""


def hook_url(hook: str, *, site: str) -> str:
    """Where answers are posted."""
    return f"{site}{HOOKS}{hook}"
