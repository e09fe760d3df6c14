"""Speech over HTTP, in OpenAI's shapes: what somebody said as text, and text read out.

- It is forwarded to the audio server that the settings name, or done here by small models where the extra `voice` is installed.
- It has no part in any run: what was heard is text for whoever sent the recording, and a yes only where a person decides an approval.
- Which model is used, and so what it costs, is said by the settings and not by a request.
- Nothing of a recording is kept or logged.
"""

from handrail.service.surfaces.audio.surface import Audio

__all__ = ["Audio"]
