/** Events as the service sends them. */

import type { RunEvent } from "../../src/runtime/types.ts";

let number = 0;

export function event(name: string, fields: Record<string, unknown> = {}): RunEvent {
  return { id: number++, event: name, ...fields };
}

export const started = (message = "Go") => event("RunStarted", { at: "2026-01-01T12:00:00Z", run_id: "job_1", message });
export const opened = (turn: number, ...offered: string[]) => event("TurnOpened", { turn, offered, turns_left: 3 });
export const says = (words: string) => event("ModelReplied", { at: "2026-01-01T12:00:01Z", turn: 1, text: words });
export const calls = (...named: [id: string, name: string, given?: string][]) =>
  event("ModelReplied", {
    at: "2026-01-01T12:00:01Z",
    turn: 1,
    calls: named.map(([id, name, given]) => ({ id, name, arguments: given ?? "{}" })),
  });
export const finished = (outcome: Record<string, unknown>) => event("RunFinished", { outcome });
