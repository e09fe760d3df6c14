"""Small faults put into the core on purpose, and the tests that have to find each of them.

`python -m tests.core.mutants FOLDER 3 7 …` makes these faults one by one, each in its own copy of the core under FOLDER, runs
the narrow tests on it in a process of its own, and prints what pytest returned for each as JSON. What handrail stands on is imported
once, before the processes part; handrail itself is imported by each from its own copy.
"""

import importlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handrail"
SECONDS = 300
"""After so long a mutant hangs, which finds nothing."""

UNTOLD = 99
"""What a run comes to that returned 1 without a failed test."""


class Mutant(NamedTuple):
    """One edit: the file in the core, what is right, what is wrong, and the test modules that find it."""

    file: str
    right: str
    wrong: str
    tests: str


def mutant(file: str, right: str, wrong: str, *tests: str) -> Mutant:
    return Mutant(f"{file}.py", right, wrong, " ".join(f"tests/core/test_{test}.py" for test in tests))


MUTANTS = (
    # judge
    mutant("judge", 'state.stop == "landing" and agent.submit is None', 'state.stop == "nothing" and agent.submit is None', "cancel"),
    mutant("judge", "frozenset({Stage.SUCCEEDED, Stage.UNKNOWN})", "frozenset({Stage.SUCCEEDED})", "intent_before_act"),
    mutant("judge", "if call.over or (patient and _may_still_return(state, call)):", "if call.over:", "cancel"),
    mutant("judge", "or (call.stage is Stage.CLEARED and call.started):", ":", "cancel", "landing"),
    mutant("judge", "call.stage is not Stage.RUNNING or call.effect is ToolEffect.READ or", "call.stage is not Stage.RUNNING or", "cancel"),
    mutant("judge", "call.effect is ToolEffect.IDEMPOTENT and not call.reopen", "call.effect is ToolEffect.IDEMPOTENT", "changed_agent"),
    mutant(
        "judge",
        "call.effect is ToolEffect.READ or (call.effect is ToolEffect.IDEMPOTENT",
        "(call.effect is not ToolEffect.READ",
        "intent_before_act",
    ),
    mutant("judge", "state.clock.at >= held.expires_at", "state.clock.at > held.expires_at", "time"),
    mutant("judge", "            if state.inbox:\n", "            if not state.inbox:\n", "people"),
    mutant("judge", 'state.reply.finish == "length"', 'state.reply.finish == "stopped"', "several_calls"),
    mutant("judge", "    if state.reply.refusal is not None:", "    if state.reply.failure is not None:", "several_calls"),
    mutant("judge", "return _closed(state) or ended_by(agent, state, limit)", "return ended_by(agent, state, limit)", "landing"),
    # judging_calls
    mutant("judging_calls", "state.inbox and _needs_the_last_word(proposal, ring)", "state.inbox", "people"),
    mutant("judging_calls", "isinstance(said.verdict, Hold) and said.verdict.by is By.PERSON for said", "False for said", "people"),
    mutant("judging_calls", "or tool.where is Where.PERSON or", "or", "people"),
    mutant("judging_calls", " or tool.name == proposal.agent.submit:", ":", "people"),
    mutant("judging_calls", "        refused_by_a_person(proposal)\n        or _refused(", "        _refused(", "people"),
    mutant(
        "judging_calls",
        "or _refused(proposal, ring)\n        or _deferred(call, ring)",
        "or _deferred(call, ring)\n        or _refused(proposal, ring)",
        "asking_the_ring",
    ),
    mutant("judging_calls", "if not read and other.stage in BUSY:", "if read and other.stage in BUSY:", "several_calls"),
    mutant("judging_calls", "_is_read(agent, other) or other.stage is Stage.HELD", "_is_read(agent, other)", "several_calls"),
    mutant("judging_calls", "_is_read(agent, other) or other.stage is Stage.HELD", "True", "several_calls"),
    mutant("judging_calls", "if call.name not in state.offer.offered:", "if call.name in agent.guards:", "asking_the_ring"),
    mutant("judging_calls", "any(other.id == earlier and not other.over for", "any(other.id == earlier for", "asking_the_ring"),
    mutant("judging_calls", "by=By(verdict.by), show=show", "show=show", "asking_the_ring"),
    # holding
    mutant("holding", "if last is Answer.PASSED or state.landing is LandingStage.FORCED:", "if last is Answer.PASSED:", "review"),
    mutant("holding", "bool(flaws) and state.rounds(tool) >= hold.most", "state.rounds(tool) >= hold.most", "review"),
    mutant("holding", "state.rounds(tool) >= hold.most", "state.rounds(tool) > hold.most", "review"),
    mutant("holding", "MOST_REVIEW_FAILURES = 2", "MOST_REVIEW_FAILURES = 1", "review"),
    mutant("holding", "denial is not None and denial.said == len(state.said)", "denial is not None", "people"),
    mutant("holding", "denial is not None and denial.said == len(state.said)", "denial is None", "people"),
    mutant("holding", "digest(proposal.state.run_id, proposal.tool.name", "digest(proposal.tool.name", "people"),
    mutant("holding", "proposal.tool.digest, ", "", "people"),
    mutant("holding", "proposal.parsed.canonical, show)", "show)", "people"),
    mutant("holding", "proposal.parsed.canonical, show)", "proposal.parsed.canonical)", "people"),
    mutant("holding", "answer.guard == guard.name and answer.digest == bound", "answer.guard == guard.name", "asking_the_ring"),
    mutant("holding", "answer.guard == guard.name and answer.digest == bound", "answer.digest == bound", "asking_the_ring"),
    mutant("holding", "in reversed(call.answers)", "in call.answers", "review"),
    mutant("holding", "if answer.answer is Answer.NO:", "if answer.answer is Answer.FAILED:", "people"),
    # judging_text
    mutant("judging_text", "    if state.inbox:\n        return OPEN_TURN\n", "", "text"),
    mutant("judging_text", "state.questions < MOST_QUESTIONS", "state.questions <= MOST_QUESTIONS", "text"),
    mutant("judging_text", " and guard.name not in reply.amended_by", "", "text"),
    mutant("judging_text", "state.failures <= MOST_BACK_OFFS", "state.failures < MOST_BACK_OFFS", "model_failures"),
    # limits, opening, ending
    mutant("limits", "state.takeovers > MOST_TAKEOVERS", "state.takeovers >= MOST_TAKEOVERS", "intent_before_act"),
    mutant("limits", "agent.submit is None or state.rung_turn == state.turn", "agent.submit is None", "landing"),
    mutant("limits", "used(state, limit) >= limit.soft", "used(state, limit) > limit.soft", "landing"),
    mutant("limits", "if state.turn > 0 else None", "if state.turn > 1 else None", "landing"),
    mutant("opening", "    state = taken_in(state)\n", "", "counting", "refusals"),
    mutant("opening", "if submits and not guard.may_withdraw_submit:", "if submits:", "landing"),
    mutant("opening", "state.landing in CLOSING and not submits", "state.landing is LandingStage.FORCED and not submits", "landing"),
    mutant("ending", "PARTIAL_FROM = (LandingStage.SUBMIT_ONLY", "PARTIAL_FROM = (LandingStage.NUDGE, LandingStage.SUBMIT_ONLY", "landing"),
    mutant("ending", "unconfirmed=bool(agent.holders(submit, By.PERSON))", "unconfirmed=False", "landing"),
    # evolve
    mutant("evolve", "state.phase is Phase.WAITING or isinstance(event, TakenOver)", "isinstance(event, TakenOver)", "time"),
    mutant("evolve", "state.phase is Phase.WAITING or isinstance(event, TakenOver)", "state.phase is Phase.WAITING", "time"),
    mutant("evolve", "    if gap <= 0:", "    if gap == 0:", "time"),
    mutant("evolve", "state.takeovers + (state.phase is not Phase.WAITING)", "state.takeovers + 1", "intent_before_act"),
    mutant("evolve", "state.empties + 1 if empty else 0", "state.empties + empty", "text"),
    mutant("evolve", "event.calls[:MOST_CALLS]", "event.calls", "turns"),
    mutant("evolve", "return state if state.stop else", "return state if not state.stop and event.reason else", "cancel"),
    mutant(
        "evolve_calls", "call.stage is Stage.RUNNING and call.where is Where.SERVER", "call.stage is Stage.RUNNING", "intent_before_act"
    ),
    mutant("evolve_calls", "cleared=-1", "cleared=0", "changed_agent"),
    mutant("evolve_calls", "if isinstance(event, ToolLost) else state", "if isinstance(event, CallLost) else state", "intent_before_act"),
    mutant("evolve_calls", "() if event.answer is Answer.PASSED else event.flaws", "event.flaws", "review"),
    mutant(
        "evolve_calls", "state if event.answer is Answer.YES else replace(", "state if event.answer is Answer.NO else replace(", "people"
    ),
    mutant("evolve_calls", "call.where is Where.PERSON or any(", "any(", "facts"),
    mutant("evolve_calls", "event.code == SAID_INSTEAD", "event.code == event.guard", "people"),
    mutant("evolve_turns", "REMEMBERED = 8", "REMEMBERED = 9", "refusals"),
    mutant("evolve_turns", "if fresh or state.inbox:", "if fresh:", "refusals"),
    mutant("evolve_turns", "cleared_since=0, succeeded_since=0", "succeeded_since=0", "counting"),
    mutant("evolve_turns", "elif state.turn == 0:", "elif state.turn > 0:", "cancel"),
    mutant("evolve_turns", "withheld and call.where is Where.PERSON and", "withheld and", "screening"),
    mutant("evolve_turns", "    if event.withheld:\n", "    if not event.withheld:\n", "screening"),
    mutant("evolve", "*event.notes),\n        screening=None,", "*event.notes),", "screening"),
    mutant("evolve", "failures=found.failures + 1), usage", "failures=found.failures), usage", "history"),
    mutant("evolve", "found.failures + (found.summary is not None)", "found.failures", "history"),
    mutant("evolve_calls", "unseen=(*state.unseen, event.content) if asked else state.unseen", "unseen=state.unseen", "screening"),
    # history, transcripts, screening
    mutant("history", "if failures >= MOST_FAILURES", "if failures > MOST_FAILURES", "history"),
    mutant("history", "found.cuts >= MOST_CUTS", "found.cuts > MOST_CUTS", "history"),
    mutant("history", "sum(found.tokens[: found.upto]) - _kept(state, found, found.upto)", "sum(found.tokens[: found.upto])", "history"),
    mutant("history", "<= found.limit // 2", "<= found.limit", "history"),
    mutant("history", "_left(state, found, everything) < found.limit", "True", "history"),
    mutant("transcripts", "upto == len(transcript) or not isinstance(transcript[upto], ToolMessage)", "True", "history"),
    mutant("transcripts", "any(not said.ours for said in message.said)", "message.said", "history"),
    mutant("transcripts", "(*said, *rest[0].said)", "said", "history"),
    mutant("screening", "found.failures >= MOST_FAILURES", "found.failures > MOST_FAILURES", "screening"),
    mutant("screening", "any(name not in passed for name in agent.screens)", "not passed", "screening"),
    # stale, outstanding
    mutant("stale", "looking and event.said == len(state.unseen)", "looking", "screening"),
    mutant("stale", "event.turn == state.turn and _wants_reply(state)", "event.turn == state.turn", "history"),
    mutant("outstanding", "/summary/{found.cuts}.{found.failures}/", "/summary/{found.cuts}/", "history"),
    mutant("stale", "if event.digest != held.digest:", "if not event.digest:", "people"),
    mutant("stale", "event.at >= held.expires_at", "event.at > held.expires_at", "people"),
    mutant("outstanding", "ceil((state.offer.until", "int((state.offer.until", "time"),
    mutant("outstanding", "state.phase is not Phase.WAITING and state.offer.until", "state.offer.until", "time"),
)


