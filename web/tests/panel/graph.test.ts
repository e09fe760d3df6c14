import { describe, expect, it } from "vitest";
import { drawn, type Edge } from "../../src/panel/graph.ts";

const node = (name: string, ...notes: string[]) => ({ name, notes });
const edge = (source: string, target: string, label = "", relation: Edge["relation"] = "order"): Edge => ({
  source,
  target,
  relation,
  label,
});

describe("the drawing of an order", () => {
  it("puts every tool below all that come before it", () => {
    const { boxes } = drawn(
      [node("plan"), node("search"), node("drive"), node("brief")],
      [edge("brief", "search"), edge("search", "drive"), edge("drive", "plan"), edge("search", "plan")],
    );
    const y = Object.fromEntries(boxes.map((box) => [box.name, box.y]));
    expect([y["brief"], y["search"], y["drive"], y["plan"]]).toEqual([...boxes.map((box) => box.y)].sort((a, b) => a - b));
    expect(new Set(Object.values(y)).size).toBe(4);
  });

  it("lets no boxes overlap and leaves none outside", () => {
    const names = ["a", "bb", "a_tool_with_a_long_name", "d", "e", "f"];
    const edges = names.slice(1).map((name, at) => edge(at % 2 ? "a" : "bb", name));
    const { boxes, width, height } = drawn(
      names.map((name) => node(name, "at most 4")),
      edges,
    );
    expect(boxes).toHaveLength(names.length);
    for (const [at, one] of boxes.entries()) {
      expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(true);
      for (const other of boxes.slice(at + 1)) {
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(apart, `${one.name} and ${other.name}`).toBe(true);
      }
    }
  });

  it("leads an edge over a layer through a place of its own there", () => {
    const { arrows } = drawn([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c"), edge("a", "c")]);
    const long = arrows.find((arrow) => arrow.source === "a" && arrow.target === "c");
    expect(long?.path.match(/C/g)).toHaveLength(2);
  });

  it("draws a circle of facts without going round for ever", () => {
    const { boxes, arrows } = drawn(
      [node("a"), node("b")],
      [edge("a", "b", "x", "fact"), edge("b", "a", "y", "fact"), edge("a", "a", "z", "fact")],
    );
    expect(boxes).toHaveLength(2);
    expect(arrows.map((arrow) => arrow.label)).toEqual(["x", "y"]);
    expect(arrows.every((arrow) => arrow.path !== "")).toBe(true);
  });

  it("makes one arrow of two between the same tools, with both labels", () => {
    const { arrows } = drawn([node("a"), node("b")], [edge("a", "b", "flight", "fact"), edge("a", "b", "hotel", "fact"), edge("a", "b")]);
    expect(arrows).toMatchObject([{ label: "flight, hotel", relation: "order" }]);
  });

  it("draws nothing of nothing, and one tool alone", () => {
    expect(drawn([], []).boxes).toEqual([]);
    expect(drawn([node("only")], []).boxes).toMatchObject([{ name: "only" }]);
  });
});
