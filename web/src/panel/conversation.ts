/**
 * What was said in a run, as people read it: a projection of its events, so that a reload shows the same.
 *
 * - Text that the ring refused was said to the model's own ring, and is not shown; the timeline has it.
 * - An approval is a line of its own, found by the digest that the answer is bound to.
 */

import type { RunEvent } from "../runtime/types.ts";
import { fields, list, text } from "./fields.ts";
import { ended, type Tone } from "./words.ts";

export type Line =
  | { key: string; kind: "user" | "agent"; text: string }
  | { key: string; kind: "result"; text: string }
  | { key: string; kind: "approval"; tool: string; digest: string }
  | { key: string; kind: "ended"; tone: Tone; title: string; text: string };

export type Phase = "queued" | "running" | "waiting" | "ended";

/** What was said. */
export function linesOf(job: string, events: readonly RunEvent[]): Line[] {
  const lines: Line[] = [];
  const tools = new Map<string, string>();
  const people = new Set<string>();
  let spoken: number | undefined; // the place of the last text of the model's that may still be refused
  const say = (event: RunEvent, kind: "user" | "agent", words: string) => {
    if (words !== "") lines.push({ key: `${job}/${event.id}`, kind, text: words });
  };
  for (const event of events) {
    switch (event.event) {
      case "RunStarted":
        say(event, "user", text(event, "message"));
        break;
      case "UserSaid":
        say(event, "user", text(event, "text"));
        break;
      case "ModelReplied":
        for (const call of list(event, "calls")) tools.set(text(call, "id"), text(call, "name"));
        spoken = lines.length;
        say(event, "agent", text(event, "text") || text(event, "refusal"));
        break;
      case "TextRefused":
        if (spoken !== undefined) lines.splice(spoken, 1);
        spoken = undefined;
        break;
      case "TextAmended": {
        const line = spoken === undefined ? undefined : lines[spoken];
        if (line?.kind === "agent") line.text = text(event, "text");
        break;
      }
      case "CallCleared":
        if (text(event, "where") === "person") {
          people.add(text(event, "call"));
          say(event, "agent", asked(text(event, "arguments")));
        }
        break;
      case "ToolReturned":
        if (people.has(text(event, "call"))) say(event, "user", text(event, "content"));
        break;
      case "CallHeld":
        if (text(event, "by") === "person") {
          const tool = tools.get(text(event, "call")) ?? text(event, "call");
          lines.push({ key: `${job}/${event.id}`, kind: "approval", tool, digest: text(event, "digest") });
        }
        break;
      case "RunFinished":
        lines.push(...last(job, event, lines));
        break;
    }
  }
  return lines;
}

/** Where a run is, as its events say. */
export function phaseOf(events: readonly RunEvent[]): Phase {
  const newest = events.at(-1)?.event;
  if (newest === undefined) return "queued";
  if (newest === "RunFinished") return "ended";
  return newest === "RunParked" ? "waiting" : "running";
}

function last(job: string, event: RunEvent, before: readonly Line[]): Line[] {
  const outcome = fields(event, "outcome");
  const output = outcome["output"];
  const lines: Line[] = [];
  const spoken = before.filter((line) => line.kind === "agent").at(-1)?.text;
  for (const words of [text(event, "said"), typeof output === "string" ? output : ""]) {
    if (words !== "" && words !== spoken && !lines.some((line) => "text" in line && line.text === words)) {
      lines.push({ key: `${job}/${event.id}/${lines.length}`, kind: "agent", text: words });
    }
  }
  if (typeof output === "object" && output !== null) {
    lines.push({ key: `${job}/${event.id}/output`, kind: "result", text: JSON.stringify(output, null, 2) });
  }
  const { tone, title, detail } = ended(outcome);
  if (title !== "Completed") lines.push({ key: `${job}/${event.id}/end`, kind: "ended", tone, title, text: detail });
  return lines;
}

/** The question of a call that a person answers: its one text, or all of its arguments. */
function asked(given: string): string {
  try {
    const found: unknown = JSON.parse(given);
    const texts = typeof found === "object" && found !== null ? Object.values(found).filter((each) => typeof each === "string") : [];
    return texts.length === 1 ? String(texts[0]) : given;
  } catch {
    return given;
  }
}
