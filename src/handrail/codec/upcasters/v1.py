"""From version 1 to 2: a run has a history limit now, and the runs of version 1 had none."""

from typing import Any


def lifted(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of the same event in version 2."""
    return {**fields, "history_limit": None} if fields.get("event") == "RunStarted" else fields
