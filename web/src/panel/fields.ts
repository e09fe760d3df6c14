/** Reading what came from outside: a field of the kind that is wanted, or nothing. */

export type Fields = Readonly<Record<string, unknown>>;

export function text(of: Fields, field: string): string {
  const found = of[field];
  return typeof found === "string" ? found : "";
}

export function number(of: Fields, field: string): number {
  const found = of[field];
  return typeof found === "number" ? found : 0;
}

export function list(of: Fields, field: string): Fields[] {
  const found = of[field];
  return Array.isArray(found) ? (found as Fields[]) : [];
}

export function fields(of: Fields, field: string): Fields {
  const found = of[field];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Fields) : {};
}

/** A text that may be JSON, laid out if it is. */
export function laidOut(given: string): string {
  try {
    const found: unknown = JSON.parse(given);
    return typeof found === "object" && found !== null ? JSON.stringify(found, null, 2) : given;
  } catch {
    return given;
  }
}
