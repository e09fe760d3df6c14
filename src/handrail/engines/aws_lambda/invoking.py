"""Invocations by AWS's own client, which blocks: each in a thread.

- Asked for as an event: Lambda takes it on (202), and nobody waits for what comes of it.
- Its time-outs are short, and it tries twice: what is not taken on in a few seconds is left to the sweep, and not to the caller's patience.
"""

import asyncio
from typing import Any

import boto3  # type: ignore[import-untyped]  # it has no types of its own
import msgspec
from botocore.config import Config  # type: ignore[import-untyped]  # the same
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # the same

from handrail.errors import RemoteError

CONNECTED_WITHIN = 1.0
"""Seconds."""
ANSWERED_WITHIN = 1.0
TRIES = 2
AT_ONCE = 32
"""As many as there are threads at most."""


def impatient() -> Config:
    """How AWS's services are asked."""
    return Config(
        connect_timeout=CONNECTED_WITHIN,
        read_timeout=ANSWERED_WITHIN,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
        max_pool_connections=AT_ONCE,
    )


class Invoker:
    """Has sessions served by invocations of a function.

    Args:
        function: its name or ARN.
    """

    def __init__(self, function: str) -> None:
        """Make the client, with the region and the credentials of the environment."""
        self._function = function
        self._client: Any = boto3.client("lambda", config=impatient())

    async def __call__(self, session_id: str) -> None:
        """Have it served.

        Raises:
            RemoteError: Lambda has not taken it on.
        """
        payload = msgspec.json.encode({"session_id": session_id})
        try:
            await asyncio.to_thread(self._client.invoke, FunctionName=self._function, InvocationType="Event", Payload=payload)
        except (BotoCoreError, ClientError) as error:
            raise RemoteError(f"{self._function!r} cannot be invoked: {type(error).__name__}") from error

    def close(self) -> None:
        """Close its connections."""
        self._client.close()
