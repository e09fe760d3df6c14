/** Numbers and outcomes in words, as the service's own rendering has them. */

import type { Outcome } from "./journey.ts";
import { isTrip } from "./trip.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");

const NO_BREAK = "\u00a0";

/** `3 h 09 min`, `50 min`; a number and its unit stay on one line. */
export function duration(minutes: number): string {
  const whole = Math.round(minutes);
  const rest = whole % 60;
  if (whole < 60) return [whole, "min"].join(NO_BREAK);
  const hours = [Math.floor(whole / 60), "h"];
  return (rest === 0 ? hours : [...hours, String(rest).padStart(2, "0"), "min"]).join(NO_BREAK);
}

/** `4:09`, for a countdown. */
export function minutesLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** `Thu 1 October`. */
export function dateInWords(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "long", timeZone: "UTC" });
}

export function metres(value: number): string {
  return value.toLocaleString("en-GB") + NO_BREAK + "m";
}

export function yuan(value: number): string {
  return value.toLocaleString("en-GB") + NO_BREAK + "CNY";
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** An id as a name, for what is not known by any other. */
export function capitalised(id: string): string {
  return id.replace(/(^|-)(\w)/g, (_, gap: string, letter: string) => (gap === "" ? "" : " ") + letter.toUpperCase());
}

/** What is known of the party and the trip, each in a few words. */
export function briefInWords(brief: ReadonlyMap<string, unknown>, nameOf: (place: string) => string): string[] {
  return [...brief].map(([field, value]) => fieldInWords(field, value, nameOf)).filter((words) => words !== "");
}

function fieldInWords(field: string, value: unknown, nameOf: (place: string) => string): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : listInWords(field, value.map(String), nameOf);
  switch (field) {
    case "month":
      return `in ${MONTHS[Number(value) - 1] ?? String(value)}`;
    case "start_date":
      return value === null ? "" : `from ${dateInWords(String(value))}`;
    case "days":
      return counted(Number(value), "day");
    case "budget_cny":
      return `up to ${yuan(Number(value))}`;
    case "highest_m":
      return `not above ${metres(Number(value))}`;
    case "start":
      return `from ${nameOf(String(value))}`;
    default:
      return "";
  }
}

function listInWords(field: string, values: string[], nameOf: (place: string) => string): string {
  switch (field) {
    case "ages":
      return `${counted(values.length, "traveller")}: ${values.join(", ")} years`;
    case "must_go":
      return `to see ${values.map(nameOf).join(", ")}`;
    case "regions":
      return values.map(capitalised).join(", ");
    default:
      return values.join("; ");
  }
}

/** What has to be said about how a trip came about: what landed, and why. */
export function remarksOn(outcome: Outcome): string[] {
  const trip = isTrip(outcome.output) ? outcome.output : undefined;
  const said = [...(trip?.reasons ?? [])];
  if (outcome.partial && !trip?.partial) said.push("It was finished in a hurry, and may be less than you asked for.");
  if (outcome.partial && outcome.limit !== undefined) said.push(`What ended it: ${limitInWords(outcome.limit)}.`);
  if (outcome.unconfirmed) said.push("You have not said yes to it.");
  if (outcome.unreviewed) said.push("No reviewer has passed it.");
  if (trip === undefined && outcome.status !== "completed") said.push(outcome.reason ?? "The run ended without a plan.");
  return said;
}

/** The name of a limit as people say it; one that is not known stands as it is. */
export function limitInWords(limit: string): string {
  if (limit === "requested") return "you asked for what there was";
  if (limit.startsWith("TimeLimit")) return "the planning time was used up";
  if (limit.startsWith("TurnLimit")) return "the planner had as many turns as it may have";
  if (limit.startsWith("TokenLimit")) return "the planner had read and written as much as it may";
  if (limit.startsWith("NoProgress")) return "the planner was going round in circles";
  return limit;
}
