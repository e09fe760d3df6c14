"""The client of the latencies: a plain one, with connections that stay open, so that what is measured is the service's."""

import http.client
import json
import time

import msgspec

BEFORE = 10
"""Jobs that are asked for first and not counted."""
PATIENCE = 60.0


class Times(msgspec.Struct, frozen=True):
    """Seconds from asking until it is taken on (202), and until the client has the first event."""

    taken_on: float
    first_event: float


def asked_over_http(address: str, key: str, many: int) -> list[Times]:
    """Ask for that many jobs, one after the other."""
    host = address.removeprefix("http://")
    posting, reading = (http.client.HTTPConnection(host, timeout=PATIENCE) for _ in range(2))
    try:
        times = [_asked(posting, reading, key, number) for number in range(BEFORE + many)]
    finally:
        posting.close()
        reading.close()
    return times[BEFORE:]


def _asked(posting: http.client.HTTPConnection, reading: http.client.HTTPConnection, key: str, number: int) -> Times:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    began = time.perf_counter()
    posting.request("POST", "/agent/invoke", json.dumps({"session_id": f"s{number}", "message": "go"}), headers)
    answer = posting.getresponse()
    body = answer.read()
    taken_on = time.perf_counter() - began
    if answer.status != http.client.ACCEPTED:
        raise RuntimeError(f"{answer.status}: {body!r}")
    reading.request("GET", f"/agent/jobs/{json.loads(body)['job_id']}/events", headers=headers)
    stream = reading.getresponse()
    while not stream.readline().startswith(b"data:"):
        pass
    first_event = time.perf_counter() - began
    stream.read()  # to the end of the run: the next one finds nothing else to do
    return Times(taken_on, first_event)
