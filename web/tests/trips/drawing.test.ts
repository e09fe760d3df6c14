import { describe, expect, it } from "vitest";
import { heightsOf, linesFor } from "../../src/trips/altitude.ts";
import { placed } from "../../src/trips/labels.ts";
import { outlineOf, outlines, pathsOn } from "../../src/trips/outlines.ts";
import { boundsOf, fitted, graticule, meet, scaleBar } from "../../src/trips/projection.ts";
import { journeyOf, WHOLE } from "./events.ts";

const CHENGDU = { longitude: 104.07, latitude: 30.66 };
const LITANG = { longitude: 100.27, latitude: 30 };

describe("the projection", () => {
  it("fits all places into the frame, north up and east to the right, with one scale for both axes", () => {
    const map = fitted([CHENGDU, LITANG], 700, 400, 50);
    const [east, west] = [map.at(CHENGDU), map.at(LITANG)];
    expect(east.x).toBeCloseTo(650, 0);
    expect(west.x).toBeCloseTo(50, 0);
    expect(east.y).toBeLessThan(west.y);
    const km = Math.hypot(east.x - west.x, east.y - west.y) * map.kmPerPixel;
    expect(km).toBeGreaterThan(365); // great circle: 372 km
    expect(km).toBeLessThan(379);
  });

  it("shows some land round a single place, and round the equator and the far north", () => {
    const map = fitted([CHENGDU], 300, 300, 50, 20);
    expect(map.at(CHENGDU)).toEqual({ x: 150, y: 150 });
    expect(200 * map.kmPerPixel).toBeCloseTo(20, 0);
    for (const latitude of [0, 89.9]) expect(Number.isFinite(fitted([{ longitude: 0, latitude }], 300, 300, 50).kmPerPixel)).toBe(true);
  });

  it("says what it shows, and rules lines across it", () => {
    const map = fitted([CHENGDU, LITANG], 700, 400, 50);
    expect(meet(map.bounds, boundsOf([CHENGDU]))).toBe(true);
    expect(meet(map.bounds, boundsOf([{ longitude: 0, latitude: 50 }]))).toBe(false);
    const lines = graticule(map, 8);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.length).toBeLessThanOrEqual(18);
  });

  it("has a scale bar with a round number", () => {
    expect(scaleBar(1, 110)).toEqual({ km: 100, pixels: 100 });
    expect(scaleBar(0.3, 110)).toMatchObject({ km: 20 });
    expect(scaleBar(0.01, 110)).toMatchObject({ km: 1 });
  });
});

describe("names on the map", () => {
  it("cover neither each other nor other marks, and stay inside", () => {
    const labels = placed(
      [
        { x: 100, y: 100, text: "Kangding", reach: 11 },
        { x: 150, y: 100, text: "Luding", reach: 11 },
        { x: 395, y: 100, text: "Chengdu", reach: 6 },
      ],
      400,
      200,
    );
    expect(labels.map((label) => [label.text, label.anchor])).toEqual([
      ["Kangding", "end"],
      ["Luding", "start"],
      ["Chengdu", "end"],
    ]);
  });

  it("are left out where there is no room", () => {
    expect(placed([{ x: 20, y: 20, text: "A long name that fits nowhere", reach: 6 }], 60, 40)).toEqual([]);
  });
});

describe("outlines", () => {
  const square = outlineOf([
    [
      [100, 29],
      [105, 29],
      [105, 32],
      [100, 32],
      [100, 29],
    ],
  ]);
  const seen = { west: 0, east: 1, south: 0, north: 1 };
  const world = {
    type: "Topology",
    arcs: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
    objects: { countries: { type: "GeometryCollection", geometries: [{ type: "Polygon", arcs: [[0]] }] } },
  };

  it("draw what may be seen, and nothing else", () => {
    const map = fitted([CHENGDU, LITANG], 700, 400, 50);
    expect(pathsOn(map, [square])[0]).toMatch(/^M-?[\d.]+,-?[\d.]+(L-?[\d.]+,-?[\d.]+)+Z$/);
    expect(pathsOn(map, [outlineOf([[[0, 0]]])])).toEqual([]);
  });

  it("are asked for again where they could not be had, once loaded are kept, and are finer from near", async () => {
    const asked: string[] = [];
    const fetcher = (answer: () => Response) => async (path: RequestInfo | URL) => {
      asked.push(String(path));
      return answer();
    };
    const fails = fetcher(() => new Response("", { status: 503 }));
    const works = fetcher(() => Response.json(world));
    expect(await outlines(seen, fails)).toEqual([]);
    expect(await outlines(seen, works)).toHaveLength(1);
    expect(await outlines(seen, fails)).toHaveLength(1);
    expect(await outlines({ ...seen, east: 9 }, works)).toHaveLength(1);
    expect(asked.map((path) => path.match(/countries-\d+m/)?.[0])).toEqual(["countries-10m", "countries-10m", "countries-50m"]);
  });
});

describe("the altitude profile", () => {
  it("goes by hours of driving, and marks the nights", () => {
    const trip = journeyOf(WHOLE).trip;
    if (trip === undefined) throw new Error("there is a draft");
    expect(heightsOf(trip)).toEqual([
      { place: "a", metres: 500, hours: 0, night: undefined },
      { place: "b", metres: 3_000, hours: 200 / 60, night: 1 },
      { place: "c", metres: 1, hours: 200 / 60, night: undefined },
      { place: "b", metres: 3_000, hours: 200 / 60, night: undefined },
      { place: "a", metres: 500, hours: 290 / 60, night: undefined },
    ]);
  });

  it("leaves out what nobody knows, and has a few round lines", () => {
    const trip = journeyOf(WHOLE).trip;
    if (trip === undefined) throw new Error("there is a draft");
    const places = Object.fromEntries(Object.entries(trip.places).map(([id, stop]) => [id, { ...stop, altitude_m: null }]));
    expect(heightsOf({ ...trip, places })).toEqual([]);
    expect(linesFor(3_730)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    expect(linesFor(40)).toEqual([0, 100]);
  });
});
