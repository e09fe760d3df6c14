/**
 * Every kind of event in words for people: what kind it is, how it is to be taken, a title, and its reason. All as text.
 *
 * An event that this page does not know is shown under its own name, so that a newer service is no riddle.
 */

import type { RunEvent } from "../runtime/types.ts";
import { type Fields, fields, list, number, text } from "./fields.ts";

export type Tone = "plain" | "good" | "bad" | "warn" | "wait";
export type Kind =
  "start" | "turn" | "model" | "guard" | "hold" | "tool" | "person" | "review" | "screen" | "summary" | "landing" | "clock" | "end";

export interface Told {
  kind: Kind;
  tone: Tone;
  title: string;
  detail: string;
}

type Tool = (call: string) => string;
type Teller = (event: RunEvent, tool: Tool) => Told;

/** The event in words. */
export function toldOf(event: RunEvent, tool: Tool): Told {
  return (TELLERS[event.event] ?? unknown)(event, tool);
}

function told(kind: Kind, tone: Tone, title: string, detail = ""): Told {
  return { kind, tone, title, detail };
}

const unknown: Teller = (event) => told("clock", "plain", event.event);
const ANSWERS: Readonly<Record<string, readonly [Tone, string]>> = {
  yes: ["good", "said yes"],
  no: ["bad", "said no"],
  passed: ["good", "passed it"],
  flawed: ["bad", "found flaws"],
  failed: ["warn", "failed to look at it"],
};
const RUNGS: Readonly<Record<string, string>> = {
  nudge: "the model is told to wrap up",
  submit_only: "only the final tool is left",
  forced: "the final tool is forced",
  landed: "what is verified is the result",
};
const BY: Readonly<Record<string, string>> = { person: "a person", reviewer: "a reviewer" };

const TELLERS: Readonly<Record<string, Teller>> = {
  RunStarted: (event) => told("start", "plain", "The run starts", text(event, "message")),
  TurnOpened: (event) => told("turn", "plain", offer(event), lines(...list(event, "notes").map(String))),
  ModelReplied: replied,
  ModelFailed: (event) =>
    told("model", "bad", `The model call failed: ${text(event, "kind")}`, lines(text(event, "detail"), again(text(event, "retry_at")))),
  CallCleared: (event) =>
    told("guard", "good", "The ring allows it", `It may take ${number(event, "timeout")} s; effect: ${text(event, "effect")}.`),
  CallDeferred: (event, tool) =>
    told("guard", "wait", `${text(event, "guard")} lets it wait`, `It comes after ${tool(text(event, "after"))}.`),
  CallHeld: (event) =>
    told("hold", "wait", `${text(event, "guard")} holds it: ${BY[text(event, "by")] ?? text(event, "by")} looks first`, shown(event)),
  CallRefused: (event) => told("guard", "bad", refused(event, "Refused"), text(event, "reason")),
  CallReopened: (event) => told("guard", "plain", "It is judged again", text(event, "reason")),
  CallRequeued: () => told("tool", "plain", "It runs again after an interruption", "Under the same key."),
  CallLost: (event) => told("tool", "bad", "Nobody knows whether it happened", text(event, "reason")),
  ToolStarted: () => told("tool", "plain", "It starts"),
  ToolReturned: (event) => told("tool", "good", "It returns", facts(event)),
  ToolFailed: (event) => told("tool", "bad", "It failed, and nothing happened", text(event, "error")),
  ToolLost: (event) => told("tool", "bad", "It ended, and nobody knows how", text(event, "error")),
  HoldAnswered: answered,
  UserSaid: (event) => told("person", "plain", "The user says", lines(text(event, "text"), ...list(event, "notes").map(String))),
  FactsNoted: (event) => told("person", "plain", `The interface notes facts (${text(event, "source")})`, facts(event)),
  InputHeld: (event) => told("screen", "wait", `${text(event, "guard")} looks at what the user said`),
  InputScreened: screened,
  HistoryMeasured: (event) => told("summary", "plain", "The history is too long", `It has to fit into ${number(event, "limit")} tokens.`),
  SummaryOrdered: (event) => told("summary", "wait", "Older turns are summarised", `The first ${number(event, "upto")} messages.`),
  Summarised: (event) => told("summary", "good", `Summarised in ${number(event, "tokens")} tokens`, text(event, "text")),
  SummaryFailed: (event) => told("summary", "bad", "There is no summary", text(event, "detail")),
  HistoryCut: (event) =>
    told("summary", "warn", `The first ${number(event, "upto")} messages were ${text(event, "code")}`, text(event, "text")),
  TextRefused: (event) => told("guard", "bad", refused(event, "The text is refused"), text(event, "reason")),
  TextAmended: (event) => told("guard", "warn", `${text(event, "guard")} cuts the text`, text(event, "text")),
  TextHeld: (event) => told("hold", "wait", "The text is a question to the user", text(event, "guard")),
  LandRequested: (event) => told("landing", "warn", "Somebody wants what there is", text(event, "reason")),
  LandingAdvanced: (event) => {
    const stage = text(event, "stage");
    return told("landing", "warn", `Landing: ${RUNGS[stage] ?? stage}`, limited(text(event, "limit")));
  },
  Ticked: () => told("clock", "plain", "Time has passed"),
  TakenOver: () => told("clock", "warn", "Another worker goes on with the run"),
  Cancelled: (event) => told("end", "warn", "Somebody wants an end", text(event, "reason")),
  RunParked: () => told("hold", "wait", "The run waits for people", "Its clock stops, and no process is held."),
  RunFinished: (event) => ended(fields(event, "outcome")),
};

