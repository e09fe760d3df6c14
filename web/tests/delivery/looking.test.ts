import { describe, expect, it } from "vitest";
import { cuisinesOf, NOTHING_ASKED, pathOf, sorted } from "../../src/delivery/looking.ts";
import { sessionId } from "../../src/delivery/session.ts";
import { money, orderIn, readOut } from "../../src/delivery/words.ts";
import { restaurant } from "./kit.ts";

describe("looking for restaurants", () => {
  it("asks for what is wished, and for nothing else", () => {
    expect(pathOf(NOTHING_ASKED)).toBe("/delivery/restaurants");
    expect(pathOf({ ...NOTHING_ASKED, text: " a&b ", diets: ["vegan", "gluten-free"], most_cents: 800, open_now: true })).toBe(
      "/delivery/restaurants?text=a%26b&diet=vegan&diet=gluten-free&most_cents=800&open_now=true",
    );
  });

  it("sorts without touching what was found", () => {
    const found = [restaurant("a", { rating: 3, price_level: 3 }), restaurant("b", { rating: 5, price_level: 1, cuisine: "thai" })];
    const names = (order: "best" | "rating" | "price", cuisine = "") =>
      sorted(found, { ...NOTHING_ASKED, order, cuisine }).map((each) => each.restaurant_uuid);
    expect([names("best"), names("rating"), names("price"), names("best", "thai")]).toEqual([["a", "b"], ["b", "a"], ["b", "a"], ["b"]]);
    expect(found.map((each) => each.restaurant_uuid)).toEqual(["a", "b"]);
    expect(cuisinesOf(found)).toEqual(["italian", "thai"]);
  });
});

describe("the session", () => {
  const storage = () => {
    const kept = new Map<string, string>();
    return { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  };

  it("is one for a browser, and the one in the address where there is one", () => {
    const kept = storage();
    const made = sessionId("", kept);
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect([sessionId("", kept), sessionId("?session=other", kept), sessionId("?session=no/path", kept)]).toEqual([made, "other", made]);
    expect(sessionId("", storage())).not.toBe(made);
  });
});

describe("words", () => {
  it("says amounts with two places", () => {
    expect([0, 5, 1250, 100].map(money)).toEqual(["0.00", "0.05", "12.50", "1.00"]);
  });

  it("reads an order out, and takes nothing else for one", () => {
    const lines = [{ food_id: 1, name: "Pho", quantity: 2, price_cents: 900, sum_cents: 1800 }];
    const order = orderIn({
      question: "Place this order?",
      restaurant: "Saigon Stand",
      lines,
      total_cents: 1800,
      total: "18.00",
      cart: "v",
    });
    expect(order && readOut(order)).toBe("2 Pho from Saigon Stand, 18.00 in all. Place this order?");
    expect([orderIn("text"), orderIn(null), orderIn({ lines: 3 })]).toEqual([undefined, undefined, undefined]);
  });
});
