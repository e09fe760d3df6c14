import { describe, expect, it } from "vitest";
import { after } from "../../src/trips/journey.ts";
import { at, BRIEF, journeyOf, LOOKED_UP, RECORDED, STARTED, SUBMITTED, TURN, WHOLE, YES } from "./events.ts";

describe("a journey", () => {
  it("waits for a yes, and says that it was given", () => {
    const asked = journeyOf([STARTED, TURN, ...BRIEF]);
    expect(asked.waiting).toEqual({ kind: "approval", call: "c1", tool: "record_brief" });
    const answered = journeyOf([YES, RECORDED], asked);
    expect(answered.waiting).toBeUndefined();
    expect(answered.entries).toEqual([
      { kind: "user", text: "Two days, please." },
      { kind: "decided", yes: true, tool: "record_brief" },
    ]);
    expect(answered.brief.get("days")).toBe(2);
    expect(answered.hoursADay).toBe(6);
  });

  it("counts what was looked up in a row as one entry, with what the ring has corrected", () => {
    const journey = journeyOf([
      STARTED,
      ...LOOKED_UP,
      { event: "CallRefused", call: "c9", guard: "hours_are_bearable", reason: "Too long." },
      { event: "ToolFailed", at: at(106), call: "c8", error: "No road." },
    ]);
    expect(journey.entries.at(-1)).toEqual({
      kind: "work",
      places: 3,
      drives: 1,
      notes: 1,
      prices: 2,
      corrected: ["Too long.", "No road."],
    });
    expect(journey.entries).toHaveLength(2);
  });

  it("draws a draft from what was found, and not from what the model claims of it", () => {
    const { trip, reviewing } = journeyOf(WHOLE);
    expect(reviewing).toBe(true);
    expect(trip?.days[0]).toMatchObject({
      date: "2026-10-31",
      legs: [{ minutes: 200, km: 200 }],
      drive_hours: 200 / 60,
      sleeping_altitude_m: 3_000,
      hotel_name: "The Inn",
    });
    expect(trip?.days[1]).toMatchObject({
      date: "2026-11-01",
      stay: null,
      flight: { id: "f1", minutes: 60 },
      legs: [{ minutes: 90, km: 0 }],
    });
    expect(Object.keys(trip?.places ?? {})).toEqual(["a", "b", "c"]);
    expect(trip?.hours_a_day).toBe(6);
  });

  it("keeps what a reviewer found, and asks the travellers only then", () => {
    const flawed = journeyOf([...WHOLE, { event: "HoldAnswered", at: at(106), hold: "c6h1", answer: "flawed", flaws: ["No lake."] }]);
    expect(flawed.reviewing).toBe(false);
    expect(flawed.entries.at(-1)).toMatchObject({ kind: "work", corrected: ["No lake."] });
    const passed = journeyOf([
      ...WHOLE,
      { event: "HoldAnswered", at: at(106), hold: "c6h1", answer: "passed" },
      { event: "CallHeld", call: "c6", by: "person", arguments: SUBMITTED[1]?.arguments, show: "Plan?" },
    ]);
    expect(passed.waiting?.tool).toBe("submit_plan");
  });

  it("shows text once it stands, and never what was refused", () => {
    const said = { event: "ModelReplied", at: at(1), text: "A whole plan as text." };
    expect(journeyOf([STARTED, said]).entries).toHaveLength(1);
    const refused = journeyOf([STARTED, said, { event: "TextRefused" }, { event: "TextHeld" }]);
    expect(refused.entries).toHaveLength(1);
    const held = journeyOf([STARTED, said, { event: "TextAmended", text: "What else?" }, { event: "TextHeld" }]);
    expect(held.entries.at(-1)).toEqual({ kind: "agent", text: "What else?" });
    expect(held.waiting?.kind).toBe("message");
  });

  it("asks a question once, and takes the answer for the travellers' words", () => {
    const asked = journeyOf([
      STARTED,
      { event: "ModelReplied", at: at(1), calls: [{ id: "q", name: "ask_traveller" }] },
      { event: "CallCleared", call: "q", where: "person", arguments: '{"question":"How old?"}' },
    ]);
    expect(asked.waiting?.kind).toBe("question");
    const answered = journeyOf([{ event: "ToolReturned", at: at(2), call: "q", content: "ages 30", text: true }], asked);
    expect(answered.entries.slice(1)).toEqual([
      { kind: "agent", text: "How old?" },
      { kind: "user", text: "ages 30" },
    ]);
  });

  it("takes words instead of a yes for a no, without telling people what they have said themselves", () => {
    const journey = journeyOf([
      STARTED,
      ...BRIEF,
      { event: "UserSaid", at: at(9), text: "Rather five." },
      { event: "CallRefused", call: "c1", guard: "Approval(record_brief)", reason: "The user said: Rather five." },
    ]);
    expect(journey.waiting).toBeUndefined();
    expect(journey.entries.at(-1)).toEqual({ kind: "user", text: "Rather five." });
  });

  it("ends with the trip that was handed in or landed, and keeps it while the next one is planned", () => {
    const output = { title: "Landed", summary: "", days: [], places: {}, hours_a_day: 4, cost_cny: null, partial: true, reasons: [] };
    const finished = { event: "RunFinished", said: JSON.stringify(output), outcome: { status: "completed", partial: true, output } };
    const ended = journeyOf([...WHOLE, finished]);
    expect(ended.trip?.title).toBe("Landed");
    expect(ended.entries.at(-1)).toEqual({ kind: "note", text: "This is what there is." });
    const next = journeyOf([STARTED], ended, "job_2");
    expect([next.trip?.title, next.old, next.known.places.size, next.outcome]).toEqual(["Landed", true, 0, undefined]);
    expect(journeyOf([RECORDED, ...LOOKED_UP, ...SUBMITTED], next).old).toBe(false);
  });

  it("ends with words where there is no trip", () => {
    const ended = journeyOf([STARTED, { event: "RunFinished", outcome: { status: "completed", output: "Nothing found." } }]);
    expect(ended.entries.at(-1)).toEqual({ kind: "agent", text: "Nothing found." });
    expect(ended.trip).toBeUndefined();
  });

  it("lets events pass that it does not know, and arguments that are no JSON", () => {
    const journey = journeyOf([STARTED, { event: "SomethingNew" }, { event: "CallHeld", call: "x", by: "person", arguments: "{" }]);
    expect(journey.entries).toHaveLength(1);
    expect(after(journey, "job_1", { id: 9, event: "RunFinished" }).outcome?.status).toBe("failed");
  });
});
