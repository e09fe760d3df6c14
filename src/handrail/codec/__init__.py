"""Events and states as versioned JSON: one line an event, strict on reading."""

from handrail.codec.events import decode, encode
from handrail.codec.states import decode_state, encode_state
from handrail.codec.text import cleaned

__all__ = ["cleaned", "decode", "decode_state", "encode", "encode_state"]
