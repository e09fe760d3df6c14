/**
 * One conversation of a page that has no tools of its own: its jobs in order, and each event of them once.
 *
 * - What was said before is told again from the journals, so a page that was reloaded shows the same as one that was not.
 * - Jobs are followed one after the other, as their session runs them; leaving the page stops nothing on the server.
 */

import { followToEnd } from "./events.ts";
import type { Http } from "./http.ts";
import { sessionSaid } from "./sessions.ts";
import type { RunEvent } from "./types.ts";

export interface Hearing {
  saw: (job: string, event: RunEvent) => void;
  failed: (problem: unknown) => void;
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
    private readonly following: typeof followToEnd = followToEnd,
  ) {}

  /** Tell what was said before; nothing where the conversation is a new one. */
  async resume(): Promise<void> {
    const jobs = (await sessionSaid(this.http, this.session, this.left.signal))?.jobs ?? [];
    for (const job of [...jobs].reverse()) this.hear(job.job_id);
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
    try {
      await this.following(this.http, job, (event) => this.hearing.saw(job, event), this.left.signal);
    } catch (error) {
      this.hearing.failed(error);
    }
  }
}
