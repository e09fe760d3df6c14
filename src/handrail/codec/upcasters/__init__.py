"""Upcasters: each lifts the fields of an event from one schema version to the next. One file a version; there is only one version yet."""

from collections.abc import Callable, Mapping
from typing import Any

UPCASTERS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Version -> what lifts it to the next."""
