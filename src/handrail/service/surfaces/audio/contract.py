"""What the two ways of speech have in common: what is asked of them, and which kinds of sound there are.

- The kind of a recording is told by its first bytes. What a client says of it (a name, a media type) is not believed: some containers
  can name other files, and are not on the list.
"""

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from handrail.service.problems import Problem

Format = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
MEDIA_TYPES: Mapping[Format, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
"""Of what is read out; `pcm` is bare samples at 24 kHz, 16 bits, little-endian, one channel."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of recording.

    Args:
        ending: of a file's name.
        media_type: of a file.
        demuxer: ffmpeg's name of what reads it.
    """

    ending: str
    media_type: str
    demuxer: str


_WAV = Kind("wav", "audio/wav", "wav")
_OGG = Kind("ogg", "audio/ogg", "ogg")
_FLAC = Kind("flac", "audio/flac", "flac")
_MP3 = Kind("mp3", "audio/mpeg", "mp3")
_WEBM = Kind("webm", "audio/webm", "matroska")
_M4A = Kind("m4a", "audio/mp4", "mp4")
_BEGINNINGS = ((b"OggS", _OGG), (b"fLaC", _FLAC), (b"ID3", _MP3), (b"\x1a\x45\xdf\xa3", _WEBM))


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody said.

    Args:
        sound: the file.
        kind: of it.
        language: two letters, where it is known.
        prompt: words that may come up, such as the names on a menu.
    """

    sound: bytes
    kind: Kind
    language: str | None = None
    prompt: str = ""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be read out.

    Args:
        text: without markup.
        format: of the sound.
        voice: whose; the settings' where it is not said.
        speed: 1 is as people speak.
        instructions: how, for models that can be told.
    """

    text: str
    format: Format
    voice: str | None = None
    speed: float = 1.0
    instructions: str | None = None


class Speech(Protocol):
    """A way of speech."""

    async def heard(self, recording: Recording) -> str:
        """What was said; nothing where nothing was.

        Raises:
            Problem: it cannot be told.
        """
        ...

    async def read_out(self, reading: Reading) -> bytes:
        """The sound.

        Raises:
            Problem: it cannot be made.
        """
        ...


def kind_of(sound: bytes) -> Kind:
    """The kind of a recording, by its first bytes.

    Raises:
        Problem: it is none of those that are known here.
    """
    if sound[:4] == b"RIFF" and sound[8:12] == b"WAVE":
        return _WAV
    if sound[4:8] == b"ftyp":
        return _M4A
    if len(sound) > 1 and sound[0] == 0xFF and sound[1] & 0xE6 == 0xE2:  # the mark of a frame of layer III
        return _MP3
    for beginning, kind in _BEGINNINGS:
        if sound.startswith(beginning):
            return kind
    raise unreadable()


def unreadable() -> Problem:
    """What is said of a recording that cannot be read, whoever has found out."""
    return Problem(400, "unreadable", "This is no recording that can be read here: send wav, mp3, ogg, webm, flac or m4a.")


def busy(seconds: int) -> Problem:
    """What is said where others are before."""
    detail = f"Too many recordings and readings wait already. Come again in {seconds} s."
    return Problem(503, "busy", detail, headers={"Retry-After": str(seconds)})
