"""`handrail login-link`: a link that signs a browser in, once."""

import asyncio
from typing import Annotated

import typer

from handrail.cli.telling import told


def command(
    *,
    user: Annotated[str, typer.Option(help="Who is signed in by it.")],
    url: Annotated[
        str | None,
        typer.Option(help="Where the service is reached; else HANDRAIL_PUBLIC_URL, else HANDRAIL_HOST and HANDRAIL_PORT."),
    ] = None,
) -> None:
    """Print a link that signs a browser in as that user; it works once, within 15 minutes."""
    with told():
        typer.echo(asyncio.run(_link(user, url)))


async def _link(user: str, url: str | None) -> str:
    from handrail.service.auth.links import sign_in_link
    from handrail.service.operating import operating

    async with operating() as operator:
        settings = operator.settings
        base = url or settings.public_url or f"http://{settings.host}:{settings.port}"
        return await sign_in_link(operator.database, base, user_id=user, clock=operator.clock)
