/**
 * One conversation of a page that has no tools of its own: its jobs in order, and each event of them once.
 *
 * - What was said before is told again from the journals, so a page that was reloaded shows the same as one that was not.
 * - Jobs are followed one after the other, as their session runs them; leaving the page stops nothing on the server.
 */

import { follow } from "./events.ts";
import type { Http } from "./http.ts";
import { Problem } from "./http.ts";
import type { RunEvent } from "./types.ts";

export interface Hearing {
  saw: (job: string, event: RunEvent) => void;
  failed: (problem: unknown) => void;
}

interface Listed {
  jobs: { job_id: string }[];
}

export class Talk {
  private readonly known = new Set<string>();
  private readonly left = new AbortController();
  private chain: Promise<void> = Promise.resolve();

  constructor(
    private readonly http: Http,
    readonly app: string,
    readonly session: string,
    private readonly hearing: Hearing,
    private readonly following: typeof follow = follow,
  ) {}

  /** Tell what was said before; nothing where the conversation is a new one. */
  async resume(): Promise<void> {
    try {
      const { jobs } = await this.http.get<Listed>(`/agent/sessions/${encodeURIComponent(this.session)}`, this.left.signal);
      for (const job of [...jobs].reverse()) this.hear(job.job_id);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error;
    }
  }

  /** Say something: it goes into the run that waits for it, or begins one. */
  async say(message: string): Promise<void> {
    const asked = { app: this.app, session_id: this.session, message };
    this.hear((await this.http.post<{ job_id: string }>("/agent/invoke", asked, { signal: this.left.signal })).job_id);
  }

  /** Hear no more of it. */
  leave(): void {
    this.left.abort();
  }

  private hear(job: string): void {
    if (this.known.has(job)) return;
    this.known.add(job);
    this.chain = this.chain.then(() => this.heard(job));
  }

  private async heard(job: string): Promise<void> {
    const ended = new AbortController();
    const saw = (event: RunEvent): void => {
      this.hearing.saw(job, event);
      if (event.event === "RunFinished") ended.abort();
    };
    try {
      await this.following(this.http, job, saw, AbortSignal.any([this.left.signal, ended.signal]));
    } catch (error) {
      this.hearing.failed(error);
    }
  }
}

/** The name of a conversation that nobody can guess. */
export function newSession(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The conversation that the page's address names. */
export function sessionInAddress(): string | undefined {
  return new URLSearchParams(location.search).get("session") || undefined;
}

/** Put it there, so that the page can be reloaded and gone back to. */
export function keepInAddress(session: string): void {
  history.replaceState(null, "", `${location.pathname}?session=${encodeURIComponent(session)}`);
}
