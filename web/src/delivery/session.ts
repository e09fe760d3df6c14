/** Which session this is: one for each browser and app, kept in its storage; `?session=` in the address stands for another one. */

import { newId } from "../runtime/sessions.ts";

const KEY = "handrail.delivery.session";
const FITS = /^[A-Za-z0-9_~:@+=-][A-Za-z0-9._~:@+=-]{0,199}$/;

export function sessionId(search: string, storage: Pick<Storage, "getItem" | "setItem">): string {
  const given = new URLSearchParams(search).get("session");
  if (given !== null && FITS.test(given)) return given;
  const kept = storage.getItem(KEY);
  if (kept !== null && FITS.test(kept)) return kept;
  const made = newId();
  storage.setItem(KEY, made);
  return made;
}