function replied(event: RunEvent): Told {
  const calls = list(event, "calls");
  const tokens = used(fields(event, "usage"));
  if (text(event, "refusal") !== "") return told("model", "bad", "The model declines", lines(text(event, "refusal"), tokens));
  if (calls.length > 0) {
    const cut = text(event, "finish") === "length" ? "Cut by the output limit: none of them runs." : "";
    return told(
      "model",
      "plain",
      `The model calls ${calls.map((call) => text(call, "name")).join(", ")}`,
      lines(text(event, "text"), cut, tokens),
    );
  }
  return text(event, "text").trim() === ""
    ? told("model", "warn", "The model replies with nothing", tokens)
    : told("model", "plain", "The model says", lines(text(event, "text"), tokens));
}

function answered(event: RunEvent): Told {
  const answer = text(event, "answer");
  const [tone, words] = ANSWERS[answer] ?? (["plain", answer] as const);
  const kind = answer === "yes" || answer === "no" ? "person" : "review";
  const who = text(event, "by") || (kind === "person" ? "A person" : "The reviewer");
  return told(kind, tone, `${who} ${words}`, lines(text(event, "comment"), ...list(event, "flaws").map((flaw) => `• ${String(flaw)}`)));
}

function screened(event: RunEvent): Told {
  const passed = text(event, "answer") === "passed";
  const flaws = list(event, "flaws").map((flaw) => `• ${String(flaw)}`);
  return told(
    "screen",
    passed ? "good" : "bad",
    `${text(event, "guard")} ${passed ? "lets it pass" : "stops it"}`,
    lines(text(event, "comment"), ...flaws),
  );
}

/** How a run ended, in words. */
export function ended(outcome: Fields): Told {
  const marks = (["partial", "unconfirmed", "unreviewed"] as const).filter((mark) => outcome[mark] === true);
  const limit = text(outcome, "limit");
  const detail = lines(text(outcome, "reason"), limited(limit), used(fields(outcome, "usage")));
  switch (text(outcome, "status")) {
    case "completed":
      return marks.length > 0 ? told("end", "warn", `Landed: ${marks.join(", ")}`, detail) : told("end", "good", "Completed", detail);
    case "refused":
      return told("end", "bad", "The model declined", detail);
    case "cancelled":
      return told("end", "warn", "Cancelled", detail);
    default:
      return told("end", "bad", "Failed", detail);
  }
}

function limited(limit: string): string {
  if (limit === "") return "";
  return limit === "requested" ? "Somebody wanted what there is." : `The limit was ${limit}.`;
}

function offer(event: RunEvent): string {
  const choice = text(event, "choice") || "auto";
  const offered = list(event, "offered").map(String).join(", ") || "no tool";
  return choice === "auto" || choice === "none" ? `On offer: ${offered}` : `It has to call ${choice}`;
}

function refused(event: RunEvent, how: string): string {
  const [guard, code] = [text(event, "guard"), text(event, "code")];
  if (guard === "run") return `Not run (${code})`;
  return `${how} by ${guard}${code === "" || code === guard ? "" : ` (${code})`}`;
}

function shown(event: RunEvent): string {
  const show = event["show"];
  return typeof show === "string" ? show : JSON.stringify(show, null, 2);
}

function facts(event: RunEvent): string {
  const kinds = new Map<string, number>();
  for (const fact of list(event, "facts")) kinds.set(text(fact, "kind"), (kinds.get(text(fact, "kind")) ?? 0) + 1);
  return kinds.size === 0 ? "" : `Facts: ${[...kinds].map(([kind, many]) => `${many} × ${kind}`).join(", ")}.`;
}

function used(usage: Fields): string {
  const [into, out] = [number(usage, "input_tokens"), number(usage, "output_tokens")];
  return into + out === 0 ? "" : `${into} tokens in, ${out} out.`;
}

function again(at: string): string {
  return at === "" ? "" : `It is tried again at ${at}.`;
}

function lines(...given: string[]): string {
  return given.filter((line) => line !== "").join("\n");
}
