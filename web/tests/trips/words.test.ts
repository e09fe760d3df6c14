import { describe, expect, it } from "vitest";
import { briefInWords, counted, dateInWords, duration, limitInWords, metres, minutesLeft, remarksOn, yuan } from "../../src/trips/words.ts";

const spaced = (words: string): string => words.replaceAll("\u00a0", " ");
const trip = { title: "T", summary: "", days: [], places: {}, hours_a_day: 4, cost_cny: null, partial: true, reasons: ["It was short."] };

describe("words", () => {
  it("are whole: hours, heights, money and dates", () => {
    expect([45, 60, 189].map(duration).map(spaced)).toEqual(["45 min", "1 h", "3 h 09 min"]);
    expect(spaced(metres(4_000))).toBe("4,000 m");
    expect(spaced(yuan(12_500))).toBe("12,500 CNY");
    expect(dateInWords("2026-10-01")).toContain("1 October");
    expect([269.2, 0, -5].map(minutesLeft)).toEqual(["4:30", "0:00", "0:00"]);
    expect([counted(1, "place"), counted(2, "place")]).toEqual(["1 place", "2 places"]);
  });

  it("say the brief back, field by field, and leave out what says nothing", () => {
    const brief = new Map<string, unknown>([
      ["ages", [38, 6]],
      ["month", 10],
      ["days", 1],
      ["highest_m", 4_000],
      ["budget_cny", 9_000],
      ["start", "chengdu"],
      ["must_go", []],
      ["regions", ["western-sichuan"]],
      ["start_date", null],
      ["wishes", ["hot springs"]],
      ["something_new", 1],
    ]);
    expect(briefInWords(brief, (place) => place.toUpperCase()).map(spaced)).toEqual([
      "2 travellers: 38, 6 years",
      "in October",
      "1 day",
      "not above 4,000 m",
      "up to 9,000 CNY",
      "from CHENGDU",
      "Western Sichuan",
      "hot springs",
    ]);
  });

  it("say what landed and why", () => {
    const outcome = { status: "completed", output: trip, partial: true, unconfirmed: true, unreviewed: true, limit: "TimeLimit(300s)" };
    expect(remarksOn(outcome)).toEqual([
      "It was short.",
      "What ended it: the planning time was used up.",
      "You have not said yes to it.",
      "No reviewer has passed it.",
    ]);
    expect(remarksOn({ status: "completed", output: { ...trip, partial: false, reasons: [] } })).toEqual([]);
    expect(remarksOn({ status: "failed", reason: "the model cannot be reached" })).toEqual(["the model cannot be reached"]);
    expect(["requested", "TurnLimit(32)", "TokenLimit(4)", "NoProgress", "other"].map(limitInWords)).toHaveLength(5);
  });
});
