/** Events of a run about a trip, as a journal has them. */

import { after, type Journey, NEW } from "../../src/trips/journey.ts";

type Event = { event: string; [field: string]: unknown };

export const at = (seconds: number): string => new Date(Date.UTC(2026, 9, 1) + seconds * 1_000).toISOString();

export function journeyOf(events: readonly Event[], before: Journey = NEW, job = "job_1"): Journey {
  return events.reduce((journey, event, id) => after(journey, job, { ...event, id }), before);
}

const place = (id: string, altitude_m: number, latitude: number, longitude: number) => ({
  kind: "place",
  value: id,
  about: { name: id.toUpperCase(), region: "r", altitude_m, latitude, longitude },
});
const leg = (origin: string, destination: string, minutes: number) => ({
  kind: "leg",
  value: `${origin} → ${destination}`,
  key: `${origin} → ${destination}`,
  about: { origin, destination, minutes, km: minutes },
});
const call = (id: string, name: string) => ({ id, name, arguments: "{}" });

export const PLAN = JSON.stringify({
  title: "Two days",
  summary: "Up and down.",
  days: [
    { day: 1, legs: [{ origin: "a", destination: "b", minutes: 1 }], stay: "b", hotel: "h1", drive_hours: 9, note: "Up." },
    { day: 2, legs: [{ origin: "b", destination: "a", minutes: 90 }], flight: "f1" },
  ],
});

export const STARTED = { event: "RunStarted", at: at(0), message: "Two days, please." };
export const TURN = { event: "TurnOpened", turn: 1, soft: 240, until: 300 };
export const BRIEF = [
  { event: "ModelReplied", at: at(1), calls: [call("c1", "record_brief")] },
  { event: "CallHeld", call: "c1", by: "person", arguments: "{}", show: "Right?" },
  { event: "RunParked" },
];
export const YES = { event: "HoldAnswered", at: at(101), hold: "c1h1", answer: "yes" };
export const RECORDED = {
  event: "ToolReturned",
  at: at(102),
  call: "c1",
  content: '{"most_hours_of_driving_a_day":6}',
  facts: [
    { kind: "brief", key: "days", value: 2 },
    { kind: "brief", key: "start_date", value: "2026-10-31" },
  ],
};
export const LOOKED_UP = [
  { event: "ModelReplied", at: at(103), calls: [call("c2", "search_places"), call("c3", "estimate_drive"), call("c4", "search_notes")] },
  { event: "ToolReturned", at: at(104), call: "c2", facts: [place("a", 500, 30, 100), place("b", 3_000, 31, 101), place("c", 1, 29, 99)] },
  { event: "ToolReturned", at: at(104), call: "c3", facts: [leg("a", "b", 200)] },
  { event: "ToolReturned", at: at(104), call: "c4", facts: [] },
  {
    event: "ToolReturned",
    at: at(104),
    call: "c5",
    facts: [
      { kind: "hotel", value: "h1", about: { name: "The Inn" } },
      { kind: "flight", value: "f1", about: { origin: "b", destination: "c", minutes: 60 } },
    ],
  },
];
export const SUBMITTED = [
  { event: "ModelReplied", at: at(105), calls: [call("c6", "submit_plan")] },
  { event: "CallHeld", call: "c6", by: "reviewer", arguments: PLAN },
];
export const WHOLE = [STARTED, TURN, ...BRIEF, YES, RECORDED, ...LOOKED_UP, ...SUBMITTED];
