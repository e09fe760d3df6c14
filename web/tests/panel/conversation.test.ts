import { describe, expect, it } from "vitest";
import { linesOf, phaseOf } from "../../src/panel/conversation.ts";
import { calls, event, finished, opened, says, started } from "./kit.ts";

const words = (events: Parameters<typeof linesOf>[1]) =>
  linesOf("job_1", events).map((line) => [line.kind, "text" in line ? line.text : line.digest]);

describe("the conversation", () => {
  it("has an answer once, though the outcome has it too", () => {
    expect(words([started("Hi"), opened(1), says("Hello."), finished({ status: "completed", output: "Hello." })])).toEqual([
      ["user", "Hi"],
      ["agent", "Hello."],
    ]);
  });

  it("leaves out what the ring refused, and has a text as it was cut", () => {
    const refused = event("TextRefused", { guard: "MustSubmit(plan)", code: "not_submitted", reason: "Submit." });
    const cut = event("TextAmended", { guard: "AnswerLimit(3)", text: "Short." });
    expect(words([started("Hi"), says("A draft"), refused, says("A long text"), cut])).toEqual([
      ["user", "Hi"],
      ["agent", "Short."],
    ]);
  });

  it("has a question to a person and the answer to it as what was said", () => {
    const asked = event("CallCleared", { call: "t1c1", where: "person", arguments: '{"question":"How old?"}' });
    const answered = event("ToolReturned", { call: "t1c1", content: "38", text: true });
    expect(words([started("Hi"), calls(["t1c1", "ask"]), asked, answered])).toEqual([
      ["user", "Hi"],
      ["agent", "How old?"],
      ["user", "38"],
    ]);
  });

  it("has an approval where it was asked for, and none for a reviewer", () => {
    const held = (by: string, digest: string) => event("CallHeld", { call: "t1c1", guard: "G", by, digest, arguments: "{}", show: "" });
    expect(words([started("Hi"), calls(["t1c1", "pay"]), held("reviewer", "d0"), held("person", "d1")])).toEqual([
      ["user", "Hi"],
      ["approval", "d1"],
    ]);
  });

  it("says how a run ended that did not complete, and shows what it submitted", () => {
    expect(words([finished({ status: "completed", partial: true, output: { days: 3 } })])).toEqual([
      ["result", '{\n  "days": 3\n}'],
      ["ended", ""],
    ]);
    expect(words([finished({ status: "failed", reason: "The model failed." })])).toEqual([["ended", "The model failed."]]);
  });

  it("gives every line a key of its own", () => {
    const keys = linesOf("job_1", [
      started("a"),
      says("b"),
      event("UserSaid", { text: "c" }),
      finished({ status: "refused", output: "d" }),
    ]).map((line) => line.key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("knows where a run is", () => {
    expect([[], [started()], [started(), event("RunParked")], [finished({})]].map(phaseOf)).toEqual([
      "queued",
      "running",
      "waiting",
      "ended",
    ]);
  });
});
