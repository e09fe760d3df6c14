import { describe, expect, it } from "vitest";
import { turnsOf, waitingForBrowser } from "../../src/panel/timeline.ts";
import { atEnd } from "../../src/panel/sticking.ts";
import { toldOf } from "../../src/panel/words.ts";
import { calls, event, finished, opened, says, started } from "./kit.ts";

describe("the timeline", () => {
  it("puts what happens to a call under the call, in the turn it was proposed in", () => {
    const turns = turnsOf([
      started(),
      opened(1, "look", "pay"),
      calls(["t1c1", "look", '{"at":1}'], ["t1c2", "pay"]),
      event("CallCleared", { call: "t1c1", arguments: '{"at":1}', effect: "read", where: "server", timeout: 20 }),
      event("CallHeld", { call: "t1c2", guard: "Approval(pay)", by: "person", digest: "d1", arguments: "{}", show: "Pay 5" }),
      event("ToolReturned", { call: "t1c1", content: "found" }),
      event("RunParked"),
      event("HoldAnswered", { hold: "h1", digest: "d1", answer: "no", by: "ada", comment: "too dear" }),
      event("CallRefused", { call: "t1c2", guard: "Approval(pay)", code: "denied", reason: "A person refused" }),
      opened(2),
      says("All right."),
      finished({ status: "completed", output: "All right." }),
    ]);
    expect(turns.map((turn) => turn.number)).toEqual([0, 1, 2]);
    const [look, pay] = (turns[1]?.entries ?? []).flatMap((entry) => (entry.call ? [entry.call] : []));
    expect([look?.tool, look?.stage, look?.result]).toEqual(["look", "done", "found"]);
    expect(pay?.stage).toBe("refused");
    expect(pay?.steps.map((step) => step.title)).toEqual([
      "Approval(pay) holds it: a person looks first",
      "ada said no",
      "Refused by Approval(pay) (denied)",
    ]);
    expect(pay?.steps[1]?.detail).toBe("too dear");
    expect(turns[1]?.left).toBe("3 turns left");
  });

  it("loses no event and repeats none", () => {
    const events = [
      started(),
      opened(1, "a"),
      calls(["t1c1", "a"]),
      event("Ticked"),
      event("SomethingNew"),
      event("ToolFailed", { call: "t9c9" }),
    ];
    const steps = turnsOf(events).flatMap((turn) => turn.entries.flatMap((entry) => (entry.call ? entry.call.steps : [entry.step])));
    expect(steps.map((step) => step?.raw)).toEqual(events);
    expect(steps.map((step) => step?.title)).toContain("SomethingNew");
  });

  it("says which rung of the landing, and how it ended", () => {
    const turns = turnsOf([
      event("LandRequested", { reason: "requested" }),
      event("LandingAdvanced", { stage: "submit_only", limit: "TurnLimit(5)" }),
      finished({ status: "completed", partial: true, unconfirmed: true, limit: "TurnLimit(5)" }),
    ]);
    const titles = turns[0]?.entries.map((entry) => entry.step?.title);
    expect(titles).toEqual(["Somebody wants what there is", "Landing: only the final tool is left", "Landed: partial, unconfirmed"]);
  });

  it("knows which calls wait for a browser", () => {
    const cleared = event("CallCleared", { call: "t1c1", where: "client", arguments: "{}", effect: "write", timeout: 60 });
    const before = [started(), opened(1), calls(["t1c1", "open_page"]), cleared];
    expect(waitingForBrowser(before)).toEqual(["open_page"]);
    expect(waitingForBrowser([...before, event("ToolReturned", { call: "t1c1", content: "" })])).toEqual([]);
    expect(waitingForBrowser([...before, finished({ status: "cancelled" })])).toEqual([]);
  });
});

describe("what an event says", () => {
  const told = (name: string, fields: Record<string, unknown>) => toldOf(event(name, fields), (call) => `tool of ${call}`);

  it("names the guard, its word and its reason", () => {
    expect(told("CallRefused", { call: "t1c1", guard: "CallLimit(look)", code: "limit", reason: "Enough." })).toMatchObject({
      title: "Refused by CallLimit(look) (limit)",
      detail: "Enough.",
      tone: "bad",
    });
    expect(told("CallDeferred", { call: "t1c2", guard: "Order", after: "t1c1" }).detail).toBe("It comes after tool of t1c1.");
    expect(told("TextRefused", { guard: "AnswerLimit(70)", code: "length", reason: "Shorter." }).title).toContain("AnswerLimit(70)");
    expect(told("InputScreened", { guard: "Screen", said: 1, answer: "flawed", flaws: ["an order"] })).toMatchObject({
      title: "Screen stops it",
      detail: "• an order",
    });
  });

  it("tells a reviewer's word from a person's", () => {
    expect(told("HoldAnswered", { answer: "flawed", by: "critic", flaws: ["too long"] })).toMatchObject({ kind: "review", tone: "bad" });
    expect(told("HoldAnswered", { answer: "yes" })).toMatchObject({ kind: "person", title: "A person said yes" });
  });

  it("says what was summarised, and of what a landing came", () => {
    expect(told("HistoryCut", { upto: 4, code: "summarised", text: "…" }).title).toBe("The first 4 messages were summarised");
    expect(told("LandingAdvanced", { stage: "landed", limit: "requested" }).detail).toBe("Somebody wanted what there is.");
  });

  it("is not put off by fields of another kind", () => {
    for (const name of ["TurnOpened", "ModelReplied", "CallHeld", "RunFinished", "HoldAnswered", "ToolReturned", "Nothing"]) {
      expect(told(name, { offered: 3, calls: "x", outcome: [], flaws: null, facts: {}, guard: 1 }).title).not.toBe("");
    }
  });
});

describe("staying at the end", () => {
  it("ends where somebody has scrolled up to read", () => {
    expect(atEnd({ scrollHeight: 1000, scrollTop: 590, clientHeight: 400 })).toBe(true);
    expect(atEnd({ scrollHeight: 1000, scrollTop: 300, clientHeight: 400 })).toBe(false);
  });
});
