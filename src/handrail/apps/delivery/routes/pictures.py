"""`/delivery/images/101.svg` and `/delivery/photographs/101`: what a dish looks like.

A drawing is made when it is asked for, which takes less than a file does to read; browsers keep it. Nothing in it can run or load anything.
"""

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Header, Path, Response
from fastapi.responses import FileResponse

from handrail.apps.delivery.images.drawing import drawing
from handrail.apps.delivery.images.photographs import TYPES, photograph
from handrail.apps.delivery.routes.answers import shop_of
from handrail.service import Serving
from handrail.service.auth.callers import CalledBy
from handrail.service.desk import NotThere

HEADERS = {
    "Cache-Control": "private, max-age=86400",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
FoodId = Annotated[int, Path(ge=1, le=2**31 - 1)]


def router(serving: Serving) -> APIRouter:
    """The routes."""
    routes = APIRouter()

    @routes.get("/images/{food_id}.svg", responses={200: {"content": {"image/svg+xml": {}}}, 304: {}, 404: {}}, response_class=Response)
    async def image(
        food_id: FoodId,
        called_by: CalledBy,
        if_none_match: Annotated[str | None, Header(alias="If-None-Match", description="The ETag of what is known already.")] = None,
    ) -> Response:
        """A drawing of a dish."""
        dish = (await shop_of(serving).catalogue()).dishes.get(food_id)
        if dish is None:
            raise NotThere(f"there is no dish {food_id!r}")
        drawn = drawing(dish)
        headers = {**HEADERS, "ETag": f'"{sha256(drawn).hexdigest()[:32]}"'}
        if if_none_match == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(drawn, media_type="image/svg+xml", headers=headers)

    @routes.get("/photographs/{food_id}", responses={200: {"content": {"image/webp": {}}}, 404: {}}, response_class=FileResponse)
    async def photo(food_id: FoodId, called_by: CalledBy) -> FileResponse:
        """A photograph of a dish, where somebody had one drawn."""
        path = photograph(shop_of(serving).images, food_id)
        if path is None:
            raise NotThere(f"there is no photograph of dish {food_id!r}")
        return FileResponse(path, media_type=TYPES[path.suffix.removeprefix(".")], headers=HEADERS)

    return routes
