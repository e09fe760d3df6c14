/**
 * A conversation about a trip, folded from the events of its runs: what was said, what is known by now, and what waits for whom.
 *
 * - It holds nothing that is not in the events, so a reload shows the same again.
 * - Text is shown once it stands: what a guard refuses is never shown to people.
 * - A new run knows nothing of what the last one looked up; its trip stays until there is another one.
 */

import { isFields, list, parsed, words } from "../runtime/reading.ts";
import type { RunEvent } from "../runtime/types.ts";
import { type Clock, STOPPED, ticked } from "./clock.ts";
import { drafted, endsOf, type Flight, isTrip, type Known, type Leg, type Stop, type Trip } from "./trip.ts";

export type Entry =
  | { kind: "user" | "agent" | "note"; text: string }
  | { kind: "decided"; yes: boolean; tool: string }
  | { kind: "work"; places: number; drives: number; notes: number; prices: number; corrected: string[] };

export interface Outcome {
  status: string;
  output?: unknown;
  partial?: boolean;
  unconfirmed?: boolean;
  unreviewed?: boolean;
  limit?: string;
  reason?: string;
}

/** What the run waits for: a yes, an answer to a question, or any message. */
export interface Waiting {
  kind: "approval" | "question" | "message";
  call: string;
  tool: string;
}

export interface Journey {
  job: string | undefined;
  entries: readonly Entry[];
  brief: ReadonlyMap<string, unknown>;
  hoursADay: number;
  known: Known;
  trip: Trip | undefined;
  /** The trip is the one of an earlier run. */
  old: boolean;
  /** The trip was handed in, or put together by the landing; nothing more comes of the run. */
  outcome: Outcome | undefined;
  waiting: Waiting | undefined;
  reviewing: boolean;
  landing: string | undefined;
  clock: Clock;
  /** Tools of the open turn's calls, and text that may still be refused. */
  tools: ReadonlyMap<string, string>;
  held: string | undefined;
}

export const SUBMIT = "submit_plan";
const CAREFUL_HOURS = 4;
const NOTHING: Known = { places: new Map(), drives: new Map(), flights: new Map(), hotels: new Map() };

export const NEW: Journey = {
  job: undefined,
  entries: [],
  brief: new Map(),
  hoursADay: CAREFUL_HOURS,
  known: NOTHING,
  trip: undefined,
  old: false,
  outcome: undefined,
  waiting: undefined,
  reviewing: false,
  landing: undefined,
  clock: STOPPED,
  tools: new Map(),
  held: undefined,
};

type Fold = (journey: Journey, event: RunEvent) => Partial<Journey>;

/** The journey after one more event of a job. */
export function after(journey: Journey, job: string, event: RunEvent): Journey {
  const fold = FOLDS[event.event];
  const changed = fold === undefined ? {} : fold(journey, event);
  return { ...journey, ...changed, job, clock: ticked(journey.clock, event) };
}

const FOLDS: Record<string, Fold> = {
  RunStarted: (journey, event) => ({
    ...NEW,
    entries: [...journey.entries, { kind: "user", text: words(event["message"]) }],
    brief: briefAfter(new Map(), facts(event["confirmed"])),
    hoursADay: journey.hoursADay,
    trip: journey.trip,
    old: journey.trip !== undefined,
  }),
  UserSaid: (journey, event) => ({ entries: [...journey.entries, { kind: "user", text: words(event["text"]) }], waiting: undefined }),
  ModelReplied: (journey, event) => replied(journey, event),
  TextHeld: (journey) => ({ ...spoken(journey), waiting: { kind: "message", call: "", tool: "" } }),
  TextAmended: (_, event) => ({ held: words(event["text"]) }),
  TextRefused: () => ({ held: undefined }),
  CallCleared: (journey, event) => cleared(journey, event),
  CallHeld: (journey, event) => heldCall(journey, event),
  HoldAnswered: (journey, event) => answered(journey, event),
  CallRefused: (journey, event) => refused(journey, event),
  ToolReturned: (journey, event) => returned(journey, event),
  ToolFailed: (journey, event) => ({ entries: working(journey.entries, { corrected: [words(event["error"])] }) }),
  LandingAdvanced: (_, event) => ({ landing: words(event["limit"]) }),
  RunFinished: (journey, event) => finished(journey, event),
};

function replied(journey: Journey, event: RunEvent): Partial<Journey> {
  const calls = list(event["calls"]).filter(isFields);
  const tools = new Map(calls.map((call) => [words(call["id"]), words(call["name"])]));
  const text = words(event["text"]).trim();
  if (text === "") return { tools, held: undefined };
  // Text beside calls ends nothing, so nobody refuses it.
  return calls.length > 0 ? { tools, held: undefined, entries: [...journey.entries, { kind: "agent", text }] } : { tools, held: text };
}

function spoken(journey: Journey): Partial<Journey> {
  if (journey.held === undefined) return {};
  return { entries: [...journey.entries, { kind: "agent", text: journey.held }], held: undefined };
}

/** A question to the travellers is asked as soon as the ring has nothing against it. */
function cleared(journey: Journey, event: RunEvent): Partial<Journey> {
  if (event["where"] !== "person") return {};
  const call = words(event["call"]);
  const question = words(parsed(event["arguments"])["question"]);
  const waiting = { kind: "question", call, tool: journey.tools.get(call) ?? "" } as const;
  return { waiting, entries: [...journey.entries, { kind: "agent", text: question }] };
}

