"""The database as apps see it: `handrail.stores.database`, under a name that apps may import."""

from handrail.stores.database import UtcDateTime, make_engine, normalised

__all__ = ["UtcDateTime", "make_engine", "normalised"]
