import { describe, expect, it } from "vitest";
import { actionsOf } from "../../src/delivery/actions.ts";
import { byUser } from "../../src/delivery/acts.ts";
import { makeShop } from "../../src/delivery/shop.ts";
import { Http, Problem } from "../../src/runtime/http.ts";
import { Registry } from "../../src/runtime/registry.ts";
import type { ClientCall } from "../../src/runtime/types.ts";
import { opened } from "./kit.ts";

const call = (tool: string, args: Record<string, unknown> = {}, call_id = "t1c1"): ClientCall => ({
  job_id: "job_1",
  call_id,
  tool,
  arguments: args,
  deadline: "",
});
const MARGHERITA = { restaurant_uuid: "roma", food_id: 301, quantity: 2 };

function agent() {
  const { service, shop } = opened();
  return { service, shop, registry: new Registry(actionsOf(shop.acts, service)) };
}

describe("acts, by buttons and by the agent", () => {
  it("adding twice adds up", async () => {
    const { shop } = opened();
    await shop.acts.addFoodToCart("roma", 301, 1, byUser());
    await shop.acts.addFoodToCart("roma", 301, 2, byUser());
    expect(shop.state.cart.lines).toMatchObject([{ food_id: 301, quantity: 3 }]);
  });

  it("a page that is opened again shows the cart's drawer as it was left, and nothing over what was opened meanwhile", async () => {
    const { shop, service } = opened();
    await shop.acts.open();
    expect(shop.state.drawer).toBeUndefined();
    await shop.acts.openShoppingCart(byUser());
    const again = makeShop("s", {}, service);
    await again.acts.open();
    expect([again.state.drawer, again.state.openedBy]).toEqual(["cart", "agent"]);
    const busy = makeShop("s", {}, service);
    busy.acts.openDrawer("orders");
    await busy.acts.open();
    expect(busy.state.drawer).toBe("orders");
    await again.acts.closeShoppingCart(byUser());
    const closed = makeShop("s", {}, service);
    await closed.acts.open();
    expect(closed.state.drawer).toBeUndefined();
  });

  it("a call that is made again has no further effect: its id is the act's", async () => {
    const { shop, service, registry } = agent();
    await registry.act(call("add_food_to_cart", MARGHERITA));
    await registry.act(call("add_food_to_cart", MARGHERITA));
    expect(shop.state.cart.lines).toMatchObject([{ quantity: 2 }]);
    expect(service.acts).toMatchObject([{ act_id: "job_1/t1c1", who: "agent", what: "food_added" }]);
  });

  it("what does not arrive is told again under the same id", async () => {
    const { shop, service } = opened();
    service.failures = [new Problem(0, "unreachable", "no"), new Problem(503, "stopping", "no")];
    await shop.acts.addFoodToCart("roma", 301, 1, byUser());
    expect(new Set(service.sent.map((each) => each.body["act_id"])).size).toBe(1);
    expect(service.sent).toHaveLength(3);
  });

  it("a service that stays away is told in words", async () => {
    const { service, registry } = agent();
    service.failures = Array.from({ length: 4 }, () => new Problem(0, "unreachable", "The service cannot be reached."));
    expect(await registry.act(call("open_shopping_cart"))).toMatchObject({ error: "The service cannot be reached." });
  });

  it("closing a page when none is open is a clean error", async () => {
    const { registry } = agent();
    const result = await registry.act(call("close_restaurant_page"));
    expect(result).toMatchObject({ error: "No restaurant's page is open, so there is none to close." });
  });

  it("adding from a restaurant that is closed says why, and its page need not be open for one that is not", async () => {
    const { shop, registry } = agent();
    const closed = await registry.act(call("add_food_to_cart", { restaurant_uuid: "closed", food_id: 501, quantity: 1 }));
    expect(closed).toMatchObject({ error: "CLOSED is closed now; it opens at 17:00." });
    expect(shop.state.page).toBeUndefined();
    expect(await registry.act(call("add_food_to_cart", MARGHERITA, "t1c2"))).toMatchObject({ content: { total_cents: 2000 } });
  });

  it("opening and closing a page shows it, and the trail has both", async () => {
    const { shop, service, registry } = agent();
    await registry.act(call("open_restaurant_page", { restaurant_uuid: "roma" }));
    expect(shop.state.page?.name).toBe("ROMA");
    await shop.acts.closeRestaurantPage(byUser());
    expect(shop.state.page).toBeUndefined();
    expect(service.acts.map((act) => [act.who, act.what])).toEqual([
      ["agent", "page_opened"],
      ["user", "page_closed"],
    ]);
  });

  it("reading the trail does not delete it", async () => {
    const { registry } = agent();
    await registry.act(call("open_shopping_cart"));
    const first = await registry.act(call("get_user_actions", { last: 10 }, "t2c1"));
    const second = await registry.act(call("get_user_actions", { last: 10 }, "t2c1"));
    expect(first).toMatchObject({ content: { acts: [{ what: "cart_opened" }] } });
    expect(second).toEqual(first);
  });

  it("acts happen in the order in which they were begun", async () => {
    const { shop, service } = opened();
    let go = (): void => undefined;
    service.gate = new Promise((resolve) => (go = resolve));
    const all = [301, 302, 301].map((number) => shop.acts.addFoodToCart("roma", number, 1, byUser()));
    go();
    await Promise.all(all);
    expect(service.sent.map((each) => each.body["food_id"])).toEqual([301, 302, 301]);
    expect(shop.state.cart.total_cents).toBe(3000);
  });

  it("an order of an empty cart, and one beside another, do nothing", async () => {
    const { shop, service } = opened();
    await expect(shop.acts.placeOrder("empty", byUser())).rejects.toThrow("empty");
    await shop.acts.addFoodToCart("roma", 301, 1, byUser());
    const { version } = shop.state.cart;
    const first = shop.acts.placeOrder(version, byUser());
    await expect(shop.acts.placeOrder(version, byUser())).rejects.toThrow("at this moment");
    await first;
    expect(service.orders).toHaveLength(1);
  });

  it("the agent orders nothing that nobody said yes to", async () => {
    const { shop, service } = opened();
    const asked = new (class extends Http {
      override async get<T>(): Promise<T> {
        return { approvals: [] } as T;
      }
    })();
    const registry = new Registry(actionsOf(shop.acts, asked));
    expect(await registry.act(call("place_order"))).toMatchObject({ error: expect.stringContaining("Nobody has said yes") });
    expect(service.sent).toEqual([]);
  });

  it("hands-free where there is no voice says so", async () => {
    const { registry, shop } = agent();
    expect(await registry.act(call("activate_handsfree", { on: true }))).toMatchObject({ error: expect.stringContaining("no voice") });
    shop.acts.hear = async () => undefined;
    await registry.act(call("activate_handsfree", { on: true }, "t1c2"));
    expect(shop.state.handsfree).toBe(true);
  });
});
