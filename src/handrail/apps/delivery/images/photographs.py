"""Photographs of dishes, drawn by an image API of OpenAI's shape: one file for each dish, into a folder.

- A file that is there is never drawn again, and never overwritten. What is written is written whole.
- What comes back has to be a picture: its kind is read from its first bytes, and names nothing but an ending.
- One that fails does not end the rest; a refused key does, since all others would be refused too.
"""

import base64
import binascii
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
from openai import APIError, AsyncOpenAI, AuthenticationError, PermissionDeniedError

from handrail.apps.delivery.catalogue import Dish

SIZE = "1024x1024"
MOST_BYTES = 20_000_000
PROMPT = "A photograph of a dish from a restaurant's menu, on a plain table in daylight, seen from above at an angle, without text: {}. {}"
ENDINGS = ("webp", "png", "jpg")
TYPES = {"webp": "image/webp", "png": "image/png", "jpg": "image/jpeg"}


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: how many were drawn, were there already, and failed."""

    drawn: int = 0
    there: int = 0
    failed: int = 0


async def draw(
    dishes: Iterable[Dish], folder: Path, *, client: AsyncOpenAI, model: str, most: int | None = None, say: Callable[[str], object]
) -> Drawn:
    """Draw what is missing.

    Args:
        dishes: what there is to draw.
        folder: where files go; it is made where it is missing.
        client: the image API's.
        model: the API's name of it.
        most: no more than so many.
        say: is told of each.

    Raises:
        openai.AuthenticationError, openai.PermissionDeniedError: the key is refused.
    """
    done = Drawn()
    for dish in dishes:
        if photograph(folder, dish.food_id) is not None:
            done = msgspec.structs.replace(done, there=done.there + 1)
            continue
        if most is not None and done.drawn + done.failed >= most:
            break
        try:
            content = await _asked(client, model, dish)
            written = _write(folder, dish.food_id, content)
        except (AuthenticationError, PermissionDeniedError):
            raise
        except (APIError, ValueError, OSError) as error:
            say(f"{dish.food_id} {dish.name}: failed ({type(error).__name__})")
            done = msgspec.structs.replace(done, failed=done.failed + 1)
        else:
            say(f"{dish.food_id} {dish.name}: {written.name}")
            done = msgspec.structs.replace(done, drawn=done.drawn + 1)
    return done


def photograph(folder: Path | None, food_id: int) -> Path | None:
    """The photograph of a dish, if there is one."""
    if folder is None:
        return None
    return next((path for ending in ENDINGS if (path := folder / f"{food_id}.{ending}").is_file()), None)


async def _asked(client: AsyncOpenAI, model: str, dish: Dish) -> bytes:
    """The bytes of a new picture. OpenAI's own models take another parameter than servers that follow their older shape."""
    form: Any = {"output_format": "webp"} if model.startswith("gpt-image") else {"response_format": "b64_json"}
    prompt = PROMPT.format(dish.name, dish.description)
    answer = await client.images.generate(model=model, prompt=prompt, n=1, size=SIZE, **form)
    encoded = answer.data[0].b64_json if answer.data else None
    if not encoded or len(encoded) > MOST_BYTES * 4 // 3:
        raise ValueError("the API sent no picture, or one that is too big")
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError("the API sent what is no base64") from error


def _write(folder: Path, food_id: int, content: bytes) -> Path:
    path = folder / f"{food_id}.{_ending(content)}"
    folder.mkdir(parents=True, exist_ok=True)
    whole = path.with_suffix(".part")
    whole.write_bytes(content)
    whole.replace(path)
    return path


def _ending(content: bytes) -> str:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        return "png"
    if content[:3] == b"\xff\xd8\xff":
        return "jpg"
    raise ValueError("the API sent what is no picture")
