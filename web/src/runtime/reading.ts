/** Reading what events carry: whatever is not as expected reads as empty, so that a page outlives an event that it does not know. */

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text. */
export function words(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a text holds as JSON; nothing where it is none. */
export function json(value: unknown): unknown {
  try {
    return JSON.parse(words(value)) as unknown;
  } catch {
    return undefined;
  }
}

/** The object that a text holds as JSON, such as a call's arguments. */
export function parsed(value: unknown): Fields {
  const held = json(value);
  return isFields(held) ? held : {};
}
