"""Where a provider is and what is to be said to it, read from the same places as the official client reads it.

- Whatever cannot be right is refused at once, and never shown: an address may have a password in it, and a key is one.
- An address has no user, query or fragment: the key goes in a header, and nowhere else.
- The environment's proxies are looked up once, for this address (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
"""

import os
from collections.abc import Mapping
from importlib.metadata import version
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from handrail.errors import InputError

NO_KEY = (
    "There is no key for the model's provider. Set OPENAI_API_KEY (and OPENAI_BASE_URL for another provider than OpenAI; for a server of "
    "your own that asks for no key, any text will do), or give api_key= or client=. To try things without a provider, start "
    "`handrail rehearse --port 8091` and set OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=rehearsal: a few rules, not a model."
)
OPENAI_URL = "https://api.openai.com/v1"
SCHEMES = ("http", "https")


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One provider.

    Args:
        url: before the path of an interface.
        headers: that go with every request, the key among them.
        proxy: that requests go through.
        secrets: what is taken out of every text.
    """

    url: str
    headers: Mapping[str, str]
    proxy: str | None
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        """Without a secret."""
        return f"Provider(url={self.url!r})"


def provider(base_url: str | None, api_key: str | None, *, proxies: bool = True) -> Provider:
    """The provider that is named, or that the environment names.

    Args:
        base_url: else OPENAI_BASE_URL, else OpenAI's.
        api_key: else OPENAI_API_KEY.
        proxies: whether those of the environment are used.

    Raises:
        InputError: no key, or something cannot be right.
    """
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if not key:
        raise InputError(NO_KEY)
    url = _address(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)
    custom = _custom_headers()
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"handrail/{version('handrail')}",
        **_named("OpenAI-Organization", "OPENAI_ORG_ID"),
        **_named("OpenAI-Project", "OPENAI_PROJECT_ID"),
    }
    for name, value in custom.items():  # names of headers know no case
        headers = {known: said for known, said in headers.items() if known.lower() != name.lower()} | {name: value}
    if not all(text.isascii() and text.isprintable() for header in headers.items() for text in header):
        raise InputError(
            "the key, or a header of OPENAI_CUSTOM_HEADERS, has a character that no header can carry, such as the end of a line"
        )
    proxy = _proxy(url) if proxies else None
    password = (urlsplit(proxy).password or "") if proxy else ""
    secrets = tuple(secret for secret in (key, password, *custom.values()) if secret)
    return Provider(url=url.geturl().rstrip("/"), headers=headers, proxy=proxy, secrets=secrets)


def _address(text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        right = url.scheme in SCHEMES and url.hostname and "@" not in url.netloc and not url.query and not url.fragment
        right = right and (url.port is None or url.port > 0)
    except ValueError:
        right = False
    if not right:
        raise InputError("the provider's address is to be like https://host/v1: with http or https, without user, query or fragment")
    return urlsplit(text)


def _named(header: str, variable: str) -> dict[str, str]:
    value = os.environ.get(variable)
    return {header: value} if value else {}


def _custom_headers() -> dict[str, str]:
    """Headers of the user's, one a line."""
    lines = (line.partition(":") for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n"))
    return {name.strip(): value.strip() for name, colon, value in lines if colon and name.strip()}


def _proxy(url: SplitResult) -> str | None:
    proxies = getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    if not found or proxy_bypass(url.netloc):
        return None
    found = found if "://" in found else f"http://{found}"
    try:
        known = urlsplit(found)
        right = known.scheme in SCHEMES and known.hostname
    except ValueError:
        right = False
    if not right:
        raise InputError("the environment names a proxy that is not reached by http or https; the official client takes others")
    return found
