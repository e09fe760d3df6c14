"""handrail over HTTP: an app is an agent with what belongs to it, and the service serves any number of them.

- Importing this needs no extra: what FastAPI, SQLAlchemy or pydantic-settings bring is in modules that are imported when they are used.
- Here are explicit, sorted re-exports and nothing else.
"""

from handrail.drivers.watching import OnEvent
from handrail.ports import Model
from handrail.service.apps import App, Beside, find_app, find_apps, later
from handrail.service.serving import Serving
from handrail.vocab.facts import Noted

__all__ = ["App", "Beside", "Model", "Noted", "OnEvent", "Serving", "find_app", "find_apps", "later"]
