/** Rows as people read them: a heading for each column, money from cents, times in words. Columns that are not known stand as they are. */

import type { Lookup } from "./asking.ts";

export interface Column {
  key: string;
  heading: string;
  /** Set to the right, with figures of one width. */
  figures: boolean;
}

const HEADINGS: Record<string, string> = {
  order_id: "Order",
  customer_email: "Customer",
  status: "Status",
  total_cents: "Total",
  created_at: "Placed",
};

/** The columns of the rows, in the order in which they first come; what was asked for is in the caption, and needs no column. */
export function columnsOf({ rows, args }: Pick<Lookup, "rows" | "args">): Column[] {
  const asked = (key: string): boolean => key in args && rows.every((row) => row[key] === args[key]);
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) => !asked(key));
  return keys.map((key) => ({
    key,
    heading: HEADINGS[key] ?? key.replaceAll("_", " "),
    figures: key.endsWith("_cents") || key.endsWith("_id"),
  }));
}

/** One value in words. */
export function shown(key: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (key.endsWith("_cents") && typeof value === "number") return (value / 100).toFixed(2);
  if (key.endsWith("_at") && typeof value === "string") return moment(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `30 November 2026, 16:45` (UTC, as the orders have it). */
function moment(value: string): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return `${day}, ${date.toISOString().slice(11, 16)}`;
}
