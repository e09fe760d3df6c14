/**
 * A trip as the service gives it, and the trip that a draft is: looked up in what calls have found, as the service does it.
 *
 * - Numbers are those of the facts, never those that a model claims.
 * - What is not known of a place is left out, not guessed.
 */

import { type Fields, isFields, list, words } from "../runtime/reading.ts";

export interface Stop {
  name: string;
  region: string;
  altitude_m: number | null;
  latitude: number | null;
  longitude: number | null;
}

export interface Leg {
  origin: string;
  destination: string;
  minutes: number;
  km: number;
}

export interface Flight extends Omit<Leg, "km"> {
  id: string;
  price_cny: number;
}

export interface Day {
  day: number;
  date: string | null;
  flight: Flight | null;
  legs: Leg[];
  stay: string | null;
  sleeping_altitude_m: number | null;
  drive_hours: number;
  hotel_name: string;
  note: string;
}

export interface Trip {
  title: string;
  summary: string;
  days: Day[];
  places: Record<string, Stop>;
  hours_a_day: number;
  cost_cny: number | null;
  partial: boolean;
  reasons: string[];
}

/** What calls have found, by id; drives by their two ends. */
export interface Known {
  places: ReadonlyMap<string, Stop>;
  drives: ReadonlyMap<string, Leg>;
  flights: ReadonlyMap<string, Flight>;
  hotels: ReadonlyMap<string, string>;
}

/** Whether a result is a trip. */
export function isTrip(output: unknown): output is Trip {
  return isFields(output) && Array.isArray(output["days"]) && isFields(output["places"]) && typeof output["title"] === "string";
}

/** The trip that a draft is. `plan` has the arguments of `submit_plan`, which the service has held against their declaration. */
export function drafted(plan: unknown, known: Known, limits: { hoursADay: number; startDate: string | null }): Trip | undefined {
  if (!isFields(plan) || !Array.isArray(plan["days"])) return undefined;
  const days = plan["days"].filter(isFields).map((day) => dayOf(day, known, limits.startDate));
  return {
    title: words(plan["title"]),
    summary: words(plan["summary"]),
    days,
    places: Object.fromEntries(placesOf(days).map((place) => [place, known.places.get(place) ?? unknownStop(place)])),
    hours_a_day: limits.hoursADay,
    cost_cny: null,
    partial: false,
    reasons: [],
  };
}

/** The ids of all places, in the order in which the trip comes to them. */
export function placesOf(days: readonly Day[]): string[] {
  const found = days.flatMap((day) => [
    ...(day.flight === null ? [] : [day.flight.origin, day.flight.destination]),
    ...day.legs.flatMap((leg) => [leg.origin, leg.destination]),
    ...(day.stay === null ? [] : [day.stay]),
  ]);
  return [...new Set(found)];
}

/** What a place is called. */
export function nameOf(place: string, trip: Pick<Trip, "places">): string {
  return trip.places[place]?.name ?? place;
}

/** The days that end in each place. */
export function nightsOf(trip: Trip): Map<string, number[]> {
  const nights = new Map<string, number[]>();
  for (const day of trip.days) if (day.stay !== null) nights.set(day.stay, [...(nights.get(day.stay) ?? []), day.day]);
  return nights;
}

/** The key of a drive. */
export function endsOf(leg: Pick<Leg, "origin" | "destination">): string {
  return `${leg.origin} → ${leg.destination}`;
}

function dayOf(day: Fields, known: Known, startDate: string | null): Day {
  const legs = list(day["legs"])
    .filter(isFields)
    .map((leg) => legOf(leg, known));
  const stay = typeof day["stay"] === "string" ? day["stay"] : null;
  const number = Number(day["day"]);
  return {
    day: number,
    date: startDate === null ? null : later(startDate, number - 1),
    flight: known.flights.get(words(day["flight"])) ?? null,
    legs,
    stay,
    sleeping_altitude_m: stay === null ? null : (known.places.get(stay)?.altitude_m ?? null),
    drive_hours: legs.reduce((minutes, leg) => minutes + leg.minutes, 0) / 60,
    hotel_name: known.hotels.get(words(day["hotel"])) ?? "",
    note: words(day["note"]),
  };
}

function legOf(leg: Fields, known: Known): Leg {
  const ends = { origin: words(leg["origin"]), destination: words(leg["destination"]) };
  return known.drives.get(endsOf(ends)) ?? { ...ends, minutes: Number(leg["minutes"]), km: 0 };
}

function later(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function unknownStop(name: string): Stop {
  return { name, region: "", altitude_m: null, latitude: null, longitude: null };
}
