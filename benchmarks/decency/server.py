"""The model: the rehearsal server with the planner's scenarios, as a process of its own.

- The model's name says how it behaves: `careless:20956` is the temperament and the seed. So one server is there for all runs.
- It understands what libraries write in forms of their own (`understanding`), and counts what comes in (`seeing`).
- It listens on a free port of this machine, prints it, and ends when its standard input does.
"""

import socket
import sys
import threading

import uvicorn

from benchmarks.decency.seeing import Seeing
from benchmarks.decency.understanding import SUBMIT, understood
from handrail.apps.trips import app
from handrail.models.rehearsal.scenario import Conversation, Move
from handrail.models.rehearsal.server import make_server
from handrail.models.rehearsal.temperament import Bent, Dice, Hearing, Imagined, Temperament, dice_for
from handrail.models.rehearsal.temperaments import TEMPERAMENTS


class ByName:
    """Behaves as the model's name says."""

    def __init__(self) -> None:
        """One of each."""
        self._members = {name: make() for name, make in TEMPERAMENTS.items()}

    def hears(self, conversation: Conversation, dice: Dice) -> Conversation:
        """Hear what that one would hear, with dice from that seed."""
        member, dice = self._of(conversation)
        conversation = understood(conversation)
        return member.hears(conversation, dice) if isinstance(member, Hearing) else conversation

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Bent | Imagined:
        """Bend it as that one would, with dice from that seed."""
        member, dice = self._of(conversation)
        return member.bend(move, understood(conversation), dice)

    def _of(self, conversation: Conversation) -> tuple[Temperament, Dice]:
        name, _, seed = conversation.model.partition(":")
        return self._members[name], dice_for(int(seed), conversation)


def main() -> None:
    """Serve until standard input ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = uvicorn.Server(
        uvicorn.Config(
            Seeing(make_server(app.scenarios(), temperament=ByName()), SUBMIT),
            log_level="critical",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
    )

    def stop() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=stop, daemon=True).start()
    print(listening.getsockname()[1], flush=True)
    server.run(sockets=[listening])


if __name__ == "__main__":
    main()
