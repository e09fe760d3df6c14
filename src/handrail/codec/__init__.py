"""Events and states as versioned JSON: one line an event, strict on reading."""

from handrail.codec.events import decode, encode
from handrail.codec.histories import known_messages
from handrail.codec.states import decode_state, encode_state
from handrail.codec.text import cleaned, cleaned_json, cleaned_text

__all__ = ["cleaned", "cleaned_json", "cleaned_text", "decode", "decode_state", "encode", "encode_state", "known_messages"]
