/**
 * The loop, in the browser: the page posts what happened, and receives what to do now. The ring stays on the server.
 *
 * - One loop a session in a tab. Calls of one answer run one after the other, in the model's order.
 * - What a user says while a run is going on is taken on at once: it goes into a run that waits for it, and else comes after the one that runs.
 * - A page that was reloaded takes its session's run up (`resume`); leaving a page stops nothing on the server.
 */

import type { Http } from "./http.ts";
import { Problem } from "./http.ts";
import type { Registry } from "./registry.ts";
import { type ClientCall, type ClientResult, ENDED, type Job } from "./types.ts";

export interface Hop {
  job: Job | null;
  calls: ClientCall[];
}

export interface Watching {
  /** The job as it stands after each hop. */
  saw?: (job: Job) => void;
  /** A call is about to be acted on. */
  acting?: (call: ClientCall) => void;
  /** And what came of it. */
  acted?: (call: ClientCall, result: ClientResult) => void;
}

const PAUSE_AFTER_PROBLEM = 1_000;

export class Loop {
  private running: Promise<Job | null> | undefined;
  private before: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly http: Http,
    private readonly registry: Registry,
    readonly app: string,
    readonly session: string,
    private readonly watching: Watching = {},
    private readonly pause: (milliseconds: number) => Promise<void> = (milliseconds) =>
      new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ) {}

  /** Say something, and follow the run until it ends or waits for a person. `taken` hears that the message has arrived. */
  async say(message: string, taken: () => void = () => undefined): Promise<Job | null> {
    const first = await this.hop({ message, wait: 0 });
    taken();
    if (first.job !== null) this.watching.saw?.(first.job);
    return this.follow(first);
  }

  /** Take up whatever is going on in the session, if anything is. */
  async resume(): Promise<Job | null> {
    return this.follow(await this.hop({ resume: true, wait: 0 }));
  }

  private follow(first: Hop): Promise<Job | null> {
    const before = this.running?.catch(() => null) ?? Promise.resolve(null);
    // Calls that came with the message are made at once: the loop before may be waiting for just what comes of them.
    const made = this.made(first);
    made.catch(() => undefined); // whoever awaits it below hears of it
    // Whoever comes while a loop is going on goes on with it: two loops would race for the same calls.
    this.running = before.then(async () => this.going(await made));
    return this.running;
  }

  private async made(first: Hop): Promise<Hop> {
    let now = first;
    while (now.calls.length > 0) now = await this.next(await this.acted(now.calls), 0);
    return now;
  }

  private async going(first: Hop): Promise<Job | null> {
    // The first look did not wait: what a person has just said may not have been read yet, so nothing rests by its word alone.
    let now = first.job === null || ENDED.has(first.job.status) ? first : await this.next([]);
    for (;;) {
      if (now.job !== null) this.watching.saw?.(now.job);
      const results = await this.acted(now.calls);
      if (results.length === 0 && (now.job === null || rests(now.job))) return now.job;
      now = await this.next(results);
    }
  }

  /** One call after the other, whichever hop has brought them. */
  private acted(calls: readonly ClientCall[]): Promise<ClientResult[]> {
    const mine = this.before.then(() => this.actedNow(calls));
    this.before = mine.catch(() => undefined);
    return mine;
  }

  private async actedNow(calls: readonly ClientCall[]): Promise<ClientResult[]> {
    const results: ClientResult[] = [];
    for (const call of calls) {
      this.watching.acting?.(call);
      const result = await this.registry.act(call);
      this.watching.acted?.(call, result);
      results.push(result);
    }
    return results;
  }

  /** The next hop; results are posted until they have arrived, since the same result again has no effect. */
  private async next(results: ClientResult[], wait?: number): Promise<Hop> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.hop(wait === undefined ? { results } : { results, wait });
      } catch (error) {
        if (!(error instanceof Problem) || (error.status !== 0 && error.status < 500) || tries >= 30) throw error;
        await this.pause(PAUSE_AFTER_PROBLEM);
      }
    }
  }

  private async hop(body: { message?: string; results?: ClientResult[]; resume?: boolean; wait?: number }): Promise<Hop> {
    return this.http.post<Hop>(`/agent/sessions/${encodeURIComponent(this.session)}/hop`, { app: this.app, ...body });
  }
}

/** Whether nothing more comes of a job by itself. */
export function rests(job: Job): boolean {
  return ENDED.has(job.status) || (job.status === "INPUT_REQUIRED" && job.waiting_for.length > 0);
}
