/**
 * What the storefront shows, in one place.
 *
 * - It holds what the server has said; totals and versions are never computed here.
 * - How many of a dish somebody is about to add belongs to that dish's row on the menu, and is not in here: cart and menu share nothing.
 */

import { reactive } from "vue";
import { type Asked, NOTHING_ASKED } from "./looking.ts";
import type { Act, By, Cart, Order, Restaurant } from "./types.ts";
import type { Names } from "./words.ts";

export type Drawer = "cart" | "orders" | "trail";

export interface State {
  /** All restaurants, or those that a search found; nothing before they have come. */
  restaurants: Restaurant[] | undefined;
  asked: Asked;
  looking: boolean;
  /** The restaurant whose page is open, with its menu. */
  page: Restaurant | undefined;
  /** Who opened what is open: only for the person who opened something does the focus move there. */
  openedBy: By;
  drawer: Drawer | undefined;
  cart: Cart;
  placing: boolean;
  /** The order that was placed last in this tab, until it has been looked at. */
  placed: Order | undefined;
  orders: Order[];
  acts: Act[];
  handsfree: boolean;
  problem: unknown;
}

export const EMPTY: Cart = { restaurant_uuid: null, restaurant: null, lines: [], total_cents: 0, version: "empty" };

export function makeState(): State {
  return reactive<State>({
    restaurants: undefined,
    asked: { ...NOTHING_ASKED },
    looking: false,
    page: undefined,
    openedBy: "user",
    drawer: undefined,
    cart: EMPTY,
    placing: false,
    placed: undefined,
    orders: [],
    acts: [],
    handsfree: false,
    problem: undefined,
  });
}

/** Names of what the page has seen so far. */
export class Seen implements Names {
  private readonly restaurants = new Map<string, string>();
  private readonly dishes = new Map<number, string>();

  see(restaurants: readonly Restaurant[]): void {
    for (const each of restaurants) {
      this.restaurants.set(each.restaurant_uuid, each.name);
      for (const dish of [...each.menu, ...each.matches]) this.dishes.set(dish.food_id, dish.name);
    }
  }

  seeLines(lines: Cart["lines"]): void {
    for (const line of lines) this.dishes.set(line.food_id, line.name);
  }

  restaurant(uuid: unknown): string | undefined {
    return this.restaurants.get(String(uuid));
  }

  dish(number: unknown): string | undefined {
    return this.dishes.get(Number(number));
  }
}
