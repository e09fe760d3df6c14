/**
 * A map's geometry: a local equirectangular projection that fits given points into a frame. North is up, and both axes have one scale.
 *
 * Good for what is some hundred kilometres wide; degrees of longitude are as much narrower as they are in the middle of the map.
 */

export interface Place {
  longitude: number;
  latitude: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Bounds {
  west: number;
  east: number;
  south: number;
  north: number;
}

export interface Projection {
  width: number;
  height: number;
  /** What the frame shows. */
  bounds: Bounds;
  kmPerPixel: number;
  at: (place: Place) => Point;
}

const KM_PER_DEGREE = 111.2;

/** A projection in which all places lie within the frame, `margin` pixels from its edges, and at least `leastKm` are seen. */
export function fitted(places: readonly Place[], width: number, height: number, margin: number, leastKm = 20): Projection {
  const around = boundsOf(places);
  const middle = { longitude: (around.west + around.east) / 2, latitude: (around.south + around.north) / 2 };
  const narrow = Math.max(0.05, Math.cos((middle.latitude * Math.PI) / 180));
  const wide = Math.max((around.east - around.west) * narrow, leastKm / KM_PER_DEGREE);
  const high = Math.max(around.north - around.south, leastKm / KM_PER_DEGREE);
  const scale = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high);
  const at = (place: Place): Point => ({
    x: round(width / 2 + (place.longitude - middle.longitude) * narrow * scale),
    y: round(height / 2 - (place.latitude - middle.latitude) * scale),
  });
  const [halfWidth, halfHeight] = [width / 2 / scale / narrow, height / 2 / scale];
  return {
    width,
    height,
    bounds: {
      west: middle.longitude - halfWidth,
      east: middle.longitude + halfWidth,
      south: middle.latitude - halfHeight,
      north: middle.latitude + halfHeight,
    },
    kmPerPixel: KM_PER_DEGREE / scale,
    at,
  };
}

/** The box round all places. */
export function boundsOf(places: readonly Place[]): Bounds {
  const [longitudes, latitudes] = [places.map((place) => place.longitude), places.map((place) => place.latitude)];
  return { west: Math.min(...longitudes), east: Math.max(...longitudes), south: Math.min(...latitudes), north: Math.max(...latitudes) };
}

/** Whether two boxes have anything in common. */
export function meet(one: Bounds, other: Bounds): boolean {
  return one.west <= other.east && one.east >= other.west && one.south <= other.north && one.north >= other.south;
}

/** A round number of kilometres for a scale bar that is at most so many pixels long. */
export function scaleBar(kmPerPixel: number, longest: number): { km: number; pixels: number } {
  const most = kmPerPixel * longest;
  const power = 10 ** Math.floor(Math.log10(most));
  const km = [5, 2, 1].map((times) => times * power).find((each) => each <= most) ?? power;
  return { km, pixels: round(km / kmPerPixel) };
}

/** Lines of whole or half degrees and the like across the frame, at most so many each way. */
export function graticule(map: Projection, most: number): { from: Point; to: Point }[] {
  const { west, east, south, north } = map.bounds;
  const widest = Math.max(east - west, north - south);
  const step = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30].find((each) => widest / each <= most) ?? 30;
  return [
    ...multiples(step, west, east).map((longitude) => ({
      from: map.at({ longitude, latitude: north }),
      to: map.at({ longitude, latitude: south }),
    })),
    ...multiples(step, south, north).map((latitude) => ({
      from: map.at({ longitude: west, latitude }),
      to: map.at({ longitude: east, latitude }),
    })),
  ];
}

function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
