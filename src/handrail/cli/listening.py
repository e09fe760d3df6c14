"""Sockets that listen before anything is started, so that a free port is known, and whoever connects early only waits."""

import errno
import socket

from handrail.errors import InputError


def listening(host: str, port: int, fd: int | None = None) -> socket.socket:
    """A socket that listens: on that address (port 0 takes a free one), or the open one of that file descriptor.

    Raises:
        InputError: the address cannot be had.
    """
    if fd is not None:
        try:
            return socket.socket(fileno=fd)
        except OSError as error:
            raise InputError(f"file descriptor {fd} is no socket ({error.strerror})") from error
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        cure = (
            "take another with --port, or 0 for a free one" if error.errno == errno.EADDRINUSE else "is the address one of this machine's?"
        )
        raise InputError(f"cannot listen on {host} port {port} ({error.strerror}): {cure}") from error


def url(listener: socket.socket) -> str:
    """Where it can be reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
