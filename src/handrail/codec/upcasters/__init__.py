"""Upcasters: each lifts the fields of an event from one schema version to the next. One file a version."""

from collections.abc import Callable, Mapping
from typing import Any

from handrail.codec.upcasters.v1 import lifted as from_1

UPCASTERS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: from_1}
"""Version -> what lifts it to the next."""
