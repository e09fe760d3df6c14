"""Sound to samples and back, by ffmpeg (`av`). It needs the extra `voice`.

- A recording is read by the one reader that its first bytes name; ffmpeg does not guess, and opens nothing else.
- It is read no further than it may be long: a small file can have hours in it.
"""

import io
import wave
from collections.abc import Iterator, Mapping
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.error import FFmpegError

from handrail.service.problems import Problem
from handrail.service.surfaces.audio.contract import Format, Kind, unreadable

RATE = 16_000
LONGEST = 120
"""Seconds of a recording."""

WRITERS: Mapping[Format, tuple[str, str]] = {
    "mp3": ("mp3", "libmp3lame"),
    "opus": ("ogg", "libopus"),
    "aac": ("adts", "aac"),
    "flac": ("flac", "flac"),
}

Samples = np.ndarray[Any, np.dtype[np.float32]]


def decoded(sound: bytes, kind: Kind) -> Samples:
    """The samples of a recording: one channel at 16 kHz, from -1 to 1.

    Raises:
        Problem: it cannot be read, or is too long.
    """
    parts: list[Any] = []
    length = 0
    try:
        for frame in _frames(sound, kind):
            parts.append(frame.to_ndarray().reshape(-1))
            length += frame.samples
            if length > LONGEST * RATE:
                raise Problem(413, "too_long", f"A recording is at most {LONGEST} seconds long here.")
    except (FFmpegError, ValueError, IndexError):
        raise unreadable() from None
    if not parts:
        return np.zeros(0, np.float32)
    return np.concatenate(parts).astype(np.float32) / np.float32(32_768)


def encoded(samples: Samples, rate: int, wanted: Format) -> bytes:
    """The samples as a file."""
    bare = (np.clip(samples, -1.0, 1.0) * 32_767).astype("<i2")
    match wanted:
        case "pcm":
            return bare.tobytes()
        case "wav":
            return _wav(bare.tobytes(), rate)
        case _:
            return _written(bare, rate, *WRITERS[wanted])


def _frames(sound: bytes, kind: Kind) -> Iterator[AudioFrame]:
    to_speech = AudioResampler(format="s16", layout="mono", rate=RATE)
    with av.open(io.BytesIO(sound), "r", format=kind.demuxer) as container:
        for frame in container.decode(audio=0):
            yield from to_speech.resample(frame)
        yield from to_speech.resample(None)


def _wav(bare: bytes, rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bare)
    return out.getvalue()


def _written(bare: Any, rate: int, container: str, codec: str) -> bytes:
    out = io.BytesIO()
    with av.open(out, "w", format=container) as file:
        stream: Any = file.add_stream(codec, rate=rate, layout="mono")
        frame = AudioFrame.from_ndarray(bare[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.pts = rate, 0
        fitting = AudioResampler(format=stream.format, layout="mono", rate=rate)
        for part in (*fitting.resample(frame), *fitting.resample(None)):
            file.mux(stream.encode(part))
        file.mux(stream.encode(None))
    return out.getvalue()
