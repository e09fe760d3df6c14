"""What every event of a journal is: frozen, named by its tag, and strict when it is read."""

import msgspec


class Recorded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True, tag_field="event", forbid_unknown_fields=True):
    """The base of every event; its name is the tag."""
