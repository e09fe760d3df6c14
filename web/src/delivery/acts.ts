/**
 * What can be done in the shop: one function for each act, for the buttons and for the agent alike.
 *
 * - Every act has an id of its own and goes to the server, which writes it down once; told again it has no effect. So what does not arrive
 *   is told again, and what a call of the agent's leads to has that call's id.
 * - Acts happen one after the other, in the order in which they were begun.
 * - What cannot be done now throws `CannotNow`, in the server's words where it was the server that said so.
 */

import { type Http, Problem } from "../runtime/http.ts";
import { CannotNow } from "../runtime/registry.ts";
import { pathOf } from "./looking.ts";
import { newId } from "../runtime/sessions.ts";
import { type Drawer, EMPTY, type Seen, type State } from "./store.ts";
import type { Act, Acts as ActsSaid, By, Cart, Order, Restaurant } from "./types.ts";

/** Who acts, and the act's id. */
export interface Actor {
  by: By;
  act_id: string;
}

export const byUser = (): Actor => ({ by: "user", act_id: newId() });
export const byAgent = (call: { job_id: string; call_id: string }): Actor => ({ by: "agent", act_id: `${call.job_id}/${call.call_id}` });

/** Switches listening on or off; throws `CannotNow` where it cannot be. */
export type Hear = (on: boolean) => Promise<void>;

export type Pause = (milliseconds: number) => Promise<void>;
export const slept: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const TRIES = 4;
const PAUSE = 1_000;
const MOST_ACTS = 50;
const PLACING = "An order is being placed at this moment; wait for it.";
const NO_VOICE = "There is no voice on this page now; typing works.";

export class Acts {
  /** What switches listening on and off, while there is a voice on the page. */
  hear: Hear | undefined;
  private before: Promise<unknown> = Promise.resolve();
  private looks = 0;

  constructor(
    private readonly http: Http,
    readonly state: State,
    readonly seen: Seen,
    readonly session: string,
    private readonly changed: () => void = () => undefined,
    private readonly pause: Pause = slept,
  ) {}

  async openRestaurantPage(uuid: string, actor: Actor): Promise<Restaurant> {
    return this.inTurn(async () => {
      const page = await this.asked(() => this.http.get<Restaurant>(`/delivery/restaurants/${encodeURIComponent(uuid)}`));
      await this.told(actor, { what: "page_opened", restaurant_uuid: uuid });
      this.show(page, actor.by);
      return page;
    });
  }

  async closeRestaurantPage(actor: Actor): Promise<void> {
    return this.inTurn(async () => {
      await this.told(actor, { what: "page_closed" });
      this.state.page = undefined;
    });
  }

  /** The last acts; reading them changes nothing. */
  async getUserActions(last: number): Promise<Act[]> {
    return (await this.asked(() => this.http.get<ActsSaid>(`/delivery/acts?${this.mine()}&last=${last}`))).acts;
  }

  async addFoodToCart(uuid: string, food_id: number, quantity: number, actor: Actor): Promise<Cart> {
    return this.inTurn(() => this.inCart("items", { ...actor, restaurant_uuid: uuid, food_id, quantity }));
  }

  /** Without a quantity all of it is removed. */
  async removeFoodFromCart(uuid: string, food_id: number, quantity: number | undefined, actor: Actor): Promise<Cart> {
    const some = quantity === undefined ? {} : { quantity };
    return this.inTurn(() => this.inCart("removals", { ...actor, restaurant_uuid: uuid, food_id, ...some }));
  }

  async openShoppingCart(actor: Actor): Promise<Cart> {
    return this.inTurn(async () => {
      await this.told(actor, { what: "cart_opened" });
      this.state.openedBy = actor.by;
      this.state.drawer = "cart";
      await this.readCart();
      return this.state.cart;
    });
  }

  async closeShoppingCart(actor: Actor): Promise<void> {
    return this.inTurn(async () => {
      if (this.state.drawer === "cart") this.state.drawer = undefined;
      await this.told(actor, { what: "cart_closed" });
    });
  }

