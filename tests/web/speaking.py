"""A microphone that says what a test wants, when it wants it, and what came out of the loudspeaker.

Between them everything is real: the page's worklet, the service's models, and the sound of a voice that they understand.
"""

import base64
import io
import wave
from pathlib import Path

from playwright.sync_api import Page

from handrail.service.surfaces.audio.contract import Reading
from handrail.service.surfaces.audio.reading import Mouth

MICROPHONE = """
(() => {
  let context, out;
  window.sounds = [];
  navigator.mediaDevices.getUserMedia = async () => {
    context ??= new AudioContext();
    await context.resume();
    out = context.createMediaStreamDestination();
    return out.stream;
  };
  window.utter = async (sound) => {
    const bytes = Uint8Array.from(atob(sound), (letter) => letter.charCodeAt(0));
    const source = context.createBufferSource();
    source.buffer = await context.decodeAudioData(bytes.buffer);
    source.connect(out);
    source.utters = true;
    await new Promise((resolve) => { source.onended = resolve; source.start(); });
  };
  const { start, stop } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (...when) {
    if (!this.utters) window.sounds.push("began");
    return start.apply(this, when);
  };
  AudioBufferSourceNode.prototype.stop = function (...when) {
    window.sounds.push("interrupted");
    return stop.apply(this, when);
  };
})();
"""
"""It stands in for the device alone, and tells of the sounds that the page begins and breaks off."""

_mouth: list[Mouth] = []


def spoken(text: str) -> bytes:
    """A recording of somebody who says that."""
    if not _mouth:
        _mouth.append(Mouth())
    return _mouth[0].read_out(Reading(text=text, format="wav"))


def padded(sound: bytes, *, before: float, after: float) -> bytes:
    """The same with silence around it, in seconds."""
    with wave.open(io.BytesIO(sound)) as file:
        params, frames = file.getparams(), file.readframes(file.getnframes())
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams(params)
        silence = b"\0\0" * params.framerate
        file.writeframes(silence[: round(before * params.framerate) * 2] if before <= 1 else silence * round(before))
        file.writeframes(frames)
        file.writeframes(silence * round(after))
    return out.getvalue()


def utter(page: Page, text: str) -> None:
    """Say it into the microphone, which is open; it has been said when this is over."""
    page.evaluate("(sound) => window.utter(sound)", base64.b64encode(spoken(text)).decode())


def fake_microphone(sound: Path) -> list[str]:
    """The browser's own microphone, that plays a recording once."""
    return [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={sound}%noloop",
    ]
