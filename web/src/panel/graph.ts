/**
 * An order of tools as a drawing: each tool a box, in layers from top to bottom. Pure, and small: what an agent's tools need, no more.
 *
 * - A box is below all that come before it; edges that would go up again (facts may go round) take no part in the layering.
 * - An edge over several layers has a place in each of them, so that it goes round boxes and not through them.
 * - Within a layer, boxes are sorted by the middle of their neighbours above, then of those below.
 */

export interface Edge {
  source: string;
  target: string;
  relation: "order" | "fact" | "look";
  label: string;
}

export interface Node {
  name: string;
  notes: string[];
}

export interface Box extends Node {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Arrow extends Edge {
  path: string;
  at: { x: number; y: number };
}

export interface Drawing {
  width: number;
  height: number;
  boxes: Box[];
  arrows: Arrow[];
}

interface Place {
  name: string;
  layer: number;
  width: number;
  height: number;
  x: number;
  node: Node | undefined;
}

const GAP = { x: 18, y: 48 };
const MARGIN = 12;
const LETTER = { name: 7.9, note: 6.9 };
const LINE = 18;

/** The drawing of these nodes and of the edges between them. */
export function drawn(nodes: readonly Node[], edges: readonly Edge[]): Drawing {
  const between = joined(edges.filter((edge) => edge.source !== edge.target && nodes.some((node) => node.name === edge.source)));
  const down = between.filter((edge) => !goingUp(nodes, between).has(edge));
  const layers = layersOf(nodes, down);
  const places = new Map<string, Place>();
  for (const node of nodes) places.set(node.name, boxed(node, layers.get(node.name) ?? 0));
  const chains = new Map(down.map((edge) => [edge, chain(edge, places)]));
  const rows = rowsOf([...places.values()]);
  sorted(rows, [...chains.values()]);
  const width = Math.max(...rows.map(rowWidth), 0) + 2 * MARGIN;
  const tops = placed(rows, width);
  const boxes = [...places.values()].flatMap((place) =>
    place.node === undefined ? [] : [{ ...place.node, x: place.x, y: tops[place.layer] ?? 0, width: place.width, height: place.height }],
  );
  const arrows = between.map((edge) => arrow(edge, chains.get(edge) ?? [], boxes, places, tops));
  return { width, height: Math.max(...boxes.map((box) => box.y + box.height), 0) + MARGIN, boxes, arrows };
}

/** Two edges between the same tools are one, with both labels. */
function joined(edges: readonly Edge[]): Edge[] {
  const found = new Map<string, Edge>();
  for (const edge of edges) {
    const key = JSON.stringify([edge.source, edge.target]);
    const before = found.get(key);
    const labels = [before?.label ?? "", edge.label].filter((label) => label !== "");
    found.set(key, { ...edge, relation: before?.relation === "order" ? "order" : edge.relation, label: [...new Set(labels)].join(", ") });
  }
  return [...found.values()];
}

/** Edges that close a circle, in the order of the nodes. */
function goingUp(nodes: readonly Node[], edges: readonly Edge[]): Set<Edge> {
  const up = new Set<Edge>();
  const state = new Map<string, "open" | "done">();
  const visit = (name: string): void => {
    state.set(name, "open");
    for (const edge of edges.filter((each) => each.source === name)) {
      if (state.get(edge.target) === "open") up.add(edge);
      else if (!state.has(edge.target)) visit(edge.target);
    }
    state.set(name, "done");
  };
  for (const node of nodes) if (!state.has(node.name)) visit(node.name);
  return up;
}

function layersOf(nodes: readonly Node[], down: readonly Edge[]): Map<string, number> {
  const layers = new Map(nodes.map((node) => [node.name, 0]));
  for (let round = 0; round < nodes.length; round++) {
    for (const edge of down) layers.set(edge.target, Math.max(layers.get(edge.target) ?? 0, (layers.get(edge.source) ?? 0) + 1));
  }
  return layers;
}

function boxed(node: Node, layer: number): Place {
  const widest = Math.max(node.name.length * LETTER.name, ...node.notes.map((note) => note.length * LETTER.note));
  return { name: node.name, layer, width: widest + 18, height: LINE * (1 + node.notes.length) + 18, x: 0, node };
}

/** The places that an edge goes through, its ends included. */
function chain(edge: Edge, places: Map<string, Place>): Place[] {
  const [source, target] = [places.get(edge.source), places.get(edge.target)];
  if (source === undefined || target === undefined) return [];
  const through: Place[] = [];
  for (let layer = source.layer + 1; layer < target.layer; layer++) {
    const place = { name: `${edge.source}→${edge.target}@${layer}`, layer, width: 8, height: 0, x: 0, node: undefined };
    places.set(place.name, place);
    through.push(place);
  }
  return [source, ...through, target];
}

function rowsOf(places: readonly Place[]): Place[][] {
  const rows: Place[][] = [];
  for (const place of places) (rows[place.layer] ??= []).push(place);
  return rows.map((row) => row);
}

function rowWidth(row: readonly Place[]): number {
  return row.reduce((sum, place) => sum + place.width, 0) + GAP.x * (row.length - 1);
}

function sorted(rows: Place[][], chains: readonly Place[][]): void {
  const above = new Map<Place, Place[]>();
  const below = new Map<Place, Place[]>();
  for (const places of chains) {
    for (const [at, place] of places.entries()) {
      const next = places[at + 1];
      if (next === undefined) continue;
      above.set(next, [...(above.get(next) ?? []), place]);
      below.set(place, [...(below.get(place) ?? []), next]);
    }
  }
  for (let pass = 0; pass < 4; pass++) {
    const neighbours = pass % 2 === 0 ? above : below;
    for (const row of pass % 2 === 0 ? rows : [...rows].reverse()) {
      const where = new Map(rows.flatMap((each) => each.map((place, at) => [place, at / Math.max(each.length - 1, 1)] as const)));
      const middle = (place: Place) => {
        const found = (neighbours.get(place) ?? []).map((each) => where.get(each) ?? 0);
        return found.length === 0 ? (where.get(place) ?? 0) : found.reduce((sum, each) => sum + each, 0) / found.length;
      };
      const middles = new Map(row.map((place) => [place, middle(place)]));
      row.sort((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0));
    }
  }
}

/** Give every place its x, and every layer its y. */
function placed(rows: readonly Place[][], width: number): number[] {
  const tops: number[] = [];
  let top = MARGIN;
  for (const [layer, row] of rows.entries()) {
    let x = (width - rowWidth(row)) / 2;
    for (const place of row) {
      place.x = x;
      x += place.width + GAP.x;
    }
    tops[layer] = top;
    top += Math.max(...row.map((place) => place.height)) + GAP.y;
  }
  return tops;
}

function arrow(
  edge: Edge,
  places: readonly Place[],
  boxes: readonly Box[],
  all: ReadonlyMap<string, Place>,
  tops: readonly number[],
): Arrow {
  const source = boxes.find((box) => box.name === edge.source);
  const target = boxes.find((box) => box.name === edge.target);
  if (source === undefined || target === undefined) return { ...edge, path: "", at: { x: 0, y: 0 } };
  if (places.length === 0) return round(edge, source, target);
  const through = places.slice(1, -1).map((place) => ({ x: (all.get(place.name)?.x ?? 0) + place.width / 2, y: tops[place.layer] ?? 0 }));
  const points = [middleOf(source, source.height), ...through, middleOf(target, 0)];
  return { ...edge, path: curve(points), at: halfway(points) };
}

/** An edge that goes up again leaves and comes in at the side. */
function round(edge: Edge, source: Box, target: Box): Arrow {
  const [from, to] = [sideOf(source), sideOf(target)];
  const out = Math.max(from.x, to.x) + GAP.x;
  return {
    ...edge,
    path: `M ${from.x} ${from.y} C ${out} ${from.y} ${out} ${to.y} ${to.x} ${to.y}`,
    at: { x: out - 8, y: (from.y + to.y) / 2 },
  };
}

interface Point {
  x: number;
  y: number;
}

function middleOf(box: Box, down: number): Point {
  return { x: box.x + box.width / 2, y: box.y + down };
}

function sideOf(box: Box): Point {
  return { x: box.x + box.width, y: box.y + box.height / 2 };
}

function halfway(points: readonly Point[]): Point {
  const [from, to] = [points.at(-2), points.at(-1)];
  return from === undefined || to === undefined ? { x: 0, y: 0 } : { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

function curve(points: readonly Point[]): string {
  let path = "";
  for (const [at, to] of points.entries()) {
    const from = points[at - 1];
    if (from === undefined) path = `M ${to.x} ${to.y}`;
    else path += ` C ${from.x} ${(from.y + to.y) / 2} ${to.x} ${(from.y + to.y) / 2} ${to.x} ${to.y}`;
  }
  return path;
}
