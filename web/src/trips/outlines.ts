/**
 * Outlines of countries (Natural Earth by way of world-atlas), loaded when there is a map to draw.
 *
 * Only what may be seen is drawn. Without them the map still shows its places and drives.
 * Islands need the fine ones, which are five times as much to load: nobody else gets them.
 */

import type { MultiPolygon, Polygon } from "geojson";
import type { GeometryCollection, Topology } from "topojson-specification";
import fine from "world-atlas/countries-10m.json?url";
import coarse from "world-atlas/countries-50m.json?url";
import { type Bounds, boundsOf, meet, type Projection } from "./projection.ts";

type Position = readonly number[];

/** One polygon with its holes, and the box round it. */
export interface Outline {
  rings: readonly (readonly Position[])[];
  bounds: Bounds;
}

const NEAR_DEGREES = 2.5;
const loading = new Map<string, Promise<readonly Outline[]>>();

/** All outlines, as fine as what is seen needs; none where they cannot be had, and then they are asked for again the next time. */
export function outlines(seen: Bounds, fetcher: typeof fetch = (...request) => fetch(...request)): Promise<readonly Outline[]> {
  const source = Math.max(seen.north - seen.south, seen.east - seen.west) < NEAR_DEGREES ? fine : coarse;
  const begun = loading.get(source) ?? loaded(source, fetcher);
  loading.set(source, begun);
  return begun.catch(() => {
    loading.delete(source);
    return [];
  });
}

async function loaded(source: string, fetcher: typeof fetch): Promise<readonly Outline[]> {
  const [{ feature }, response] = await Promise.all([import("topojson-client"), fetcher(source)]);
  if (!response.ok) throw new Error(`the outlines cannot be had: ${response.status}`);
  const world = (await response.json()) as Topology<{ countries: GeometryCollection }>;
  const { features } = feature(world, world.objects.countries);
  return features.flatMap(({ geometry }) => polygonsOf(geometry as Polygon | MultiPolygon)).map(outlineOf);
}

function polygonsOf(geometry: Polygon | MultiPolygon): Position[][][] {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

export function outlineOf(rings: readonly (readonly Position[])[]): Outline {
  return { rings, bounds: boundsOf((rings[0] ?? []).map(([longitude = 0, latitude = 0]) => ({ longitude, latitude }))) };
}

/** The outlines that a map shows, each as the path of an SVG. */
export function pathsOn(map: Projection, all: readonly Outline[]): string[] {
  return all
    .filter((outline) => meet(outline.bounds, map.bounds))
    .map((outline) => outline.rings.map((ring) => pathOf(ring, map)).join(""));
}

function pathOf(ring: readonly Position[], map: Projection): string {
  const points = ring.map(([longitude = 0, latitude = 0]) => map.at({ longitude, latitude }));
  return `M${points.map(({ x, y }) => `${x},${y}`).join("L")}Z`;
}
