// @vitest-environment node
import { describe, expect, it } from "vitest";
import { Problem } from "../../src/runtime/http.ts";
import { Consent, decisionIn, LASTS, wishIn } from "../../src/runtime/voice/consent.ts";
import { sentencesOf } from "../../src/runtime/voice/sentences.ts";
import { hearingTrouble, microphoneTrouble, speakingTrouble } from "../../src/runtime/voice/troubles.ts";

describe("a text as sentences", () => {
  it("sentences are apart, and short ones go with the next", () => {
    expect(sentencesOf("Sure. I found three places that are open now. The nearest is Golden Lotus!  Shall I open it?")).toEqual([
      "Sure. I found three places that are open now.",
      "The nearest is Golden Lotus!",
      "Shall I open it?",
    ]);
  });
  it.each(["It costs 12.50 at Dr. Noodle on St. Mark's Place today.", "Ask J. R. Cash for no. 5, e.g. the soup of yesterday."])(
    "a full stop inside ends nothing: %s",
    (text) => {
      expect(sentencesOf(text)).toEqual([text]);
    },
  );
  it("lines are apart, blanks count once, and what has no letter is not read", () => {
    expect(sentencesOf("The first  long line of a list\nthe second long line of a list\n\n---\n…")).toEqual([
      "The first long line of a list",
      "the second long line of a list",
    ]);
    expect(sentencesOf("  \n ")).toEqual([]);
  });
  it("a long one is cut at commas or between words, and nothing of it is lost", () => {
    const long = Array.from({ length: 60 }, (_, at) => `dish number ${at}`).join(", ");
    const parts = sentencesOf(long);
    expect(parts.every((part) => part.length <= 220)).toBe(true);
    expect(parts.join(" ")).toBe(long);
    expect(sentencesOf("x".repeat(500)).join("")).toBe("x".repeat(500));
  });
});

describe("a spoken yes or no", () => {
  it.each(["Yes.", "yes, please!", " YES ", "Order it.", "Place the order", "Confirm.", "Go ahead."])("%s is a yes", (text) => {
    expect(decisionIn(text)).toBe(true);
  });
  it.each(["No.", "no thanks", "No, thank you.", "Don’t.", "Do not order it.", "Cancel the order."])("%s is a no", (text) => {
    expect(decisionIn(text)).toBe(false);
  });
  it.each(["yes but add a lassi", "yes or no", "yesterday", "is that a yes", "not yes", "okay", "", "yes yes no", "да", "say yes please"])(
    "%j is neither",
    (text) => {
      expect(decisionIn(text)).toBeUndefined();
    },
  );
  it("to be told to stop is exact as well", () => {
    expect([wishIn("Stop listening."), wishIn("Stop!"), wishIn("stop the order"), wishIn("Do not stop")]).toEqual([
      "off",
      "hush",
      undefined,
      undefined,
    ]);
  });
});

const approval = { approval_id: "apr_1", digest: "d1", status: "pending" } as const;

function read(at = 1_000): Consent {
  const consent = new Consent();
  consent.opened(approval, at);
  return consent;
}

describe("what a yes is bound to", () => {
  it("it answers what was read out, once", () => {
    const consent = read();
    expect(consent.answers(approval, 1_500)).toBe(true);
    expect(consent.answers(approval, 1_600)).toBe(false);
  });
  it("what nobody has read out is not answered", () => {
    expect(new Consent().answers(approval, 1_500)).toBe(false);
  });
  it.each([
    ["began before the reading ended", approval, 999],
    ["comes late", approval, 1_001 + LASTS],
    ["is about another approval", { ...approval, approval_id: "apr_2" }, 1_500],
    ["is about another document", { ...approval, digest: "d2" }, 1_500],
    ["is about one that was decided", { ...approval, status: "approved" as const }, 1_500],
  ])("a yes that %s counts for nothing", (_, asked, began) => {
    expect(read().answers(asked, began)).toBe(false);
  });
  it("something else that is read out ends it", () => {
    const consent = read();
    consent.close();
    expect(consent.answers(approval, 1_500)).toBe(false);
  });
});

describe("what goes wrong has its own words", () => {
  it("each reason for having no microphone", () => {
    const names = ["NotAllowedError", "NotFoundError", "NotReadableError", "Other"];
    const said = names.map((name) => microphoneTrouble(new DOMException("", name)));
    expect(new Set(said).size).toBe(names.length);
    expect(microphoneTrouble(new TypeError())).toContain("https");
  });
  it("each reason for not being heard", () => {
    const statuses = [0, 400, 401, 429, 500, 501];
    const said = statuses.map((status) => hearingTrouble(new Problem(status, "", "what the service said")));
    expect(new Set(said).size).toBe(statuses.length);
    expect(said.join()).not.toContain("what the service said");
    expect(hearingTrouble(new Error())).toContain("could not be sent");
  });
  it("what cannot be read out is still on the page", () => {
    expect(speakingTrouble(new Problem(502, "", ""))).toContain("written on the page");
    expect(speakingTrouble(new Problem(501, "", ""))).toContain("handrail[voice]");
  });
});
