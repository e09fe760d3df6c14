"""`handrail images`: photographs of the dishes of the app `delivery`, drawn by an OpenAI-compatible image API where a key is set."""

import asyncio
import os
from typing import Annotated

import typer

from handrail.cli.telling import told
from handrail.errors import InputError

NO_KEY = (
    "there is no key for an image API, so nothing is drawn: set OPENAI_API_KEY or HANDRAIL_DELIVERY_IMAGE_KEY. The shop needs no "
    "photographs: every dish has a drawing"
)
NO_FOLDER = "say where the photographs go: set HANDRAIL_DELIVERY_IMAGES to a folder"


def command(most: Annotated[int | None, typer.Option(min=1, help="Draw no more than so many; else all that are missing.")] = None) -> None:
    """Have photographs of dishes drawn, into the folder HANDRAIL_DELIVERY_IMAGES; files that are there are left alone."""
    with told():
        if asyncio.run(_drawn(most)):
            raise typer.Exit(1)


async def _drawn(most: int | None) -> int:
    """Draw; how many failed.

    Raises:
        InputError: there is no key or no folder, the key is refused, or the database has no dishes.
    """
    # The app's extra brings what these need, and the command's help does not.
    from openai import AsyncOpenAI, AuthenticationError, OpenAIError, PermissionDeniedError

    from handrail.apps.delivery.images.photographs import draw
    from handrail.apps.delivery.settings import read_settings
    from handrail.apps.delivery.shop import shop, what_is_missing

    settings = read_settings()
    key = settings.image_key.get_secret_value() if settings.image_key is not None else os.environ.get("OPENAI_API_KEY")
    if not key:
        raise InputError(NO_KEY)
    if settings.images is None:
        raise InputError(NO_FOLDER)
    async with shop() as opened, AsyncOpenAI(api_key=key, base_url=settings.image_base_url) as client:
        missing = await what_is_missing(opened)
        if missing is not None:
            raise InputError(missing)
        dishes = (await opened.catalogue()).dishes.values()
        try:
            done = await draw(dishes, settings.images, client=client, model=settings.image_model, most=most, say=print)
        except (AuthenticationError, PermissionDeniedError):
            raise InputError("the image API refuses the key") from None
        except OpenAIError as error:
            raise InputError(f"the image API cannot be used ({type(error).__name__})") from None
    print(f"{done.drawn} drawn, {done.there} there already, {done.failed} failed; they are in {settings.images}.")
    return done.failed
