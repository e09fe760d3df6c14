/**
 * Outlines of countries (Natural Earth by way of world-atlas), loaded when there is a map to draw.
 *
 * Only what may be seen is drawn. Without them the map still shows its places and drives.
 */

import type { MultiPolygon, Polygon } from "geojson";
import type { GeometryCollection, Topology } from "topojson-specification";
import source from "world-atlas/countries-50m.json?url";
import { type Bounds, boundsOf, meet, type Projection } from "./projection.ts";

type Position = readonly number[];

/** One polygon with its holes, and the box round it. */
export interface Outline {
  rings: readonly (readonly Position[])[];
  bounds: Bounds;
}

let loading: Promise<readonly Outline[]> | undefined;

/** All outlines; none where they cannot be had, and then they are asked for again the next time. */
export function outlines(fetcher: typeof fetch = (...request) => fetch(...request)): Promise<readonly Outline[]> {
  loading ??= loaded(fetcher).catch(() => {
    loading = undefined;
    return [];
  });
  return loading;
}

async function loaded(fetcher: typeof fetch): Promise<readonly Outline[]> {
  const [{ feature }, response] = await Promise.all([import("topojson-client"), fetcher(source)]);
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
