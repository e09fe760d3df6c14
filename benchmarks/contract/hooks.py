"""What schemathesis is told beside the description: names of what is there (mostly), and keys that mean what they are for.

Everything depends on the case alone, so the same seed asks the same again.
"""

import os
from hashlib import sha256
from typing import Any

import msgspec
import schemathesis
from schemathesis import Case, GenerationMode, HookContext

from benchmarks.contract.service import USER, Known

KNOWN = "HANDRAIL_CONTRACT_KNOWN"
IDEMPOTENCY = "Idempotency-Key"
ACTING = "X-Act-As"
known = msgspec.json.decode(os.environ[KNOWN], type=Known)


@schemathesis.hook
def map_path_parameters(context: HookContext, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Ask for what is there, mostly."""
    if path_parameters is None or sha256(repr(path_parameters).encode()).digest()[0] % 4 == 0:
        return path_parameters
    return {name: getattr(known, name) for name in path_parameters}


@schemathesis.hook
def map_body(context: HookContext, body: Any) -> Any:
    """Talk to the app that is there, where a body names one; and wait for no news, since nobody brings any."""
    if not isinstance(body, dict):
        return body
    named = {name: known.model_id for name in ("model", "app") if isinstance(body.get(name), str)}
    waits = {"wait": 0.1} if isinstance(body.get("wait"), int | float) or "resume" in body else {}
    return {**body, **named, **waits}


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Give the same key to the same body only, since another body is refused with it; and act for whom there is something."""
    fits = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
    if fits and IDEMPOTENCY in case.headers:
        case.headers[IDEMPOTENCY] = sha256(repr(case.body).encode()).hexdigest()
    if fits and ACTING in case.headers:
        case.headers[ACTING] = USER
