import { flushPromises, mount } from "@vue/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import Conversation from "../../src/trips/Conversation.vue";
import type { Entry } from "../../src/trips/journey.ts";
import Plan from "../../src/trips/Plan.vue";
import { journeyOf, LOOKED_UP, STARTED, WHOLE } from "./events.ts";

const HOSTILE = '<img src=x onerror="alert(1)">';

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no outlines today")));
});
afterEach(() => vi.unstubAllGlobals());

describe("the plan", () => {
  it("shows what has been found before there is a draft, without outlines too", async () => {
    const plan = mount(Plan, { props: { journey: journeyOf([STARTED, ...LOOKED_UP]) } });
    await flushPromises();
    expect(plan.get("[role=img] title").text()).toBe("Map of what has been found");
    expect(plan.findAll("circle.other")).toHaveLength(3);
    expect(plan.findAll("line.drive")).toHaveLength(1);
    expect(plan.get("figcaption").text()).toContain("3 verified places so far, 1 computed drive.");
    expect(plan.findAll("ol")).toHaveLength(0);
  });

  it("has the nights' numbers on the map, a bar and a card for each day, and flights beside drives", () => {
    const plan = mount(Plan, { props: { journey: journeyOf(WHOLE) } });
    expect(plan.findAll("text.number").map((each) => each.text())).toEqual(["1"]);
    expect(plan.findAll("line.flight")).toHaveLength(1);
    expect(plan.findAll(".bar")).toHaveLength(2);
    expect(plan.text()).toContain("Flight B → C");
    expect(plan.text()).toContain("The Inn");
    expect(plan.get(".stage").text()).toBe("Draft");
  });

  it("says what landed and why, and that there is nothing where there is nothing", () => {
    const nothing = { title: "No trip yet", summary: "Nothing is made up.", days: [], places: {}, hours_a_day: 4, cost_cny: null };
    const output = { ...nothing, partial: true, reasons: ["There was no plan."] };
    const outcome = { status: "completed", partial: true, unconfirmed: true, limit: "TimeLimit(300s)", output };
    const plan = mount(Plan, { props: { journey: journeyOf([STARTED, { event: "RunFinished", outcome }]) } });
    expect(plan.get(".stage").text()).toBe("Cut short");
    expect(plan.get(".notice").text()).toContain("There was no plan.");
    expect(plan.get(".notice").text()).toContain("the planning time was used up");
    expect(plan.find("svg").exists()).toBe(false);
  });

  it("says so where a run has failed, and that an older plan is an older one", () => {
    const failed = { event: "RunFinished", outcome: { status: "failed", reason: "The model cannot be reached." } };
    const plan = mount(Plan, { props: { journey: journeyOf([STARTED, failed]) } });
    expect([plan.get(".stage").text(), plan.get(".notice").text()]).toEqual(["No plan", "The model cannot be reached."]);
    const next = mount(Plan, { props: { journey: journeyOf([STARTED], journeyOf(WHOLE), "job_2") } });
    expect(next.get(".stage").text()).toBe("The plan before");
  });
});

describe("the conversation", () => {
  it("inserts nothing as HTML, whoever said it", async () => {
    const entries: Entry[] = [
      { kind: "user", text: HOSTILE },
      { kind: "agent", text: HOSTILE },
      { kind: "note", text: HOSTILE },
      { kind: "work", places: 0, drives: 0, notes: 0, prices: 0, corrected: [HOSTILE] },
    ];
    const log = mount(Conversation, { props: { entries, busy: "", card: undefined } });
    await vi.dynamicImportSettled();
    await flushPromises();
    expect(log.find("img").exists()).toBe(false);
    expect(log.text().split(HOSTILE)).toHaveLength(5);
  });

  it("says in one line what was looked up, and what the ring corrected behind it", () => {
    const { entries } = journeyOf([STARTED, ...LOOKED_UP, { event: "CallRefused", guard: "g", reason: "Too long." }]);
    const log = mount(Conversation, { props: { entries, busy: "Planning", card: undefined } });
    expect(log.get("div.done").text()).toContain("Looked up 3 places, read travel notes, computed 1 drive, looked up 2 prices.");
    expect(log.get("summary").text()).toBe("1 thing the guard rails corrected");
    expect(log.get(".busy").text()).toBe("Planning");
  });
});
