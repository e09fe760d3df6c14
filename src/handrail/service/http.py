"""Answering on a socket, and stopping: requests are finished, streams end, and nothing is cut off but by a second stop.

uvicorn ends its process with the signal that stopped it. Here whoever calls has things to close afterwards, so signals are the caller's.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI


class Http:
    """The service on a socket.

    Args:
        service: started already: it is neither started nor stopped here.
        stopping: called once when the end is wanted, so that what never ends by itself does.
    """

    def __init__(self, service: FastAPI, *, stopping: Callable[[], None]) -> None:
        """Listen to nothing yet."""
        self._server = _Server(uvicorn.Config(service, log_config=None, access_log=False, ws="none", lifespan="off", server_header=False))
        self._stopping = stopping

    async def serve(self, listener: socket.socket) -> None:
        """Answer until `stop` is called and everything that was asked before is answered."""
        if listener.family in {socket.AF_INET, socket.AF_INET6}:
            # What is accepted inherits it. Without it each small answer after another waits 40 ms for the client's acknowledgement.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self._server.serve(sockets=[listener])

    def stop(self) -> None:
        """Finish what is asked, and end; the second time, end without."""
        if self._server.should_exit:
            self._server.force_exit = True
        else:
            self._server.should_exit = True
            self._stopping()


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the caller."""
        yield
