/** A small shop in the place of the service: it keeps a cart and a trail as the service does, and what it was asked. */

import { Http, Problem } from "../../src/runtime/http.ts";
import { makeShop, type Shop } from "../../src/delivery/shop.ts";
import type { Act, Cart, Dish, Line, Order, Restaurant } from "../../src/delivery/types.ts";

export const dish = (food_id: number, name: string, restaurant_uuid = "roma", price_cents = 1000): Dish => ({
  food_id,
  restaurant_uuid,
  name,
  description: `${name} of ${restaurant_uuid}`,
  price_cents,
  kind: "pizza",
  tags: ["vegetarian"],
  image: `/delivery/images/${food_id}.svg`,
  photograph: null,
});

export const restaurant = (restaurant_uuid: string, more: Partial<Restaurant> = {}): Restaurant => ({
  restaurant_uuid,
  name: restaurant_uuid.toUpperCase(),
  cuisine: "italian",
  description: "",
  rating: 4,
  price_level: 2,
  pictures: [],
  open: true,
  opens: null,
  hours: {},
  matches: [],
  menu: [],
  ...more,
});

const ROMA = restaurant("roma", { menu: [dish(301, "Margherita"), dish(302, "Tiramisu")] });
const HARBOUR = restaurant("harbour", { menu: [dish(401, "Margherita", "harbour")] });
const CLOSED = restaurant("closed", { open: false, menu: [dish(501, "Dal", "closed")] });
const MENU = [ROMA, HARBOUR, CLOSED].flatMap((each) => each.menu);

type Body = Record<string, unknown>;

export class Service extends Http {
  readonly sent: { path: string; body: Body }[] = [];
  readonly acts: Act[] = [];
  readonly orders: Order[] = [];
  lines: Line[] = [];
  /** What is answered next, instead of doing it. */
  failures: Problem[] = [];
  /** Kept back until it is let go. */
  gate: Promise<void> = Promise.resolve();

  get cart(): Cart {
    const first = MENU.find((each) => each.food_id === this.lines[0]?.food_id);
    const total_cents = this.lines.reduce((sum, line) => sum + line.price_cents * line.quantity, 0);
    const version = this.lines.map((line) => `${line.food_id}x${line.quantity}`).join() || "empty";
    return {
      restaurant_uuid: first?.restaurant_uuid ?? null,
      restaurant: first?.restaurant_uuid ?? null,
      lines: this.lines,
      total_cents,
      version,
    };
  }

  get page(): string | null {
    const last = this.acts.filter((act) => act.what.startsWith("page_")).at(-1);
    return last?.what === "page_opened" ? String(last.ids["restaurant_uuid"]) : null;
  }

  override async get<T>(path: string): Promise<T> {
    const url = new URL(path, "http://here");
    const last = url.pathname.split("/").at(-1);
    if (url.pathname === "/delivery/restaurants") return { restaurants: [ROMA, HARBOUR, CLOSED] } as T;
    if (url.pathname === "/delivery/cart") return this.cart as T;
    if (url.pathname === "/delivery/orders") return { orders: this.orders } as T;
    if (url.pathname === "/delivery/acts") {
      const cart_is_open = this.acts.filter((act) => act.what.startsWith("cart_")).at(-1)?.what === "cart_opened";
      return { acts: this.acts.slice(-Number(url.searchParams.get("last"))), open_page: this.page, cart_is_open } as T;
    }
    const found = [ROMA, HARBOUR, CLOSED].find((each) => each.restaurant_uuid === last);
    if (found === undefined) throw new Problem(404, "not_found", "There is nothing there.");
    return found as T;
  }

  override async post<T>(path: string, body: Body): Promise<T> {
    this.sent.push({ path, body: { ...body } });
    await this.gate;
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    return this.done(path, body) as T;
  }

  private done(path: string, body: Body): unknown {
    if (path === "/delivery/acts") return this.noted(body, String(body["what"]));
    if (path === "/delivery/cart/items") return this.added(body);
    if (path === "/delivery/cart/removals") return this.removed(body);
    return this.ordered(body);
  }

  private added(body: Body): Cart {
    if (body["restaurant_uuid"] === "closed") throw new Problem(409, "closed", "CLOSED is closed now; it opens at 17:00.");
    const number = Number(body["food_id"]);
    const found = MENU.find((each) => each.food_id === number);
    const line = this.lines.find((each) => each.food_id === number);
    if (this.noted(body, "food_added", true) !== undefined && found !== undefined) {
      const quantity = (line?.quantity ?? 0) + Number(body["quantity"]);
      const made = { food_id: number, name: found.name, price_cents: found.price_cents, quantity };
      this.lines = line === undefined ? [...this.lines, made] : this.lines.map((each) => (each === line ? made : each));
    }
    return this.cart;
  }

  private removed(body: Body): Cart {
    const left = (line: Line): number => line.quantity - Number(body["quantity"] ?? line.quantity);
    const changed = this.lines.map((line) => (line.food_id === body["food_id"] ? { ...line, quantity: left(line) } : line));
    this.lines = changed.filter((line) => line.quantity > 0);
    this.noted(body, "food_removed");
    return this.cart;
  }

  private ordered(body: Body): Order {
    const { cart } = this;
    if (cart.lines.length === 0) throw new Problem(409, "cart_empty", "The cart is empty, so there is nothing to order.");
    if (body["cart"] !== cart.version) throw new Problem(409, "cart_changed", "The cart is not the one that was shown any more.");
    const order: Order = {
      order_id: `ord_${this.orders.length}`,
      session_id: "s",
      restaurant_uuid: cart.restaurant_uuid ?? "",
      restaurant: cart.restaurant ?? "",
      lines: cart.lines,
      total_cents: cart.total_cents,
      placed_at: "2026-12-01T12:00:00Z",
      status: "placed",
    };
    this.orders.unshift(order);
    this.lines = [];
    return order;
  }

  /** Written down once; nothing where it was there already and only news count. */
  private noted(body: Body, what: string, onlyNew = false): Act | undefined {
    const known = this.acts.find((act) => act.act_id === body["act_id"]);
    if (known !== undefined) return onlyNew ? undefined : known;
    if (what === "page_closed" && this.page === null)
      throw new Problem(409, "no_page", "No restaurant's page is open, so there is none to close.");
    const { act_id, by } = body;
    const ids = Object.fromEntries(["restaurant_uuid", "food_id", "quantity"].flatMap((key) => (key in body ? [[key, body[key]]] : [])));
    const act = { seq: this.acts.length + 1, act_id: String(act_id), at: "2026-12-01T12:00:00Z", who: by, what, ids } as Act;
    this.acts.push(act);
    return act;
  }
}

export function opened(): { service: Service; shop: Shop } {
  const service = new Service();
  return { service, shop: makeShop("s", {}, service, async () => undefined) };
}
