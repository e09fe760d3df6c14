"""What is served: apps, how an agent's tools hang together, and what a walk through its ring has found."""

from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, Field

from handrail.check.graph import Edge, Relation, edges, limits, notes
from handrail.check.report import Report
from handrail.core.agent import Agent
from handrail.core.ring import Callable
from handrail.service.serving import Serving
from handrail.vocab.calls import ToolEffect, Where


class AppBody(BaseModel):
    """An app that is served."""

    name: str
    summary: str
    page: str | None
    example: str


class Apps(BaseModel):
    """What is served, by name."""

    apps: list[AppBody]


class ToolBody(BaseModel):
    """One tool of an agent."""

    name: str
    description: str
    effect: ToolEffect
    where: Where
    submit: bool = Field(description="Whether its success ends the run.")
    notes: list[str] = Field(description="How often it may be called, and where it runs, in a few words.")
    guards: list[str] = Field(description="The guards that name it.")

    @classmethod
    def of(cls, agent: Agent, tool: Callable) -> Self:
        """The tool, with what the ring says of it."""
        about = tool.declaration["function"]
        return cls(
            name=tool.name,
            description=about["description"],
            effect=tool.effect,
            where=tool.where,
            submit=tool.name == agent.submit,
            notes=list(notes(agent, tool.name)),
            guards=[guard.name for guard in agent.guards if tool.name in guard.tools],
        )


class EdgeBody(BaseModel):
    """One arrow of the order: `order` (the source has succeeded before), `fact` (it gives an argument), `look` (a person or a reviewer)."""

    source: str
    target: str
    relation: Relation
    label: str

    @classmethod
    def of(cls, edge: Edge) -> Self:
        """The arrow."""
        return cls(source=edge.source, target=edge.target, relation=edge.relation, label=edge.label)


class AgentBody(AppBody):
    """An app with its agent: the tools, and the ring around them."""

    agent: str
    model: str
    tools: list[ToolBody]
    guards: list[str] = Field(description="All of the ring, in order.")
    limits: list[str] = Field(description="The guards that limit the whole run.")
    edges: list[EdgeBody]

    @classmethod
    def made(cls, serving: Serving) -> Self:
        """The app as it is served."""
        app, agent = serving.app, serving.agent
        return cls(
            name=app.name,
            summary=app.summary,
            page=app.page,
            example=app.example,
            agent=agent.name,
            model=agent.model,
            tools=[ToolBody.of(agent, tool) for tool in agent.tools.values()],
            guards=[guard.name for guard in agent.guards],
            limits=list(limits(agent)),
            edges=[EdgeBody.of(edge) for edge in edges(agent)],
        )


class CheckBody(BaseModel):
    """What a walk through everything that any model can do has found."""

    ok: bool = Field(description="Nothing wrong was found, and everything was walked.")
    complete: bool = Field(description="Everything was walked; otherwise nothing is proven.")
    states: int
    longest: str
    holds: list[str] = Field(description="Invariants that were looked at everywhere, and hold.")
    reachable: list[str] = Field(description="Tools that a run can come to call.")
    assumes: list[str]
    warnings: list[str]
    faults: list[str]
    story: list[str] = Field(description="A shortest way into the first fault, step by step.")
    why: list[str] = Field(description="What stands in the way there.")
    wrong: str | None = Field(description="Why it could not be walked at all.")

    @classmethod
    def of(cls, report: Report) -> Self:
        """The report as a client sees it."""
        found = report.counterexample
        return cls(
            ok=report.ok,
            complete=report.complete,
            states=report.states,
            longest=report.longest,
            holds=list(_held(report)),
            reachable=list(report.tools),
            assumes=list(report.assumes),
            warnings=list(report.warnings),
            faults=list(report.faults),
            story=[] if found is None else list(found.story),
            why=[] if found is None else list(found.why),
            wrong=None,
        )

    @classmethod
    def not_walked(cls, wrong: str) -> Self:
        """There is no report, and this is why."""
        nothing: list[str] = []
        return cls(
            ok=False,
            complete=False,
            states=0,
            longest="",
            holds=nothing,
            reachable=nothing,
            assumes=nothing,
            warnings=nothing,
            faults=nothing,
            story=nothing,
            why=nothing,
            wrong=wrong,
        )


def _held(report: Report) -> Iterator[str]:
    """The invariants that hold; of a walk that broke one, none is proven."""
    if not any(fault.startswith("broken invariant") for fault in report.faults):
        yield from report.invariants
