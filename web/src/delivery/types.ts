/** What the shop's routes say (`/delivery/…`), as their OpenAPI document has it; only what the page uses. Money is in cents. */

export type By = "user" | "agent";

export interface Dish {
  food_id: number;
  restaurant_uuid: string;
  name: string;
  description: string;
  price_cents: number;
  kind: string;
  tags: string[];
  image: string;
  photograph: string | null;
}

export interface Restaurant {
  restaurant_uuid: string;
  name: string;
  cuisine: string;
  description: string;
  rating: number;
  price_level: number;
  pictures: string[];
  open: boolean;
  opens: string | null;
  hours: Record<string, string[]>;
  matches: Dish[];
  menu: Dish[];
}

export interface Line {
  food_id: number;
  name: string;
  quantity: number;
  price_cents: number;
}

/** `version` changes with everything else in it: a yes to one cart is none to another. */
export interface Cart {
  restaurant_uuid: string | null;
  restaurant: string | null;
  lines: Line[];
  total_cents: number;
  version: string;
}

export type Progress = "placed" | "cooking" | "on_the_way" | "delivered";

export interface Order {
  order_id: string;
  session_id: string;
  restaurant_uuid: string;
  restaurant: string;
  lines: Line[];
  total_cents: number;
  placed_at: string;
  status: Progress;
}

/** An act of the trail. */
export interface Act {
  seq: number;
  act_id: string;
  at: string;
  who: By;
  what: string;
  ids: Record<string, unknown>;
}

export interface Acts {
  acts: Act[];
  open_page: string | null;
  cart_is_open: boolean;
}

/** The document of `place_order`: what a person says yes or no to. */
export interface OrderShown {
  question: string;
  restaurant: string;
  lines: (Line & { sum_cents: number })[];
  total_cents: number | null;
  total: string;
  cart: string;
}
