"""`handrail sessions`: whose conversations there are, and what was said in one."""

import asyncio
from typing import Annotated

import typer

from handrail.cli.columns import columns
from handrail.cli.telling import told
from handrail.cli.visible import visible
from handrail.errors import InputError

group = typer.Typer(help="Conversations: list them, and read one.", no_args_is_help=True)


@group.command(name="list")
def list_(*, user: Annotated[str, typer.Option(help="Whose.")]) -> None:
    """List a user's conversations, most recent first."""
    with told():
        typer.echo(asyncio.run(_listed(user)))


@group.command()
def show(
    session_id: Annotated[str, typer.Argument(help="As `handrail sessions list` says it.")],
    *,
    user: Annotated[str, typer.Option(help="Whose it is.")],
) -> None:
    """Print what was said in a conversation, in runs that have ended."""
    with told():
        typer.echo(asyncio.run(_shown(user, session_id)))


async def _listed(user: str) -> str:
    from handrail.service.operating import operating
    from handrail.stores import sessions
    from handrail.stores.transactions import read

    async with operating() as operator:
        found = await read(operator.database, sessions.of_user, user)
    if not found:
        return f"{user} has no conversations here."
    rows = [(row.session_id, row.app, f"{row.created_at:%Y-%m-%d %H:%M}", f"{row.updated_at:%Y-%m-%d %H:%M}") for row in found]
    return columns(("session", "app", "begun", "last"), rows)


async def _shown(user: str, session_id: str) -> str:
    from handrail.service.operating import operating
    from handrail.service.schemas.sessions import MessageSaid, summary_in
    from handrail.stores import sessions
    from handrail.stores.transactions import read

    async with operating() as operator:
        if await read(operator.database, sessions.owned, session_id, user_id=user) is None:
            raise InputError(f"{user!r} has no session {session_id!r}; `handrail sessions list --user {user}` says which there are")
        history = await read(operator.database, sessions.history, session_id)
    said = [MessageSaid.of(message) for message in history.messages]
    summary = summary_in(history.messages)
    lines = [] if summary is None else [summary]
    for message in said:
        calls = [f"{call.name}({call.arguments or ''})" for call in message.calls]
        lines.append(f"{message.role}: {' · '.join(part for part in (message.content, *calls) if part)}")
    return visible("\n".join(lines)) or "Nothing was said yet."
