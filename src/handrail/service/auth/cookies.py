"""What a browser that has signed in keeps: a signed cookie, and a token that its posts carry.

- The cookie is `HttpOnly` and `SameSite=Lax`, and `Secure` over https; it says who, until when, and is signed (HMAC-SHA-256).
- The token of the posts (CSRF) is derived from the cookie's nonce: another site can make a browser send the cookie, and cannot read this.
- Everything is compared in constant time, and what is not exactly as we made it is nothing.
"""

import base64
import binascii
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import msgspec

from handrail.ports import Clock

NAME = "handrail"
LONGEST = 1_000
"""Characters of a cookie that are looked at."""


class SignedIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a cookie says."""

    user_id: str
    nonce: str
    until: datetime


class Cookies:
    """Makes and reads them.

    Args:
        secret: signs; whoever has it can be anybody.
        clock: says the time.
        lasts: how long a browser stays signed in.
    """

    def __init__(self, secret: bytes, *, clock: Clock, lasts: timedelta) -> None:
        """Derive a key for each purpose, so that no text made for one is good for the other."""
        self._signing = hmac.digest(secret, b"handrail cookie", sha256)
        self._csrf = hmac.digest(secret, b"handrail csrf", sha256)
        self._clock = clock
        self.lasts = lasts

    def made(self, user_id: str) -> str:
        """A new cookie's value."""
        signed_in = SignedIn(user_id, secrets.token_urlsafe(16), self._clock.now().astimezone(UTC) + self.lasts)
        payload = _text(msgspec.json.encode(signed_in))
        return f"{payload}.{self._signature(payload)}"

    def read(self, value: str) -> SignedIn | None:
        """Who has signed in; `None` where the value is not ours, or its time is over."""
        payload, dot, signature = value.partition(".")
        if not dot or len(value) > LONGEST or not value.isascii():
            return None
        if not hmac.compare_digest(signature, self._signature(payload)):
            return None
        try:
            found = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)), type=SignedIn)
        except (binascii.Error, msgspec.DecodeError):
            return None
        return found if found.until > self._clock.now() else None

    def csrf(self, signed_in: SignedIn) -> str:
        """What the posts of this browser have to carry."""
        return _text(hmac.digest(self._csrf, signed_in.nonce.encode(), sha256))

    def _signature(self, payload: str) -> str:
        return _text(hmac.digest(self._signing, payload.encode(), sha256))


def new_secret() -> bytes:
    """A secret for a service that was given none."""
    return secrets.token_bytes(32)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
