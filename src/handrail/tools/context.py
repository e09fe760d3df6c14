"""What a tool is given beside the model's arguments. It is in no declaration, so no model can set it."""

from typing import Generic, TypeVar

import msgspec

from handrail.vocab.facts import Ledger

Deps = TypeVar("Deps")


class ToolContext(msgspec.Struct, Generic[Deps], frozen=True, kw_only=True):
    """Injected into the parameter that is annotated with it, whatever its name.

    Args:
        deps: what the caller of `run` gave: a database, a client, the signed-in user.
        run_id: the run that the call belongs to.
        call_id: our own id of the call, unique in its run.
        idempotency_key: the same at every repetition of this call; give it to services that take one.
        ledger: the facts that are known so far.
    """

    deps: Deps
    run_id: str = ""
    call_id: str = ""
    idempotency_key: str = ""
    ledger: Ledger = Ledger()
