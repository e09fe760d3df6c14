"""Driving times from OSRM, over real HTTP against a local server that answers in the documented shapes.

The shapes are those of the route service in https://github.com/Project-OSRM/osrm-backend/blob/master/docs/http.md.
"""

import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest

from handrail.apps.trips.data import atlas
from handrail.apps.trips.providers.osrm import MAX_BYTES, OsrmMalformed, OsrmRefused, OsrmRoads, OsrmUnavailable
from handrail.apps.trips.providers.port import NotKnown, Roads, Unreachable

PLACES = atlas().places

Reply = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() waits for every answer, so that no socket outlives its test

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply: Reply = json_reply(200, found())
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        self.server.reply(self)

    def log_message(self, format: str, *args: object) -> None:
        pass


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content_Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def json_reply(status: int, answer: object) -> Reply:
    body = json.dumps(answer).encode()
    return lambda handler: send(handler, status, body, Content_Type="application/json; charset=UTF-8")


def bytes_reply(status: int, body: bytes, **headers: str) -> Reply:
    return lambda handler: send(handler, status, body, **headers)


def waits_for(released: threading.Event) -> Reply:
    def wait(_: BaseHTTPRequestHandler) -> None:
        released.wait()

    return wait


def waypoint(place_id: str, *, off: float = 0.001) -> dict[str, Any]:
    place = PLACES[place_id]
    return {"hint": "KSoKADRYroqUBAEAEAAAABkAAAA", "distance": 4.15, "name": "", "location": [place.longitude + off, place.latitude]}


def found(duration: object = 19265.4, distance: object = 269431.2, **changes: object) -> dict[str, Any]:
    route = {
        "legs": [{"steps": [], "weight": 19265.4, "distance": 269431.2, "summary": "", "duration": 19265.4}],
        "weight_name": "routability",
        "weight": 19265.4,
        "distance": distance,
        "duration": duration,
    }
    return {"code": "Ok", "routes": [route], "waypoints": [waypoint("danba"), waypoint("kangding")], **changes}


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(trust_env=False, timeout=30.0) as opened:
        yield opened


@pytest.fixture
def roads(server: Server, client: httpx2.AsyncClient) -> Roads:
    return OsrmRoads(client, base_url=server.url + "/", places=PLACES, timeout=30.0)


async def test_a_drive_is_read_in_whole_minutes_and_kilometres_rounded_up(roads: Roads) -> None:
    drive = await roads.drive("danba", "kangding", 7)
    assert (drive.minutes, drive.km, drive.via) == (322, 270, ())


async def test_a_whole_minute_is_not_rounded_further(server: Server, roads: Roads) -> None:
    server.reply = json_reply(200, found(duration=600, distance=12000))
    drive = await roads.drive("danba", "kangding", 7)
    assert (drive.minutes, drive.km) == (10, 12)


async def test_the_question_is_one_get_with_longitude_before_latitude(server: Server, roads: Roads) -> None:
    await roads.drive("danba", "kangding", 7)
    [(path, headers)] = server.asked
    assert path == "/route/v1/driving/101.890000,30.878000;101.965000,30.053000?overview=false"
    assert headers["Accept-Encoding"] == "identity"


async def test_the_first_of_several_routes_is_the_recommended_one(server: Server, roads: Roads) -> None:
    server.reply = json_reply(200, found(routes=[{"duration": 60, "distance": 1000}, {"duration": 30, "distance": 500}]))
    assert (await roads.drive("danba", "kangding", 7)).minutes == 1


@pytest.mark.parametrize("code", ["NoRoute", "NoSegment"])
async def test_no_way_between_two_places_is_unreachable(server: Server, roads: Roads, code: str) -> None:
    server.reply = json_reply(400, {"code": code, "message": "Impossible route between points"})
    with pytest.raises(Unreachable, match=f"no road from 'danba' to 'sanya' .{code}"):
        await roads.drive("danba", "sanya", 7)


@pytest.mark.parametrize(
    "code", ["InvalidUrl", "InvalidService", "InvalidVersion", "InvalidOptions", "InvalidQuery", "InvalidValue", "TooBig"]
)
async def test_a_refused_question_keeps_the_code_and_the_message(server: Server, roads: Roads, code: str) -> None:
    server.reply = json_reply(400, {"code": code, "message": "Query string malformed close to position 12"})
    with pytest.raises(OsrmRefused, match="close to position 12") as refused:
        await roads.drive("danba", "kangding", 7)
    assert refused.value.code == code


async def test_a_refusal_needs_no_message(server: Server, roads: Roads) -> None:
    server.reply = json_reply(400, {"code": "TooBig"})
    with pytest.raises(OsrmRefused, match="no reason given"):
        await roads.drive("danba", "kangding", 7)