  /** Order the cart of that version; the same order twice is one. */
  async placeOrder(version: string, actor: Actor): Promise<Order> {
    if (this.state.placing) throw new CannotNow(PLACING);
    this.state.placing = true;
    try {
      return await this.inTurn(async () => {
        const body = { ...this.as(actor), idempotency: actor.act_id, cart: version };
        const order = await this.asked(() => this.http.post<Order>("/delivery/orders", body));
        this.state.cart = EMPTY;
        this.state.placed = order;
        this.state.openedBy = actor.by;
        this.state.drawer = "orders";
        await this.readOrders();
        return order;
      });
    } finally {
      this.state.placing = false;
    }
  }

  async activateHandsfree(on: boolean, actor: Actor): Promise<void> {
    if (this.hear === undefined) throw new CannotNow(NO_VOICE);
    await this.hear(on);
    this.state.handsfree = on;
    await this.inTurn(() => this.told(actor, { what: on ? "handsfree_on" : "handsfree_off" }));
  }

  /** A drawer that is no act of its own: the orders, the trail, or none of them. */
  openDrawer(drawer: Exclude<Drawer, "cart"> | undefined): void {
    this.state.openedBy = "user";
    this.state.drawer = drawer;
    this.state.placed = undefined;
  }

  /** Look for restaurants as the state asks for them; only the answer to the last question counts. */
  async look(): Promise<void> {
    const mine = ++this.looks;
    this.state.looking = true;
    try {
      const found = await this.http.get<{ restaurants: Restaurant[] }>(pathOf(this.state.asked));
      if (mine !== this.looks) return;
      this.seen.see(found.restaurants);
      this.state.restaurants = found.restaurants;
    } finally {
      if (mine === this.looks) this.state.looking = false;
    }
  }

  /** Show what stands on the server, and the cart's drawer as it was left: the page was opened, perhaps not for the first time. */
  async open(): Promise<void> {
    const { cart_is_open } = await this.read();
    if (!cart_is_open || this.state.drawer !== undefined) return;
    this.state.openedBy = "agent";
    this.state.drawer = "cart";
  }

  /** Show what stands on the server: another tab has acted. */
  async read(): Promise<ActsSaid> {
    const acts = await this.http.get<ActsSaid>(`/delivery/acts?${this.mine()}&last=${MOST_ACTS}`);
    await Promise.all([this.readCart(), this.readPage(acts.open_page)]);
    this.state.acts = acts.acts;
    return acts;
  }

  async readTrail(): Promise<void> {
    this.state.acts = await this.getUserActions(MOST_ACTS);
  }

  async readOrders(): Promise<void> {
    this.state.orders = (await this.http.get<{ orders: Order[] }>("/delivery/orders")).orders;
  }

  private async readCart(): Promise<void> {
    this.have(await this.http.get<Cart>(`/delivery/cart?${this.mine()}`));
  }

  private async readPage(uuid: string | null): Promise<void> {
    if (uuid === (this.state.page?.restaurant_uuid ?? null)) return;
    if (uuid === null) this.state.page = undefined;
    else this.show(await this.http.get<Restaurant>(`/delivery/restaurants/${encodeURIComponent(uuid)}`), "agent");
  }

  private async inCart(where: "items" | "removals", body: Actor & Record<string, unknown>): Promise<Cart> {
    const cart = await this.asked(() => this.http.post<Cart>(`/delivery/cart/${where}`, { ...body, session_id: this.session }));
    this.have(cart);
    return cart;
  }

  private have(cart: Cart): void {
    this.seen.seeLines(cart.lines);
    this.state.cart = cart;
  }

  private show(page: Restaurant, by: By): void {
    this.seen.see([page]);
    this.state.openedBy = by;
    this.state.page = page;
  }

  private async told(actor: Actor, what: { what: string; restaurant_uuid?: string }): Promise<void> {
    await this.asked(() => this.http.post<Act>("/delivery/acts", { ...this.as(actor), ...what }));
  }

  /** One act after the other; whoever comes later does not wait for a failure's sake. */
  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.before.then(act);
    this.before = mine.then(this.changed, () => undefined);
    return mine;
  }

  /** Ask until an answer has come: the same act again has no effect. */
  private async asked<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Problem) || error.status === 401) throw error;
        const passing = error.status === 0 || error.status >= 500 || error.status === 429;
        if (!passing || tries >= TRIES) throw new CannotNow(error.message);
      }
      await this.pause(PAUSE);
    }
  }

  private as(actor: Actor): Actor & { session_id: string } {
    return { ...actor, session_id: this.session };
  }

  private mine(): string {
    return `session_id=${encodeURIComponent(this.session)}`;
  }
}
