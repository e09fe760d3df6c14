/**
 * The time that a run has used, counted as the core counts it: only waiting for people stops the clock.
 *
 * Events carry the service's time, so the reader's own clock is set right by `offset` before it is asked what time it is.
 */

import type { RunEvent } from "../runtime/types.ts";

export interface Clock {
  /** The latest time known, in milliseconds since 1970. */
  at: number | undefined;
  /** Seconds in which the run was not waiting for people, up to then. */
  active: number;
  /** It waits for people, or has ended. */
  rests: boolean;
  /** Active seconds at which it begins to wrap up, and at which it ends; nothing where time is not limited. */
  soft: number | undefined;
  until: number | undefined;
}

export const STOPPED: Clock = { at: undefined, active: 0, rests: true, soft: undefined, until: undefined };

/** The clock after the event. */
export function ticked(clock: Clock, event: RunEvent): Clock {
  const at = typeof event["at"] === "string" ? Date.parse(event["at"]) : undefined;
  switch (event.event) {
    case "RunStarted":
      return { ...STOPPED, at, rests: false };
    case "TurnOpened":
      return { ...clock, soft: numberIn(event["soft"]), until: numberIn(event["until"]) };
    case "RunParked":
    case "RunFinished":
      return { ...clock, rests: true };
  }
  if (at === undefined) return clock;
  const gap = clock.at === undefined ? 0 : (at - clock.at) / 1_000;
  if (gap <= 0) return { ...clock, at: clock.at ?? at, rests: false };
  const counts = !clock.rests && event.event !== "TakenOver";
  return { ...clock, at, active: clock.active + (counts ? gap : 0), rests: false };
}

/** Active seconds by now; `now` in the service's time. */
export function activeAt(clock: Clock, now: number): number {
  if (clock.rests || clock.at === undefined) return clock.active;
  return clock.active + Math.max(0, (now - clock.at) / 1_000);
}

/** By how many milliseconds the service's clock is ahead, going by the `Date` of an answer; 0 where it does not say. */
export function offset(response: Pick<Response, "headers">, now: number): number {
  const date = Date.parse(response.headers.get("Date") ?? "");
  // The header has whole seconds: what is below that is no difference.
  return Number.isNaN(date) || Math.abs(date - now) < 2_000 ? 0 : date - now;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