function heldCall(journey: Journey, event: RunEvent): Partial<Journey> {
  const call = words(event["call"]);
  const tool = journey.tools.get(call) ?? "";
  const person = event["by"] === "person";
  const changed: Partial<Journey> = person ? { waiting: { kind: "approval", call, tool } } : { reviewing: true };
  if (tool !== SUBMIT) return changed;
  const startDate = journey.brief.get("start_date");
  const limits = { hoursADay: journey.hoursADay, startDate: typeof startDate === "string" ? startDate : null };
  const trip = drafted(parsed(event["arguments"]), journey.known, limits);
  return trip === undefined ? changed : { ...changed, trip, old: false };
}

function answered(journey: Journey, event: RunEvent): Partial<Journey> {
  if (journey.reviewing && !["yes", "no"].includes(words(event["answer"]))) {
    const flaws = list(event["flaws"]).map(words);
    return { reviewing: false, entries: flaws.length > 0 ? working(journey.entries, { corrected: flaws }) : journey.entries };
  }
  const yes = event["answer"] === "yes";
  const entries: Entry[] = [...journey.entries, { kind: "decided", yes, tool: journey.waiting?.tool ?? "" }];
  return { waiting: undefined, reviewing: false, entries };
}

function refused(journey: Journey, event: RunEvent): Partial<Journey> {
  const waited = journey.waiting !== undefined && journey.waiting.call === event["call"];
  // What people have refused they know already.
  const ours = waited || words(event["guard"]).startsWith("Approval");
  return {
    waiting: waited ? undefined : journey.waiting,
    entries: ours ? journey.entries : working(journey.entries, { corrected: [words(event["reason"])] }),
  };
}

function returned(journey: Journey, event: RunEvent): Partial<Journey> {
  const call = words(event["call"]);
  if (journey.waiting?.kind === "question" && journey.waiting.call === call) {
    return { waiting: undefined, entries: [...journey.entries, { kind: "user", text: words(event["content"]) }] };
  }
  const found = facts(event["facts"]);
  const tool = journey.tools.get(call);
  const count = (kind: string): number => found.filter((fact) => fact.kind === kind).length;
  const done = {
    places: count("place"),
    drives: count("leg"),
    prices: count("flight") + count("hotel"),
    notes: tool === "search_notes" ? 1 : 0,
  };
  const some = done.places + done.drives + done.prices + done.notes > 0;
  return {
    known: knownAfter(journey.known, found),
    brief: briefAfter(journey.brief, found),
    hoursADay: tool === "record_brief" ? hoursIn(event, journey.hoursADay) : journey.hoursADay,
    entries: some ? working(journey.entries, done) : journey.entries,
  };
}

function finished(journey: Journey, event: RunEvent): Partial<Journey> {
  const outcome = (isFields(event["outcome"]) ? event["outcome"] : { status: "failed" }) as unknown as Outcome;
  const ended = { outcome, waiting: undefined, reviewing: false, held: undefined };
  if (isTrip(outcome.output)) {
    const text = outcome.partial ? "This is what there is." : "This is your plan.";
    return { ...ended, trip: outcome.output, old: false, entries: [...journey.entries, { kind: "note", text }] };
  }
  const said = words(event["said"]) || (typeof outcome.output === "string" ? outcome.output : "");
  return said === "" ? ended : { ...ended, entries: [...journey.entries, { kind: "agent", text: said }] };
}

interface Fact {
  kind: string;
  value: unknown;
  key: string;
  about: Record<string, unknown>;
}

function facts(value: unknown): Fact[] {
  return list(value)
    .filter(isFields)
    .map((fact) => ({
      kind: words(fact["kind"]),
      value: fact["value"],
      key: words(fact["key"]),
      about: isFields(fact["about"]) ? fact["about"] : {},
    }));
}

function briefAfter(brief: ReadonlyMap<string, unknown>, found: readonly Fact[]): ReadonlyMap<string, unknown> {
  const said = found.filter((fact) => fact.kind === "brief");
  return said.length === 0 ? brief : new Map([...brief, ...said.map((fact) => [fact.key, fact.value] as const)]);
}

function knownAfter(known: Known, found: readonly Fact[]): Known {
  const of = (kind: string): Fact[] => found.filter((fact) => fact.kind === kind);
  return {
    places: added(known.places, of("place"), (fact) => fact.about as unknown as Stop),
    drives: added(
      known.drives,
      of("leg"),
      (fact) => fact.about as unknown as Leg,
      (fact) => endsOf(fact.about as unknown as Leg),
    ),
    flights: added(known.flights, of("flight"), (fact) => ({ ...(fact.about as unknown as Flight), id: words(fact.value) })),
    hotels: added(known.hotels, of("hotel"), (fact) => words(fact.about["name"])),
  };
}

function added<T>(
  before: ReadonlyMap<string, T>,
  found: readonly Fact[],
  made: (fact: Fact) => T,
  key: (fact: Fact) => string = (fact) => words(fact.value),
): ReadonlyMap<string, T> {
  return found.length === 0 ? before : new Map([...before, ...found.map((fact) => [key(fact), made(fact)] as const)]);
}

/** What was looked up in a row is one entry. */
function working(entries: readonly Entry[], done: Partial<Extract<Entry, { kind: "work" }>>): Entry[] {
  const last = entries.at(-1);
  const before = last?.kind === "work" ? last : ({ kind: "work", places: 0, drives: 0, notes: 0, prices: 0, corrected: [] } as const);
  const now: Entry = {
    kind: "work",
    places: before.places + (done.places ?? 0),
    drives: before.drives + (done.drives ?? 0),
    notes: before.notes + (done.notes ?? 0),
    prices: before.prices + (done.prices ?? 0),
    corrected: [...before.corrected, ...(done.corrected ?? [])],
  };
  return last?.kind === "work" ? [...entries.slice(0, -1), now] : [...entries, now];
}

function hoursIn(event: RunEvent, before: number): number {
  const hours = parsed(event["content"])["most_hours_of_driving_a_day"];
  return typeof hours === "number" ? hours : before;
}
