/**
 * What was said in a run, as people read it: a projection of its events, so that a reload shows the same.
 *
 * - Text that the ring has refused was not said to anybody; the timeline has it.
 * - An approval is a line of its own, found by the digest that the answer is bound to.
 */

import type { RunEvent } from "../runtime/types.ts";
import { fields, list, text } from "./fields.ts";
import { ended, type Tone } from "./words.ts";

export type Line =
  | { key: string; kind: "user"; text: string }
  | { key: string; kind: "agent"; text: string }
  | { key: string; kind: "result"; text: string }
  | { key: string; kind: "approval"; tool: string; digest: string }
  | { key: string; kind: "ended"; tone: Tone; title: string; text: string };

export type Phase = "queued" | "running" | "waiting" | "ended";

/** What was said. */
export function linesOf(job: string, events: readonly RunEvent[]): Line[] {
  const reader = new Reader(job);
  for (const event of events) READS[event.event]?.(reader, event);
  return reader.lines;
}

/** Where a run is, as its events say. */
export function phaseOf(events: readonly RunEvent[]): Phase {
  const newest = events.at(-1)?.event;
  if (newest === undefined) return "queued";
  if (newest === "RunFinished") return "ended";
  return newest === "RunParked" ? "waiting" : "running";
}

class Reader {
  lines: Line[] = [];
  private readonly tools = new Map<string, string>();
  private readonly asked = new Set<string>();
  private draft: Line | undefined; // the model's last text, which may still be refused

  constructor(private readonly job: string) {}

  says(kind: "user" | "agent", event: RunEvent, words: string): Line | undefined {
    if (words === "") return undefined;
    const line = { key: this.key(event), kind, text: words };
    this.lines.push(line);
    return line;
  }

  replied(event: RunEvent): void {
    for (const call of list(event, "calls")) this.tools.set(text(call, "id"), text(call, "name"));
    this.draft = this.says("agent", event, text(event, "text") || text(event, "refusal"));
  }

  refused(): void {
    this.lines = this.lines.filter((line) => line !== this.draft);
  }

  amended(event: RunEvent): void {
    if (this.draft?.kind === "agent") this.draft.text = text(event, "text");
  }

  cleared(event: RunEvent): void {
    if (text(event, "where") !== "person") return;
    this.asked.add(text(event, "call"));
    this.says("agent", event, questionIn(text(event, "arguments")));
  }

  returned(event: RunEvent): void {
    if (this.asked.has(text(event, "call"))) this.says("user", event, text(event, "content"));
  }

  held(event: RunEvent): void {
    if (text(event, "by") !== "person") return;
    const call = text(event, "call");
    this.lines.push({ key: this.key(event), kind: "approval", tool: this.tools.get(call) ?? call, digest: text(event, "digest") });
  }

  finished(event: RunEvent): void {
    const outcome = fields(event, "outcome");
    const output = outcome["output"];
    const spoken = new Set(this.lines.flatMap((line) => (line.kind === "agent" ? [line.text] : [])));
    const last = [...new Set([text(event, "said"), text(outcome, "output")])].filter((words) => words !== "" && !spoken.has(words));
    for (const [at, words] of last.entries()) this.lines.push({ key: `${this.key(event)}/${at}`, kind: "agent", text: words });
    if (typeof output === "object" && output !== null) {
      this.lines.push({ key: `${this.key(event)}/output`, kind: "result", text: JSON.stringify(output, null, 2) });
    }
    const { tone, title, detail } = ended(outcome);
    if (tone !== "good") this.lines.push({ key: `${this.key(event)}/end`, kind: "ended", tone, title, text: detail });
  }

  private key(event: RunEvent): string {
    return `${this.job}/${event.id}`;
  }
}

const READS: Readonly<Record<string, (reader: Reader, event: RunEvent) => void>> = {
  RunStarted: (reader, event) => void reader.says("user", event, text(event, "message")),
  UserSaid: (reader, event) => void reader.says("user", event, text(event, "text")),
  ModelReplied: (reader, event) => reader.replied(event),
  TextRefused: (reader) => reader.refused(),
  TextAmended: (reader, event) => reader.amended(event),
  CallCleared: (reader, event) => reader.cleared(event),
  ToolReturned: (reader, event) => reader.returned(event),
  CallHeld: (reader, event) => reader.held(event),
  RunFinished: (reader, event) => reader.finished(event),
};

/** The question of a call that a person answers: its one text, or all of its arguments. */
function questionIn(given: string): string {
  try {
    const found: unknown = JSON.parse(given);
    const texts = typeof found === "object" && found !== null ? Object.values(found).filter((each) => typeof each === "string") : [];
    return texts.length === 1 ? String(texts[0]) : given;
  } catch {
    return given;
  }
}
