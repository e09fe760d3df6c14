import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/runtime/types.ts";
import { after, type Console, EMPTY } from "../../src/orders/asking.ts";
import { columnsOf, shown } from "../../src/orders/columns.ts";

const ROW = { order_id: 1282, customer_email: "a@example.com", status: "shipped", total_cents: 16991, created_at: "2026-11-18T23:21:00Z" };

function told(...events: Omit<RunEvent, "id">[]): Console {
  return events.reduce<Console>((before, event, id) => after(before, "job_1", { ...event, id } as RunEvent), EMPTY);
}

const STARTED = { event: "RunStarted", message: "Which?" };
const CLEARED = { event: "CallCleared", call: "c1", arguments: '{"customer_email":"a@example.com","status":"shipped"}' };

describe("the console", () => {
  it("puts an answer beside the rows that it came from", () => {
    const { asked } = told(
      STARTED,
      CLEARED,
      { event: "ToolReturned", call: "c1", content: JSON.stringify([ROW]) },
      { event: "RunFinished", outcome: { status: "completed", output: "One." } },
    );
    expect(asked).toMatchObject([{ question: "Which?", answer: "One.", failed: false }]);
    expect(asked[0]?.lookups[0]).toMatchObject({ caption: "1 shipped order of a@example.com", rows: [ROW] });
  });

  it("has words for none, for several, and for what went wrong", () => {
    const none = told(STARTED, CLEARED, { event: "ToolReturned", call: "c1", content: "[]" });
    expect(none.asked[0]?.lookups[0]?.caption).toBe("No shipped orders of a@example.com");
    const several = told(STARTED, { event: "ToolReturned", call: "c2", content: JSON.stringify([ROW, ROW]) });
    expect(several.asked[0]?.lookups[0]?.caption).toBe("2 orders, newest first");
    const wrong = told(
      STARTED,
      { event: "CallRefused", reason: "limit must be at most 50" },
      { event: "ToolFailed", error: "The orders cannot be looked up." },
    );
    expect(wrong.asked[0]?.wrong).toEqual(["limit must be at most 50", "The orders cannot be looked up."]);
    const failed = told(STARTED, { event: "RunFinished", outcome: { status: "failed", reason: "turns" } });
    expect(failed.asked[0]).toMatchObject({ failed: true, answer: "There is no answer this time. Ask again, or later." });
    const cancelled = told(STARTED, { event: "RunFinished", outcome: { status: "cancelled" } });
    expect(cancelled.asked[0]?.answer).toBe("This was cancelled.");
    const empty = told(STARTED, { event: "RunFinished", outcome: { status: "completed", output: "" } });
    expect(empty.asked[0]?.answer).toContain("empty");
  });

  it("takes nothing for rows that is none, and nothing for a question before there is one", () => {
    expect(told(STARTED, { event: "ToolReturned", content: "no json" }).asked[0]?.lookups).toEqual([]);
    expect(told(STARTED, { event: "ToolReturned", content: '["text"]' }).asked[0]?.lookups).toEqual([]);
    expect(told({ event: "ToolReturned", content: "[]" })).toEqual(EMPTY);
  });
});

describe("columns", () => {
  it("have headings, and what was asked for needs none", () => {
    const columns = columnsOf({ rows: [ROW, { ...ROW, extra_thing: 1 }], args: { customer_email: "a@example.com", limit: 5 } });
    expect(columns.map((column) => column.heading)).toEqual(["Order", "Status", "Total", "Placed", "extra thing"]);
    expect(columns.filter((column) => column.figures).map((column) => column.key)).toEqual(["order_id", "total_cents"]);
  });

  it("show money from cents and times in words", () => {
    expect(shown("total_cents", 1250)).toBe("12.50");
    expect(shown("created_at", ROW.created_at)).toBe("18 November 2026, 23:21");
    expect(shown("created_at", "soon")).toBe("soon");
    expect([shown("x", null), shown("x", { a: 1 }), shown("x", 3)]).toEqual(["", '{"a":1}', "3"]);
  });
});