async def test_a_road_far_from_the_place_means_that_the_map_does_not_cover_it(server: Server, roads: Roads) -> None:
    server.reply = json_reply(200, found(waypoints=[waypoint("danba"), waypoint("chengdu")]))
    with pytest.raises(Unreachable, match="km from 'kangding': its map does not cover"):
        await roads.drive("danba", "kangding", 7)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        None,
        "Ok",
        {"code": 0},
        {"routes": []},
        found(routes=[]),
        found(routes=None),
        found(routes=[{"distance": 5}]),
        found(duration="19265"),
        found(duration=-1),
        found(distance=None),
        found(waypoints=[]),
        found(waypoints=[waypoint("danba")]),
        found(waypoints=[{"location": [1]}, {"location": [1, 2]}]),
    ],
    ids=lambda answer: json.dumps(answer)[:40],
)
async def test_an_answer_in_another_shape_is_malformed(server: Server, roads: Roads, answer: object) -> None:
    server.reply = json_reply(200, answer)
    with pytest.raises(OsrmMalformed):
        await roads.drive("danba", "kangding", 7)


@pytest.mark.parametrize(
    "body", [b"", b"<html>welcome</html>", b"\xff\xfe", b'{"code": "Ok"', b'{"code": "Ok", "routes": [{"duration": NaN}]}']
)
async def test_a_body_that_is_not_json_is_malformed(server: Server, roads: Roads, body: bytes) -> None:
    server.reply = bytes_reply(200, body)
    with pytest.raises(OsrmMalformed):
        await roads.drive("danba", "kangding", 7)


async def test_ok_with_an_error_status_is_malformed(server: Server, roads: Roads) -> None:
    server.reply = json_reply(400, found())
    with pytest.raises(OsrmMalformed, match="status 400"):
        await roads.drive("danba", "kangding", 7)


@pytest.mark.parametrize("status", [301, 403, 404, 429, 500, 502, 503])
async def test_any_other_status_is_an_outage_and_no_redirect_is_followed(server: Server, roads: Roads, status: int) -> None:
    server.reply = bytes_reply(status, b"<html>sorry</html>", Location="/elsewhere")
    with pytest.raises(OsrmUnavailable, match=f"status {status}"):
        await roads.drive("danba", "kangding", 7)
    assert len(server.asked) == 1


async def test_an_answer_without_end_is_cut_off(server: Server, roads: Roads) -> None:
    server.reply = bytes_reply(200, b" " * (MAX_BYTES + 1))
    with pytest.raises(OsrmMalformed, match="more than"):
        await roads.drive("danba", "kangding", 7)


async def test_an_answer_that_breaks_off_is_an_outage(server: Server, roads: Roads) -> None:
    server.reply = bytes_reply(200, b'{"code": "Ok"', Content_Length="4000")
    with pytest.raises(OsrmUnavailable, match="could not be reached"):
        await roads.drive("danba", "kangding", 7)


async def test_a_connection_that_is_dropped_is_an_outage(server: Server, roads: Roads) -> None:
    server.reply = lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)
    with pytest.raises(OsrmUnavailable, match="could not be reached"):
        await roads.drive("danba", "kangding", 7)


async def test_a_server_that_is_not_there_is_an_outage(client: httpx2.AsyncClient) -> None:
    with socket.socket() as bound_and_not_listening:
        bound_and_not_listening.bind(("127.0.0.1", 0))
        roads = OsrmRoads(client, base_url=f"http://127.0.0.1:{bound_and_not_listening.getsockname()[1]}", places=PLACES)
        with pytest.raises(OsrmUnavailable, match="could not be reached: ConnectError"):
            await roads.drive("danba", "kangding", 7)


async def test_a_server_that_never_answers_is_an_outage_after_the_time_given(server: Server, client: httpx2.AsyncClient) -> None:
    released = threading.Event()
    server.reply = waits_for(released)
    try:
        with pytest.raises(OsrmUnavailable, match=r"did not answer within 0\.05 s") as refused:
            await OsrmRoads(client, base_url=server.url, places=PLACES, timeout=0.05).drive("danba", "kangding", 7)
        assert isinstance(refused.value.__cause__, TimeoutError)  # the whole question's, not the client's for one read
    finally:
        released.set()


async def test_the_clients_own_timeout_is_an_outage_too(server: Server) -> None:
    released = threading.Event()
    server.reply = waits_for(released)
    try:
        async with httpx2.AsyncClient(trust_env=False, timeout=0.05) as hasty:
            with pytest.raises(OsrmUnavailable, match="did not answer"):
                await OsrmRoads(hasty, base_url=server.url, places=PLACES, timeout=30.0).drive("danba", "kangding", 7)
    finally:
        released.set()


async def test_what_is_not_known_is_refused_before_anything_is_sent(server: Server, roads: Roads) -> None:
    with pytest.raises(NotKnown, match="'atlantis'"):
        await roads.drive("danba", "atlantis", 7)
    with pytest.raises(NotKnown, match="month 13"):
        await roads.drive("danba", "kangding", 13)
    assert server.asked == []


async def test_another_profile_and_a_server_below_a_path_are_asked_as_given(server: Server, client: httpx2.AsyncClient) -> None:
    await OsrmRoads(client, base_url=f"{server.url}/osrm", places=PLACES, profile="car").drive("danba", "kangding", 7)
    assert server.asked[0][0].startswith("/osrm/route/v1/car/")
