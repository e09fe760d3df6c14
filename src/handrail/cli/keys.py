"""`handrail keys`: who may come in. A key is shown once, when it is made; what is stored cannot be turned back into it."""

import asyncio
from typing import Annotated

import typer

from handrail.cli.columns import columns
from handrail.cli.telling import told
from handrail.errors import InputError

LONGEST_LABEL = 200

group = typer.Typer(help="API keys: make, list and revoke them.", no_args_is_help=True)


@group.command()
def create(
    *,
    user: Annotated[str, typer.Option(help="Whose key it is.")],
    scope: Annotated[list[str] | None, typer.Option(help="What more it may: act-as (for any user), metrics. Again for more.")] = None,
    label: Annotated[str, typer.Option(help="What it is for, for the list.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")] = False,
) -> None:
    """Make a key, and print it: this once."""
    with told():
        key_id, text = asyncio.run(_created(user, scope or [], label))
        if not quiet:
            typer.echo(f"Key {key_id} of {user}. It is shown this once; keep it where secrets are kept.")
        typer.echo(text)


@group.command(name="list")
def list_() -> None:
    """List all keys, newest first: whose they are, and whether they work."""
    with told():
        typer.echo(asyncio.run(_listed()))


@group.command()
def revoke(key_id: Annotated[str, typer.Argument(help="As `handrail keys list` says it.")]) -> None:
    """Make a key worthless, from now on."""
    with told():
        asyncio.run(_revoked(key_id))
        typer.echo(f"Key {key_id} does not work any more.")


async def _created(user: str, scopes: list[str], label: str) -> tuple[str, str]:
    from handrail.service.auth.callers import check_scopes, check_user_id
    from handrail.service.operating import operating
    from handrail.stores import keys
    from handrail.stores.transactions import write

    check_user_id(user)
    known = check_scopes(scopes)
    if len(label) > LONGEST_LABEL:
        raise InputError(f"a label has at most {LONGEST_LABEL} characters, not {len(label)}")
    async with operating() as operator:
        text, key = await write(operator.database, keys.create, user_id=user, scopes=known, label=label, at=operator.clock.now())
        return key.key_id, text


async def _listed() -> str:
    from handrail.service.operating import operating
    from handrail.stores import keys
    from handrail.stores.transactions import read

    async with operating() as operator:
        found = await read(operator.database, keys.listed)
    rows = [
        (key.key_id, key.user_id, ",".join(key.scopes), key.label, f"{key.created_at:%Y-%m-%d %H:%M}", "no" if key.revoked_at else "yes")
        for key in found
    ]
    return columns(("key", "user", "scopes", "label", "made", "works"), rows)


async def _revoked(key_id: str) -> None:
    from handrail.service.operating import operating
    from handrail.stores import keys
    from handrail.stores.transactions import write

    async with operating() as operator:
        if not await write(operator.database, keys.revoke, key_id, at=operator.clock.now()):
            raise InputError(f"there is no key {key_id!r} that works; `handrail keys list` says which there are")
