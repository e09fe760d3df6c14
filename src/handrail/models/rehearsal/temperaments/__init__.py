"""Temperaments: the ways in which models and their providers misbehave, seeded, over any scenario.

    async with started(scenarios, temperament=temperament("sloppy"), seed=7) as url: ...

- One file a temperament. None knows any app: it has the scenario's move, the conversation and the dice.
- None keeps anything: the same seed and the same request have the same answer, whatever else is going on.
"""

from collections.abc import Callable, Mapping

from handrail.errors import InputError
from handrail.models.rehearsal.temperament import Steady, Temperament
from handrail.models.rehearsal.temperaments.careless import Careless
from handrail.models.rehearsal.temperaments.chatty import Chatty
from handrail.models.rehearsal.temperaments.cut import Cut
from handrail.models.rehearsal.temperaments.flaky import Flaky
from handrail.models.rehearsal.temperaments.hasty import Hasty
from handrail.models.rehearsal.temperaments.inventive import Inventive
from handrail.models.rehearsal.temperaments.mixed import Mixed
from handrail.models.rehearsal.temperaments.obsessive import Obsessive
from handrail.models.rehearsal.temperaments.parallel import Parallel
from handrail.models.rehearsal.temperaments.silent import Silent
from handrail.models.rehearsal.temperaments.sloppy import Sloppy
from handrail.models.rehearsal.temperaments.slow import Slow
from handrail.models.rehearsal.temperaments.stubborn import Stubborn

_PURE: Mapping[str, Callable[[], Temperament]] = {
    "chatty": Chatty,
    "obsessive": Obsessive,
    "hasty": Hasty,
    "careless": Careless,
    "sloppy": Sloppy,
    "inventive": Inventive,
    "stubborn": Stubborn,
    "silent": Silent,
    "cut": Cut,
    "parallel": Parallel,
    "slow": Slow,
    "flaky": Flaky,
}


def mixed() -> Mixed:
    """All of them, one at a time."""
    return Mixed([make() for make in _PURE.values()])


TEMPERAMENTS: Mapping[str, Callable[[], Temperament]] = {"steady": Steady, **_PURE, "mixed": mixed}
"""Makes each, by its name."""


def temperament(name: str) -> Temperament:
    """The temperament of that name.

    Raises:
        InputError: there is none.
    """
    if name not in TEMPERAMENTS:
        raise InputError(f"there is no temperament {name!r}; there are: {', '.join(TEMPERAMENTS)}")
    return TEMPERAMENTS[name]()
