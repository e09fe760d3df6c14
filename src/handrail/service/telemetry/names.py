"""The names of what is emitted, each with what it means: OpenTelemetry's conventions for generative AI, and our own under `handrail.`.

- The conventions are those of `open-telemetry/semantic-conventions-genai` as of November 2026; all of them are still in development there.
- `docs/howto/observe.md` holds these tables, and a test compares both. What is in no table is not emitted.
"""

from collections.abc import Mapping

SCOPE = "handrail"

ATTRIBUTES: Mapping[str, str] = {
    "gen_ai.operation.name": "`invoke_agent`, `chat` or `execute_tool`",
    "gen_ai.provider.name": "the provider, as far as its address says; `openai` is the dialect of everybody else",
    "gen_ai.agent.name": "the agent",
    "gen_ai.conversation.id": "the session, where there is one",
    "gen_ai.request.model": "the model that was asked for",
    "gen_ai.response.finish_reasons": "why the model stopped",
    "gen_ai.usage.input_tokens": "tokens in; of a whole stretch on `invoke_agent`",
    "gen_ai.usage.output_tokens": "tokens out",
    "gen_ai.token.type": "`input` or `output`, on the metric of tokens",
    "gen_ai.tool.name": "the tool; `_OTHER` where the agent has no such tool",
    "gen_ai.tool.type": "`extension`: it ran here; `function`: in the user's browser",
    "gen_ai.tool.call.id": "our id of the call, such as `t2c1`",
    "error.type": "how it failed: a kind of model failure, `failed`, `unknown`, `stopped` or `limit`",
    "handrail.run.id": "the run; of a job its job id",
    "handrail.resumed": "the stretch goes on with a run that began before it; it links to where that was",
    "handrail.turns": "turns opened in this stretch",
    "handrail.stretch.end": "`finished`, `parked`, or `left`: another process goes on, or a later time",
    "handrail.outcome": "`completed`, `refused`, `failed` or `cancelled`",
    "handrail.outcome.partial": "a limit made it shorter",
    "handrail.outcome.unconfirmed": "nobody has said yes to it",
    "handrail.outcome.unreviewed": "no reviewer has passed it",
    "handrail.limit": "the limit that ended it, or that the landing is because of",
    "handrail.guard": "the guard, or the rule of the core",
    "handrail.code": "the code of its verdict",
    "handrail.by": "who is asked: `person` or `reviewer`",
    "handrail.answer": "what was answered: `yes`, `no`, `passed`, `flawed`, …",
    "handrail.landing.stage": "the rung: `nudge`, `submit_only`, `forced` or `landed`",
    "handrail.after": "the call that this one waits for",
}
CONTENTS: Mapping[str, str] = {
    "gen_ai.input.messages": "what the model is given",
    "gen_ai.output.messages": "what it replied",
    "gen_ai.tool.call.arguments": "what a tool was called with",
    "gen_ai.tool.call.result": "what it gave back",
}
EVENTS: Mapping[str, str] = {
    "handrail.call.refused": "a guard refused a call",
    "handrail.call.deferred": "a call waits for an earlier one of the same reply",
    "handrail.call.held": "a call waits for a person or a reviewer",
    "handrail.call.reopened": "a call is judged again, since the agent is another one now",
    "handrail.call.requeued": "a call that a crash interrupted runs again",
    "handrail.hold.answered": "somebody has answered what a call was held for",
    "handrail.text.refused": "a guard refused a text",
    "handrail.text.amended": "a guard changed a text",
    "handrail.text.held": "a text is a question to the user",
    "handrail.input.screened": "a screener has looked at what the user said",
    "handrail.history.cut": "older turns stand as a summary, or were dropped",
    "handrail.landing": "the run has gone down a rung",
    "handrail.taken_over": "another process was lost with the run, and this one goes on",
    "handrail.parked": "only people can move the run now",
}
METRICS: Mapping[str, tuple[str, str, tuple[float, ...]]] = {
    "gen_ai.client.token.usage": (
        "{token}",
        "Tokens used by a model call",
        (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864),
    ),
    "gen_ai.client.operation.duration": (
        "s",
        "How long a model call took, the client's retries included",
        (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
    ),
    "gen_ai.invoke_agent.duration": (
        "s",
        "How long a stretch of a run took",
        (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6),
    ),
    "gen_ai.execute_tool.duration": (
        "s",
        "How long a tool ran",
        (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
    ),
    "handrail.runs": ("{run}", "Runs that ended", ()),
    "handrail.refusals": ("{refusal}", "Calls and texts that were refused", ()),
}
"""Name -> unit, meaning and the buckets of a histogram; a counter has none."""
