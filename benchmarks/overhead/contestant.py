"""What every contestant is: a module with a class `Loop` that does the task. It runs by itself in a process."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

Agent = TypeVar("Agent")


class Contestant(ABC, Generic[Agent]):
    """One way to do the task; the client of the model is made once, with it."""

    shared: ClassVar[bool] = True
    """Whether one agent may serve many runs at the same time; otherwise each has its own."""

    @abstractmethod
    def __init__(self, url: str) -> None:
        """Make the client of the model behind this address."""

    @abstractmethod
    def agent(self) -> Agent:
        """An agent with its three tools, from scratch."""

    @abstractmethod
    async def run(self, agent: Agent, turns: int) -> str:
        """The answer of one run with so many tool turns."""

    async def close(self) -> None:
        """Close what was opened."""
        return
