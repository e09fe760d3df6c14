"""Hibari, a small English voice. It needs the extra `voice`.

- Only the voice that is in its package is used: others would be fetched.
"""

import hibari  # type: ignore[import-untyped]  # it has no types

from handrail.service.surfaces.audio.contract import Reading
from handrail.service.surfaces.audio.sound import encoded

VOICE = "heart"
SLOWEST, FASTEST = 0.5, 2.0


class Mouth:
    """The voice, loaded."""

    def __init__(self) -> None:
        """Load it."""
        self._voice = hibari.Hibari(voice=VOICE)

    def read_out(self, reading: Reading) -> bytes:
        """The sound."""
        speed = min(max(reading.speed, SLOWEST), FASTEST)
        # The noise in it comes from a seed, so that the same words sound the same.
        return encoded(self._voice(reading.text, speed=speed, seed=0), self._voice.sample_rate, reading.format)
