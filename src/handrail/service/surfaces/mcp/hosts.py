"""Under which names the service may be reached from a browser's page: a page elsewhere must not reach it by renaming itself (case 72).

- `Host` is one of ours: a loopback name, the host of `HANDRAIL_PUBLIC_URL`, or one of `HANDRAIL_ALLOWED_HOSTS`, with any port.
- `Origin` is sent by browsers only; where there is one, its host is one of ours too.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from handrail.service.problems import Problem

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Hosts:
    """The names.

    Args:
        public_url: where people reach the service.
        allowed: further names, with commas between.
    """

    def __init__(self, *, public_url: str | None, allowed: str) -> None:
        """Read them."""
        further = {name.strip().lower() for name in allowed.split(",") if name.strip()}
        self._names = LOOPBACK | further | ({_host(public_url)} if public_url is not None else set())

    def check(self, headers: Headers) -> None:
        """Let a request through.

        Raises:
            Problem: it was made for another host, or comes from another site's page.
        """
        if not self._all_ours(f"//{host}" for host in headers.getlist("host")) or not headers.getlist("host"):
            raise Problem(403, "foreign_host", "This service does not go by that name; HANDRAIL_ALLOWED_HOSTS says by which it does.")
        if not self._all_ours(headers.getlist("origin")):
            raise Problem(403, "foreign_origin", "Pages of other sites may not call this.")

    def _all_ours(self, urls: Iterable[str]) -> bool:
        return all(_host(url) in self._names for url in urls)


def _host(url: str) -> str:
    """The host of an address in small letters; nothing where there is none that can be read."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
