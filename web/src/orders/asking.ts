/**
 * Questions, their answers, and the rows that each answer came from, folded from the events of the runs.
 *
 * The rows are what a look-up returned, not what the model says of it: who doubts an answer reads them.
 */

import { type Fields, isFields, json, parsed, words } from "../runtime/reading.ts";
import type { RunEvent } from "../runtime/types.ts";

export interface Lookup {
  call: string;
  /** What was asked for, in words. */
  caption: string;
  /** And as the call has it. */
  args: Fields;
  rows: Fields[];
}

export interface Asked {
  job: string;
  question: string;
  answer: string | undefined;
  failed: boolean;
  lookups: Lookup[];
  /** Look-ups that came back with an error, in its words. */
  wrong: string[];
}

export interface Console {
  asked: readonly Asked[];
  calls: ReadonlyMap<string, Fields>;
}

export const EMPTY: Console = { asked: [], calls: new Map() };

/** The console after one more event of a job. */
export function after(before: Console, job: string, event: RunEvent): Console {
  if (event.event === "RunStarted") {
    const asked = { job, question: words(event["message"]), answer: undefined, failed: false, lookups: [], wrong: [] };
    return { asked: [...before.asked, asked], calls: new Map() };
  }
  if (event.event === "CallCleared") {
    return { ...before, calls: new Map([...before.calls, [words(event["call"]), parsed(event["arguments"])]]) };
  }
  const now = before.asked.at(-1);
  return now === undefined ? before : { ...before, asked: [...before.asked.slice(0, -1), changed(now, before.calls, event)] };
}

function changed(asked: Asked, calls: Console["calls"], event: RunEvent): Asked {
  switch (event.event) {
    case "ToolReturned":
      return returned(asked, calls, event);
    case "ToolFailed":
      return { ...asked, wrong: [...asked.wrong, words(event["error"])] };
    case "CallRefused":
      return { ...asked, wrong: [...asked.wrong, words(event["reason"])] };
    case "RunFinished":
      return finished(asked, event);
    default:
      return asked;
  }
}

function returned(asked: Asked, calls: Console["calls"], event: RunEvent): Asked {
  const rows = rowsIn(event["content"]);
  if (rows === undefined) return asked;
  const call = words(event["call"]);
  const args = calls.get(call) ?? {};
  const lookup = { call, caption: captionOf(args, rows.length), args, rows };
  return { ...asked, lookups: [...asked.lookups, lookup] };
}

function finished(asked: Asked, event: RunEvent): Asked {
  const outcome = isFields(event["outcome"]) ? event["outcome"] : {};
  if (outcome["status"] === "completed")
    return { ...asked, answer: words(outcome["output"]) || "The answer was empty. Ask again in other words." };
  const reason = outcome["status"] === "cancelled" ? "This was cancelled." : "There is no answer this time. Ask again, or later.";
  return { ...asked, answer: words(event["said"]) || reason, failed: true };
}

function captionOf(args: Fields, count: number): string {
  const status = words(args["status"]);
  const what = `${status === "" ? "" : `${status} `}order${count === 1 ? "" : "s"}`;
  const whose = words(args["customer_email"]);
  return `${count === 0 ? "No" : count} ${what}${whose === "" ? "" : ` of ${whose}`}${count > 1 ? ", newest first" : ""}`;
}

function rowsIn(content: unknown): Fields[] | undefined {
  const value = json(content);
  return Array.isArray(value) && value.every(isFields) ? value : undefined;
}
