"""The tasks: forty of each app, written before any was run, in two halves.

- The half follows from the id alone: of each app, the twenty whose ids have the smaller sha256 are for tuning, the others are held out.
- Whoever tunes (words of an app, examples, decoding) looks at the tuning half only. The held-out half is run once, at the end.
"""

from hashlib import sha256

from benchmarks.weak_model.tasks import delivery_cart, delivery_orders, orders_more, orders_single
from benchmarks.weak_model.tasks.kit import DeliveryTask, Ended, OrdersTask, Task

__all__ = ["APPS", "HALVES", "DeliveryTask", "Ended", "OrdersTask", "Task", "half_of", "tasks"]

HALVES = ("tuning", "held-out")
APPS: dict[str, tuple[Task, ...]] = {
    "orders": (*orders_single.TASKS, *orders_more.TASKS),
    "delivery": (*delivery_cart.TASKS, *delivery_orders.TASKS),
}


def tasks(app: str, half: str | None = None) -> tuple[Task, ...]:
    """An app's tasks, all of them or a half, in the order in which they are written."""
    return tuple(task for task in APPS[app] if half in {None, half_of(task)})


def half_of(task: Task) -> str:
    """The half that a task belongs to."""
    app = next(name for name, written in APPS.items() if task in written)
    drawn = sorted(APPS[app], key=lambda each: sha256(each.id.encode()).hexdigest())
    return HALVES[drawn.index(task) >= len(drawn) // 2]
