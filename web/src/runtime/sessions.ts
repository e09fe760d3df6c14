/** Sessions: what one holds, what a new one is called, and which one the page's address names. */

import { type Http, Problem } from "./http.ts";
import type { JobStatus } from "./types.ts";

export interface Message {
  role: "user" | "assistant" | "tool";
  content: string | null;
  calls: { id: string; name: string; arguments: string | null }[];
  call: string | null;
}

/** What was said in it, and its jobs, the newest first. */
export interface Session {
  messages: Message[];
  jobs: { job_id: string; status: JobStatus; message: string }[];
}

/** What a session holds; nothing where nobody has ever said anything in it. */
export async function sessionSaid(http: Http, session: string, signal?: AbortSignal): Promise<Session | undefined> {
  try {
    return await http.get<Session>(`/agent/sessions/${encodeURIComponent(session)}`, signal);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * A name that nobody can guess, of random bytes: `crypto.randomUUID` is not there where the page comes over plain HTTP.
 */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The session that the page's address names. */
export function sessionInAddress(): string | undefined {
  return new URLSearchParams(location.search).get("session") || undefined;
}

/** Put it there, so that the page can be reloaded and gone back to. */
export function keepInAddress(session: string): void {
  history.replaceState(null, "", `${location.pathname}?session=${encodeURIComponent(session)}`);
}
