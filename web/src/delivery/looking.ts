/** Looking for restaurants: what is asked of the server, and what the page sorts out by itself. */

import type { Restaurant } from "./types.ts";

export const DIETS = ["vegan", "vegetarian", "gluten-free"] as const;
export type Diet = (typeof DIETS)[number];
export type Order = "best" | "rating" | "price";

export interface Asked {
  text: string;
  diets: Diet[];
  most_cents: number | undefined;
  open_now: boolean;
  cuisine: string;
  order: Order;
}

export const NOTHING_ASKED: Asked = { text: "", diets: [], most_cents: undefined, open_now: false, cuisine: "", order: "best" };

/** Where the server's answer to it is. */
export function pathOf(asked: Asked): string {
  const query = new URLSearchParams();
  if (asked.text.trim() !== "") query.set("text", asked.text.trim().slice(0, 200));
  for (const diet of asked.diets) query.append("diet", diet);
  if (asked.most_cents !== undefined) query.set("most_cents", String(asked.most_cents));
  if (asked.open_now) query.set("open_now", "true");
  const words = query.toString();
  return words === "" ? "/delivery/restaurants" : `/delivery/restaurants?${words}`;
}

/** The cuisines that there are, in the order of their names. */
export function cuisinesOf(restaurants: readonly Restaurant[]): string[] {
  return [...new Set(restaurants.map((each) => each.cuisine))].sort();
}

/** Those of the cuisine, in the order that was wished; the server's order where it is the best. */
export function sorted(restaurants: readonly Restaurant[], asked: Asked): Restaurant[] {
  const fitting = restaurants.filter((each) => asked.cuisine === "" || each.cuisine === asked.cuisine);
  switch (asked.order) {
    case "best":
      return fitting;
    case "rating":
      return fitting.sort((one, other) => other.rating - one.rating);
    case "price":
      return fitting.sort((one, other) => one.price_level - other.price_level);
  }
}
