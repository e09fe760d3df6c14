/** The shop's figures and codes as words for people. */

import type { Act, Cart, OrderShown, Progress } from "./types.ts";

export function money(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

export function count(cart: Pick<Cart, "lines">): number {
  return cart.lines.reduce((sum, line) => sum + line.quantity, 0);
}

export function items(number: number): string {
  return number === 1 ? "1 item" : `${number} items`;
}

/** A tag or a cuisine as a title. */
export function titled(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const PRICES = ["", "cheap", "moderate", "expensive"];

export const STEPS: readonly { status: Progress; words: string }[] = [
  { status: "placed", words: "Placed" },
  { status: "cooking", words: "Cooking" },
  { status: "on_the_way", words: "On the way" },
  { status: "delivered", words: "Delivered" },
];

/** What can be named by its number or uuid, where the page has seen it. */
export interface Names {
  restaurant(uuid: unknown): string | undefined;
  dish(number: unknown): string | undefined;
}

/** What was done, in one line. */
export function told(act: Pick<Act, "what" | "ids">, names: Names): string {
  const restaurant = names.restaurant(act.ids["restaurant_uuid"]) ?? "a restaurant";
  const dish = names.dish(act.ids["food_id"]) ?? `dish ${String(act.ids["food_id"])}`;
  const quantity = act.ids["quantity"];
  switch (act.what) {
    case "page_opened":
      return `Opened the page of ${restaurant}`;
    case "page_closed":
      return "Closed the restaurant's page";
    case "cart_opened":
      return "Opened the cart";
    case "cart_closed":
      return "Closed the cart";
    case "handsfree_on":
      return "Switched hands-free on";
    case "handsfree_off":
      return "Switched hands-free off";
    case "activity_read":
      return "Looked at what was done here";
    case "food_added":
      return `Added ${String(quantity ?? 1)} × ${dish}`;
    case "food_removed":
      return `Removed ${typeof quantity === "number" ? `${quantity} × ` : ""}${dish}`;
    case "order_placed":
      return names.restaurant(act.ids["restaurant_uuid"]) === undefined ? "Placed the order" : `Ordered at ${restaurant}`;
    default:
      return act.what.replaceAll("_", " ");
  }
}

const ACTS: Readonly<Record<string, string>> = {
  open_restaurant_page: "page_opened",
  close_restaurant_page: "page_closed",
  get_user_actions: "activity_read",
  add_food_to_cart: "food_added",
  remove_food_from_cart: "food_removed",
  open_shopping_cart: "cart_opened",
  close_shopping_cart: "cart_closed",
  place_order: "order_placed",
};

/** What a call of the agent's does here, in one line; nothing where it is not this page that does it. */
export function done(tool: string, args: Record<string, unknown>, names: Names): string | undefined {
  if (tool === "activate_handsfree") return told({ what: args["on"] === true ? "handsfree_on" : "handsfree_off", ids: {} }, names);
  const what = ACTS[tool];
  return what === undefined ? undefined : told({ what, ids: args }, names);
}

/** The document of an order, where it is one. */
export function orderIn(show: unknown): OrderShown | undefined {
  if (typeof show !== "object" || show === null) return undefined;
  const found = show as Partial<OrderShown>;
  return Array.isArray(found.lines) && typeof found.restaurant === "string" && typeof found.cart === "string"
    ? (found as OrderShown)
    : undefined;
}

/** An order as it is read out before the question. */
export function readOut(order: OrderShown): string {
  const lines = order.lines.map((line) => `${line.quantity} ${line.name}`).join(", ");
  return `${lines} from ${order.restaurant}, ${order.total} in all. ${order.question}`;
}
