"""The service on AWS Lambda: what the handlers of `handrail.engines.aws_lambda` run, and a handler for whoever operates it.

- One program for both functions. The API's takes messages on and advances nothing; the runner's serves sessions, and answers nobody.
- The apps are those of HANDRAIL_APPS, or all that are installed; the model is the provider's, or the rehearsal if HANDRAIL_MODEL says so.
- Secrets come from AWS Secrets Manager when a process starts: they are in no template, and in no function's configuration.
- The database is migrated when somebody says so (`operator_handler`), and not by whichever process comes first.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import boto3  # type: ignore[import-untyped]  # it has no types of its own
import msgspec

from handrail.drivers.clock import SystemClock
from handrail.engines.aws_lambda.engine import LambdaEngine
from handrail.engines.aws_lambda.handlers import Program
from handrail.engines.aws_lambda.invoking import Invoker, impatient
from handrail.errors import InputError
from handrail.service.app import make_app
from handrail.service.apps import App, find_app, find_apps
from handrail.service.auth.callers import check_scopes, check_user_id
from handrail.service.choosing import chosen
from handrail.service.gateway import BehindGateway
from handrail.service.logs import set_up
from handrail.service.opening import is_sqlite, what_is_missing
from handrail.service.running import Running
from handrail.service.settings import Settings, read_settings
from handrail.stores import keys
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate
from handrail.stores.transactions import write

SECRETS = "HANDRAIL_AWS_SECRETS"
OURS = ("HANDRAIL_", "OPENAI_", "PG")
"""What a secret may set: our settings, the model client's, and libpq's (PGPASSWORD)."""


class Order(msgspec.Struct, forbid_unknown_fields=True):
    """What an operator asks for."""

    migrate: bool = False
    key_for: str | None = None
    scopes: list[str] = []


@asynccontextmanager
async def opened(runs: bool) -> AsyncIterator[Program]:
    """The program, for as long as a process lives.

    Args:
        runs: it serves sessions.

    Raises:
        InputError: a setting does not fit, or the database cannot be used.
    """
    read_secrets()
    settings = read_settings()
    if settings.runner_function is None:
        raise InputError("HANDRAIL_RUNNER_FUNCTION is to name the function that runs sessions")
    apps = apps_of(settings)
    set_up(settings, apps)
    clock, invoker = SystemClock(), Invoker(settings.runner_function)
    database = make_engine(settings.database_url.get_secret_value())
    try:
        if is_sqlite(database):
            raise InputError("processes of Lambda share a PostgreSQL: see to HANDRAIL_DATABASE_URL")
        if (wrong := await what_is_missing(database)) is not None:
            raise InputError(wrong)
        scenarios = [scenario for app in apps for scenario in app.scenarios()]
        async with chosen(settings.model, scenarios, standing_in=False) as choice:
            engine = LambdaEngine(database, clock=clock, invoke=invoker)
            running = Running(database, apps=[app.name for app in apps], settings=settings, clock=clock, engine=engine, runs=runs)
            service = make_app(apps, model=choice.model, model_name=choice.name, settings=settings, running=running)
            async with service.router.lifespan_context(service):
                yield Program(app=BehindGateway(service, clock=clock), engine=engine, clock=clock, flush=running.telemetry.flush)
    finally:
        await database.dispose()
        invoker.close()


def operator_handler(event: Any, context: Any) -> dict[str, Any]:
    """Migrate the database (`{"migrate": true}`), or make a key (`{"key_for": "ada", "scopes": []}`), which is shown this once.

    Raises:
        InputError: it is something else that is asked for.
    """
    try:
        order = msgspec.convert(event, type=Order)
    except msgspec.ValidationError:
        raise InputError('an event is {"migrate": true} or {"key_for": "…", "scopes": ["…"]}') from None
    read_secrets()
    if order.key_for is not None:
        return asyncio.run(_key(check_user_id(order.key_for), check_scopes(order.scopes)))
    return asyncio.run(_migrated()) if order.migrate else {}


def apps_of(settings: Settings) -> Sequence[App]:
    """What is served.

    Raises:
        InputError: an app is not there, or there is none.
    """
    names = [name.strip() for name in settings.apps.split(",") if name.strip()]
    apps = [find_app(name) for name in dict.fromkeys(names)] if names else list(find_apps().values())
    if not apps:
        raise InputError("no app is installed; name one of your own in HANDRAIL_APPS as module:name")
    return apps


def read_secrets() -> None:
    """Put what the secrets say into the environment; what is set there already stands.

    Raises:
        InputError: a secret is no JSON object of texts, or sets what is not ours.
    """
    arns = [arn.strip() for arn in os.environ.get(SECRETS, "").split(",") if arn.strip()]
    if not arns:
        return
    client = boto3.client("secretsmanager", config=impatient())
    try:
        for arn in arns:
            for name, value in _variables(client.get_secret_value(SecretId=arn)["SecretString"], arn).items():
                os.environ.setdefault(name, value)
    finally:
        client.close()


def _variables(text: str, arn: str) -> dict[str, str]:
    try:
        found = msgspec.json.decode(text, type=dict[str, str])
    except msgspec.MsgspecError:
        raise InputError(f"the secret {arn!r} is to be a JSON object of texts") from None
    wrong = sorted(name for name in found if not name.startswith(OURS))
    if wrong:
        raise InputError(f"the secret {arn!r} sets {wrong[0]!r}; a name in it begins with one of {', '.join(OURS)}")
    return found


async def _migrated() -> dict[str, Any]:
    database = make_engine(read_settings().database_url.get_secret_value())
    try:
        before, after = await migrate(database)
    finally:
        await database.dispose()
    return {"before": before, "after": after}


async def _key(user_id: str, scopes: Sequence[str]) -> dict[str, Any]:
    database = make_engine(read_settings().database_url.get_secret_value())
    try:
        text, key = await write(database, keys.create, user_id=user_id, scopes=scopes, at=SystemClock().now())
    finally:
        await database.dispose()
    return {"key_id": key.key_id, "key": text}
