/**
 * A run's events, grouped for reading: by turn, and within a turn by call. Pure: the same events give the same timeline.
 *
 * - Every event is one step, and keeps its raw form; nothing is left out.
 * - What happens to a call is under the call, in the turn that it was proposed in, however late it happens.
 * - What comes before the first turn is turn 0.
 */

import type { RunEvent } from "../runtime/types.ts";
import { list, number, text } from "./fields.ts";
import { type Tone, toldOf, type Told } from "./words.ts";

export interface Step extends Told {
  id: number;
  at: string;
  raw: RunEvent;
}

export interface Call {
  id: string;
  tool: string;
  arguments: string;
  stage: string;
  tone: Tone;
  result: string;
  steps: Step[];
}

export type Entry = { step: Step; call?: never } | { call: Call; step?: never };

export interface Turn {
  number: number;
  offered: string[];
  choice: string;
  left: string;
  entries: Entry[];
}

/** The timeline of these events. */
export function turnsOf(events: readonly RunEvent[]): Turn[] {
  const turns: Turn[] = [];
  const calls = new Map<string, Call>();
  const held = new Map<string, string>();
  let turn = opened(undefined);
  for (const event of events) {
    if (event.event === "TurnOpened") turn = opened(event);
    if (!turns.includes(turn)) turns.push(turn);
    const step = stepOf(event, calls);
    const call = calls.get(callOf(event, held));
    if (call === undefined) turn.entries.push({ step });
    else happened(call, step);
    for (const proposed of proposedIn(event)) {
      calls.set(proposed.id, proposed);
      turn.entries.push({ call: proposed });
    }
  }
  return turns;
}

/** The calls of these events that wait for a browser. */
export function waitingForBrowser(events: readonly RunEvent[]): string[] {
  const waiting = new Map<string, string>();
  const names = new Map<string, string>();
  for (const event of events) {
    for (const call of proposedIn(event)) names.set(call.id, call.tool);
    const id = text(event, "call");
    if (event.event === "CallCleared" && text(event, "where") === "client") waiting.set(id, names.get(id) ?? id);
    if (ENDS.has(event.event)) waiting.delete(id);
    if (event.event === "RunFinished") waiting.clear();
  }
  return [...waiting.values()];
}

const STAGES: Readonly<Record<string, readonly [stage: string, tone: Tone]>> = {
  CallCleared: ["allowed", "plain"],
  CallDeferred: ["waits its turn", "wait"],
  CallHeld: ["held", "wait"],
  CallRefused: ["refused", "bad"],
  CallReopened: ["judged again", "plain"],
  CallRequeued: ["runs again", "plain"],
  CallLost: ["outcome unknown", "bad"],
  ToolStarted: ["running", "wait"],
  ToolReturned: ["done", "good"],
  ToolFailed: ["failed", "bad"],
  ToolLost: ["outcome unknown", "bad"],
};
const ENDS: ReadonlySet<string> = new Set(["CallRefused", "CallLost", "ToolReturned", "ToolFailed", "ToolLost"]);

function opened(event: RunEvent | undefined): Turn {
  if (event === undefined) return { number: 0, offered: [], choice: "auto", left: "", entries: [] };
  const left = event["turns_left"];
  return {
    number: number(event, "turn"),
    offered: list(event, "offered").map(String),
    choice: text(event, "choice") || "auto",
    left: typeof left === "number" ? `${left} ${left === 1 ? "turn" : "turns"} left` : "",
    entries: [],
  };
}

function stepOf(event: RunEvent, calls: ReadonlyMap<string, Call>): Step {
  const tool = (id: string) => calls.get(id)?.tool ?? id;
  return { id: event.id, at: text(event, "at"), raw: event, ...toldOf(event, tool) };
}

function proposedIn(event: RunEvent): Call[] {
  if (event.event !== "ModelReplied") return [];
  return list(event, "calls").map((proposed) => ({
    id: text(proposed, "id"),
    tool: text(proposed, "name"),
    arguments: text(proposed, "arguments"),
    stage: "proposed",
    tone: "plain",
    result: "",
    steps: [],
  }));
}

/** The call that an event is about. An answer is bound to the digest of what was held, and so is found by it. */
function callOf(event: RunEvent, held: Map<string, string>): string {
  const call = text(event, "call");
  if (event.event === "CallHeld") held.set(text(event, "digest"), call);
  return event.event === "HoldAnswered" ? (held.get(text(event, "digest")) ?? "") : call;
}

function happened(call: Call, step: Step): void {
  call.steps.push(step);
  const stage = STAGES[step.raw.event];
  if (stage !== undefined) [call.stage, call.tone] = stage;
  if (step.raw.event === "CallCleared" || step.raw.event === "CallHeld") call.arguments = text(step.raw, "arguments") || call.arguments;
  if (step.raw.event === "ToolReturned") call.result = text(step.raw, "content");
  if (step.raw.event === "CallRefused") call.result = "";
}
