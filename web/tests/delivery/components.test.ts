import { mount, type VueWrapper } from "@vue/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { nextTick } from "vue";
import CartDrawer from "../../src/delivery/CartDrawer.vue";
import Conversation from "../../src/delivery/Conversation.vue";
import DishRow from "../../src/delivery/DishRow.vue";
import { byUser } from "../../src/delivery/acts.ts";
import { SHOP, type Shop } from "../../src/delivery/shop.ts";
import TrailDrawer from "../../src/delivery/TrailDrawer.vue";
import { dish, opened } from "./kit.ts";

const shown: VueWrapper[] = [];

function shows(component: object, shop: Shop, props: Record<string, unknown> = {}): VueWrapper {
  const made = mount(component, { props, attachTo: document.body, global: { provide: { [SHOP as symbol]: shop } } });
  shown.push(made);
  return made;
}

/** Everything that was clicked has come to its end. */
async function settled(shop: Shop): Promise<void> {
  await shop.acts.getUserActions(1);
  for (let turn = 0; turn < 20; turn++) await nextTick();
}

afterEach(() => {
  for (const each of shown.splice(0)) each.unmount();
});

describe("the cart", () => {
  it("removing one of two lines removes the right one, even where both have one name", async () => {
    const { service, shop } = opened();
    await shop.acts.addFoodToCart("roma", 301, 1, byUser());
    await shop.acts.addFoodToCart("harbour", 401, 2, byUser());
    const cart = shows(CartDrawer, shop);
    expect(cart.findAll("ul li")).toHaveLength(2);
    await cart.findAll("button.remove")[1]?.trigger("click");
    await settled(shop);
    expect(service.lines).toMatchObject([{ food_id: 301, quantity: 1 }]);
    expect(cart.findAll("ul li")).toHaveLength(1);
  });

  it("an empty one cannot be ordered", async () => {
    const { service, shop } = opened();
    const cart = shows(CartDrawer, shop);
    const button = cart.get<HTMLButtonElement>(".foot button");
    expect(button.element.disabled).toBe(true);
    await button.trigger("click");
    await settled(shop);
    expect(service.sent).toEqual([]);
  });

  it("is ordered once, however often one clicks while the spinner turns", async () => {
    const { service, shop } = opened();
    await shop.acts.addFoodToCart("roma", 301, 1, byUser());
    const cart = shows(CartDrawer, shop);
    let go = (): void => undefined;
    service.gate = new Promise((resolve) => (go = resolve));
    const button = cart.get<HTMLButtonElement>(".foot button");
    for (let clicks = 0; clicks < 3; clicks++) button.element.click();
    await nextTick();
    expect(button.element.disabled).toBe(true);
    button.element.click();
    go();
    await settled(shop);
    expect(service.orders).toHaveLength(1);
    expect(shop.state).toMatchObject({ drawer: "orders", placing: false, problem: undefined });
  });
});

describe("a menu", () => {
  it("shares no quantity with the cart, nor one dish with another", async () => {
    const { shop } = opened();
    const row = shows(DishRow, shop, { dish: dish(301, "Margherita"), open: true });
    const other = shows(DishRow, shop, { dish: dish(302, "Tiramisu"), open: true });
    const more = row.get("button[aria-label='One Margherita more']");
    await more.trigger("click");
    await more.trigger("click");
    expect([row.get("output").text(), other.get("output").text(), shop.state.cart.lines.length]).toEqual(["3", "1", 0]);
    await row.get("button.primary").trigger("click");
    await settled(shop);
    await more.trigger("click");
    expect([row.get("output").text(), shop.state.cart.lines[0]?.quantity]).toEqual(["2", 3]);
  });

  it("dishes of one name in two restaurants stay two", async () => {
    const { service, shop } = opened();
    const roma = shows(DishRow, shop, { dish: dish(301, "Margherita"), open: true });
    const harbour = shows(DishRow, shop, { dish: dish(401, "Margherita", "harbour"), open: true });
    await roma.get("button.primary").trigger("click");
    await harbour.get("button.primary").trigger("click");
    await settled(shop);
    expect(service.lines.map((line) => [line.food_id, line.quantity])).toEqual([
      [301, 1],
      [401, 1],
    ]);
  });

  it("of a closed restaurant adds nothing", () => {
    const { shop } = opened();
    const row = shows(DishRow, shop, { dish: dish(501, "Dal", "closed"), open: false });
    expect(row.get<HTMLButtonElement>("button.primary").element.disabled).toBe(true);
  });
});

describe("drawers", () => {
  it("take the focus for the person who opened them, and give it back", async () => {
    const { shop } = opened();
    const button = document.body.appendChild(document.createElement("button"));
    button.focus();
    await shop.acts.openShoppingCart(byUser());
    const cart = shows(CartDrawer, shop);
    expect(document.activeElement?.textContent).toBe("Your cart");
    cart.unmount();
    expect(document.activeElement).toBe(button);
    button.remove();
  });

  it("leave the focus where it is when the agent opened them", async () => {
    const { shop } = opened();
    await shop.acts.openShoppingCart({ by: "agent", act_id: "job_1/t1c1" });
    shows(CartDrawer, shop);
    expect(document.activeElement).toBe(document.body);
  });

  it("the trail says who did what", async () => {
    const { shop } = opened();
    await shop.acts.addFoodToCart("roma", 301, 2, byUser());
    await shop.acts.openRestaurantPage("roma", { by: "agent", act_id: "job_1/t1c1" });
    const trail = shows(TrailDrawer, shop);
    await settled(shop);
    const words = trail.findAll("li").map((line) => line.text().replace(/\s+/g, " "));
    expect(words[0]).toMatch(/^Agent ?Opened the page of ROMA/);
    expect(words[1]).toMatch(/^You ?Added 2 × Margherita/);
  });
});

describe("the conversation", () => {
  const EVIL = '<img src=x onerror="alert(1)"><script>alert(1)</script> [a](javascript:alert(1))';

  it("case 70: nothing that is said or shown is ever inserted as HTML", async () => {
    const { shop } = opened();
    for (const who of ["you", "agent", "did", "failed"] as const) shop.talk.state.said.push({ key: who, who, text: EVIL });
    shop.talk.state.approval = {
      approval_id: "apr_1",
      job_id: "job_1",
      session_id: "s",
      tool: "place_order",
      arguments: "{}",
      show: { question: EVIL, restaurant: EVIL, lines: [{ food_id: 1, name: EVIL, quantity: 1, price_cents: 1 }], total: EVIL, cart: "x" },
      digest: "d",
      status: "pending",
      decided_by: null,
      comment: null,
      expires_at: null,
    };
    const talk = shows(Conversation, shop);
    await import("../../src/runtime/markdown.ts");
    await settled(shop);
    expect(talk.findAll("img, script, a")).toEqual([]);
    expect(talk.text()).toContain("<img src=x");
  });
});
