/** The altitude profile: heights of the stops over the hours of driving up to them. */

import type { Trip } from "./trip.ts";

export interface Height {
  place: string;
  metres: number;
  /** Hours of driving since the start. */
  hours: number;
  /** The day that ends here; nothing where nobody sleeps there. */
  night: number | undefined;
}

/** The heights in the order of the trip; places whose height is not known are left out. */
export function heightsOf(trip: Trip): Height[] {
  const found: Height[] = [];
  let minutes = 0;
  const come = (place: string, night: number | undefined): void => {
    const metres = trip.places[place]?.altitude_m;
    if (metres === null || metres === undefined) return;
    const last = found.at(-1);
    if (last?.place === place && last.hours === minutes / 60) {
      last.night ??= night;
    } else {
      found.push({ place, metres, hours: minutes / 60, night });
    }
  };
  for (const day of trip.days) {
    if (day.flight !== null) come(day.flight.destination, undefined);
    for (const leg of day.legs) {
      come(leg.origin, undefined);
      minutes += leg.minutes;
      come(leg.destination, undefined);
    }
    if (day.stay !== null) come(day.stay, day.day);
  }
  return found;
}

/** Round heights for lines across the profile: a few of them, the highest above all stops. */
export function linesFor(highest: number): number[] {
  const step = [100, 200, 500, 1_000, 2_000].find((each) => highest / each <= 4) ?? 2_000;
  return Array.from({ length: Math.floor(highest / step) + 2 }, (_, index) => index * step);
}
