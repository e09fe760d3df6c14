"""Driving times from an OSRM server (https://github.com/Project-OSRM/osrm-backend/blob/master/docs/http.md, route service, v1).

Rules: one question a drive, bounded in time and in size; whatever is not a well-formed answer is an exception, never a guess and
never an answer from elsewhere; OSRM knows no seasons and no names, so months are checked but do not matter, and `via` stays empty.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated

import httpx2
import msgspec

from handrail.apps.trips.geography import Drive, Place, distance_km
from handrail.apps.trips.providers.port import NotKnown, Unreachable, known_month

MAX_BYTES = 256 * 1024
"""An answer without geometry is about one kilobyte; more than this is no such answer."""

MAX_SNAP_KM = 15.0
"""How far from a place its road may start: a server without that country's map takes the nearest road that it has."""

_NO_WAY = ("NoRoute", "NoSegment")

_NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class OsrmError(Exception):
    """The OSRM server gave no usable answer; the text says what came instead."""


class OsrmUnavailable(OsrmError):
    """Not reached, too slow, or out of order: trying again later may help."""


class OsrmRefused(OsrmError):
    """The server does not accept the question: trying again will not help.

    Args:
        code: OSRM's code, such as `InvalidQuery` or `TooBig`.
        detail: its message.
    """

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code beside the words."""
        super().__init__(f"OSRM refused the question with {code!r}: {detail or 'no reason given'}")
        self.code = code


class OsrmMalformed(OsrmError):
    """The answer is not what the route service documents."""


class _Route(msgspec.Struct, frozen=True):
    duration: _NotNegative
    distance: _NotNegative


class _Waypoint(msgspec.Struct, frozen=True):
    location: tuple[float, float]


class _Answer(msgspec.Struct, frozen=True):
    code: str
    message: str = ""
    routes: tuple[_Route, ...] = ()
    waypoints: tuple[_Waypoint, ...] = ()


class OsrmRoads:
    """Driving times over HTTP; the client is the caller's, who also closes it.

    Args:
        base_url: the server, without `/route`; the public demonstration server allows light use only.
        places: where the ids are.
        timeout: seconds for a whole question.
        profile: the server's profile.
    """

    def __init__(
        self, client: httpx2.AsyncClient, *, base_url: str, places: Mapping[str, Place], timeout: float = 5.0, profile: str = "driving"
    ) -> None:
        self._client = client
        self._base_url = base_url.rstrip("/")
        self._places = places
        self._timeout = timeout
        self._profile = profile

    async def drive(self, origin_id: str, destination_id: str, month: int) -> Drive:
        """Return the server's fastest drive; minutes and km are rounded up, so that a limit holds."""
        known_month(month)
        ends = (self._place(origin_id), self._place(destination_id))
        status, body = await self._get(ends)
        answer = _read(status, body)
        if answer.code in _NO_WAY:
            raise Unreachable(f"OSRM knows no road from {origin_id!r} to {destination_id!r} ({answer.code}): plan a flight.")
        if answer.code != "Ok":
            raise OsrmRefused(answer.code, answer.message)
        if status != httpx2.codes.OK or not answer.routes or len(answer.waypoints) != len(ends):
            raise OsrmMalformed(f"OSRM answered 'Ok' with status {status}, {len(answer.routes)} routes, {len(answer.waypoints)} waypoints.")
        for place, waypoint in zip(ends, answer.waypoints, strict=True):
            _on_the_map(place, waypoint)
        route = answer.routes[0]
        return Drive(minutes=_up(route.duration / 60), km=_up(route.distance / 1000))

    def _place(self, place_id: str) -> Place:
        """Return a place, or raise."""
        try:
            return self._places[place_id]
        except KeyError:
            raise NotKnown(f"There is no place with the id {place_id[:80]!r}: search the places and use an id from there.") from None

    async def _get(self, ends: tuple[Place, Place]) -> tuple[int, bytes]:
        """Ask, and return the status and the body."""
        points = ";".join(f"{place.longitude:.6f},{place.latitude:.6f}" for place in ends)
        url, headers = f"{self._base_url}/route/v1/{self._profile}/{points}", {"Accept-Encoding": "identity"}
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream("GET", url, params={"overview": "false"}, headers=headers) as response,
            ):
                return response.status_code, await _bounded(response)
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise OsrmUnavailable(f"OSRM did not answer within {self._timeout:g} s.") from error
        except httpx2.HTTPError as error:
            raise OsrmUnavailable(f"OSRM could not be reached: {type(error).__name__}: {error}") from error


async def _bounded(response: httpx2.Response) -> bytes:
    """Read a body up to the bound."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            raise OsrmMalformed(f"OSRM answered with more than {MAX_BYTES} bytes.")
    return bytes(body)


def _read(status: int, body: bytes) -> _Answer:
    """Read an answer; only 200 and 400 carry one."""
    if status not in {httpx2.codes.OK, httpx2.codes.BAD_REQUEST}:
        raise OsrmUnavailable(f"OSRM answered with status {status}, which its route service does not use.")
    try:
        return msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OsrmMalformed(f"OSRM answered with something else than its route service documents: {error}") from error


def _on_the_map(place: Place, waypoint: _Waypoint) -> None:
    """Raise if the road that the server took is far from the place."""
    longitude, latitude = waypoint.location
    away = distance_km(place.latitude, place.longitude, latitude, longitude)
    if away > MAX_SNAP_KM:
        raise Unreachable(f"The nearest road that OSRM knows is {away:.0f} km from {place.id!r}: its map does not cover that place.")


def _up(value: float) -> int:
    """Round up, and forgive the last digit of a float."""
    return -int(-round(value, 6) // 1)
