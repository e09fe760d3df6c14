"""Which slash commands are answered: one setting, and the only judge of their tokens (case 73).

- A token is good for its own command in its own team, and for nothing else. Several are good at once while one is replaced.
- All tokens are compared every time, as digests in constant time; what is empty or not set is equal to none.
"""

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from handrail.errors import InputError
from handrail.service.auth.approvers import OWNER, Approvers

SETTING = "HANDRAIL_MATTERMOST_COMMANDS"
OURS = "mattermost:"
ID = "^[a-z0-9]{26}$"
"""Mattermost's own ids (`NewId` and `IsValidId` in its `server/public/model/utils.go`)."""

FORM = '[{"team_id": "…", "command": "/foodfight", "token": "…", "app": "foodfight"}]'

Id = Annotated[str, Field(pattern=ID)]
Token = Annotated[SecretStr, Field(min_length=16)]


class Command(BaseModel):
    """One slash command.

    Args:
        team_id: of Mattermost.
        command: with its slash, as `/foodfight`.
        token: as Mattermost shows it, or several while one is replaced.
        app: which agent.
        channels: where it may be used; everywhere if not given.
        approvers: who decides approvals: `owner` and ids of users; `HANDRAIL_APPROVERS` says it if not given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    team_id: Id
    command: Annotated[str, Field(pattern=r"^/[^\s/]{1,127}$")]
    token: Token | Annotated[tuple[Token, ...], Field(min_length=1)]
    app: str
    channels: tuple[Id, ...] | None = None
    approvers: tuple[Annotated[str, Field(pattern=f"^{OWNER}$|{ID}")], ...] | None = None

    @property
    def tokens(self) -> tuple[SecretStr, ...]:
        """Every token that is good now."""
        return (self.token,) if isinstance(self.token, SecretStr) else self.token

    def is_for(self, team_id: str, command: str) -> bool:
        """Whether it is this command."""
        return (self.team_id, self.command) == (team_id, command)

    def who_decides(self, otherwise: Approvers) -> Approvers:
        """Who decides its approvals."""
        if self.approvers is None:
            return otherwise
        return Approvers(",".join(name if name == OWNER else user_id(name) for name in self.approvers))


class Commands:
    """All of them. Without any, no token is good.

    Args:
        listed: the setting.
        apps: what is served.

    Raises:
        InputError: it is no such list; no token is in the text.
    """

    def __init__(self, listed: SecretStr | None, *, apps: Sequence[str]) -> None:
        """Read the setting."""
        self._all = () if listed is None else _read(listed)
        for known in self._all:
            if known.app not in apps:
                raise InputError(f"{SETTING}: {known.command} is to ask {known.app!r}, which is not served; served are {', '.join(apps)}")
            if sum(other.is_for(known.team_id, known.command) for other in self._all) > 1:
                raise InputError(f"{SETTING}: {known.command} is there twice for one team; give its tokens as a list")
        self._tokens = [(known, sha256(token.get_secret_value().encode()).digest()) for known in self._all for token in known.tokens]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._all)

    def named(self, team_id: str, command: str) -> Command | None:
        """The command, for what is known to be genuine otherwise."""
        return next((known for known in self._all if known.is_for(team_id, command)), None)

    def authentic(self, team_id: str, command: str, given: Sequence[bytes]) -> Command | None:
        """The command, if each of the tokens that came with it is one of its own, and at least one came."""
        digests = [sha256(token).digest() for token in given]
        found = None
        for known, token in self._tokens:
            same = [hmac.compare_digest(token, digest) for digest in digests]
            if all(same) and same and known.is_for(team_id, command):
                found = known
        return found


def user_id(mattermost_id: str) -> str:
    """What a user of Mattermost is called here."""
    return f"{OURS}{mattermost_id}"


def is_of_mattermost(user: str) -> bool:
    """Whether it is what a user of Mattermost is called here."""
    return user.startswith(OURS)


def _read(listed: SecretStr) -> tuple[Command, ...]:
    try:
        return TypeAdapter(tuple[Command, ...]).validate_json(listed.get_secret_value())
    except ValidationError as error:
        if error.errors(include_input=False)[0]["type"] in ("json_invalid", "tuple_type"):
            raise InputError(f"{SETTING} is to be a JSON list, such as {FORM}, and is none") from None
        wrong = [
            f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}" for each in error.errors(include_input=False, include_url=False)
        ]
        raise InputError(f"{SETTING} does not fit: {'; '.join(wrong)}") from None