def overlay(folder: Path, found: Mutant | None) -> Path:
    """A tree in which `handrail` has its own copy of the core, with the fault in it, and everything else as it is."""
    package = folder / "handrail"
    package.mkdir(parents=True)
    for path in SOURCE.iterdir():
        if path.name not in {"core", "__pycache__"}:
            (package / path.name).symlink_to(path)
    shutil.copytree(SOURCE / "core", package / "core")
    if found is not None:
        file = package / "core" / found.file
        text = file.read_text(encoding="utf-8")
        if text.count(found.right) != 1:
            raise SystemExit(f"{found.file}: {found.right!r} is there {text.count(found.right)} times, not once")
        file.write_text(text.replace(found.right, found.wrong), encoding="utf-8")
    return folder


def import_what_handrail_stands_on() -> None:
    """Import the tests' own dependencies, and forget handrail again."""
    for name in ("handrail.guards", "hypothesis.stateful"):
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "handrail"]:
        del sys.modules[name]


def outcome(folder: Path, tests: str) -> int:
    """What pytest returns on the tests with that tree in front, in a process of its own."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        sys.path.insert(0, str(folder))
        sys.dont_write_bytecode = True
        with Path(folder, "output.txt").open("w") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        os._exit(int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "pytest_asyncio.plugin", "-m", "not slow", *tests.split()])))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # Pytest returns 1 for much; only a test that failed has found something.
    told = Path(folder, "output.txt").read_text(encoding="utf-8")
    return UNTOLD if code == 1 and "1 failed" not in told else code


def main(folder: str, *numbers: str) -> None:
    """Print what came of each mutant; `-1` is the core as it is, with all the tests."""
    os.environ.pop("PYTEST_ADDOPTS", None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    all_tests = " ".join(sorted({test for found in MUTANTS for test in found.tests.split()}))
    import_what_handrail_stands_on()
    came = {}
    for number in map(int, numbers):
        found = None if number == -1 else MUTANTS[number]
        tree = overlay(Path(folder, f"mutant{number}"), found)
        came[number] = outcome(tree, all_tests if found is None else found.tests)
    print(json.dumps(came))


if __name__ == "__main__":
    main(*sys.argv[1:])
