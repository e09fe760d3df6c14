"""The apps that a command is about: those that were named, or all that are installed."""

from collections.abc import Sequence

from handrail.cli.loading import load
from handrail.errors import InputError
from handrail.models.rehearsal.scenario import Scenario
from handrail.service import Serving
from handrail.service.apps import App, find_apps


def apps_of(references: Sequence[str] | None) -> list[App]:
    """The apps, each once, in the order in which they were named.

    Raises:
        InputError: one of them is not there, or is an agent without an app around it.
    """
    apps = [app_of(reference) for reference in references] if references else list(find_apps().values())
    if not apps:
        raise InputError("no app is installed; name one of your own as module:name")
    return list({app.name: app for app in apps}.values())


def app_of(reference: str) -> App:
    """The app that the reference names.

    Raises:
        InputError: it is not there, or is an agent without an app around it.
    """
    app = load(reference).app
    if app is None:
        raise InputError(f"{reference!r} is an agent; this needs a handrail.service.App around it (docs/howto/your-own-app.md)")
    return app


def scenarios_of(apps: Sequence[App]) -> list[Scenario]:
    """What the rule-based stand-in does for these apps."""
    return [scenario for app in apps for scenario in app.scenarios()]


async def not_ready(served: Sequence[Serving]) -> list[str]:
    """One line for each app that cannot work yet, with what to do; `/readyz` says the same."""
    missing = [(serving.app.name, await serving.missing()) for serving in served]
    return [f"{name} is not ready: {what}" for name, what in missing if what is not None]
