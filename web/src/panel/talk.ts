/**
 * One session: its runs, and what a person can do in it. The loop is the client library's, with no action of its own.
 *
 * - What is said while a run is going on goes into that run; otherwise it begins another, or answers the one that waits.
 * - Opening a session only looks on: calls that wait for another page's browser are not taken from it unasked.
 */

import { computed, ref, shallowRef } from "vue";
import { Loop } from "../runtime/hops.ts";
import { type Http, Problem } from "../runtime/http.ts";
import { Registry } from "../runtime/registry.ts";
import { newId } from "../runtime/sessions.ts";
import type { Job } from "../runtime/types.ts";
import { Run } from "./run.ts";
import type { JobRow } from "./service.ts";

export const MOST_RUNS = 10;

export class Talk {
  readonly runs = shallowRef<Run[]>([]);
  readonly earlier = ref(0);
  readonly problem = ref<unknown>();
  readonly newest = computed(() => this.runs.value.at(-1));
  readonly busy = computed(() => this.newest.value !== undefined && ["queued", "running"].includes(this.newest.value.phase.value));

  constructor(
    private readonly http: Http,
    readonly app: string,
    readonly session: string,
  ) {}

  /** Take in the session's jobs, newest first; those that are known already go on as they are. */
  knows(jobs: readonly { job_id: string; message: string }[]): void {
    const known = new Set(this.runs.value.map((run) => run.id));
    const shown = jobs.slice(0, Math.max(MOST_RUNS, known.size));
    if (known.size === 0) this.earlier.value = jobs.length - shown.length;
    const fresh = shown.filter((job) => !known.has(job.job_id)).reverse();
    if (fresh.length > 0 && (known.size === 0 || fresh.every((job) => isAfter(job.job_id, shown, known)))) this.add(fresh);
  }

  leave(): void {
    for (const run of this.runs.value) run.stop();
  }

  /** Say something; true once it has been taken on. */
  async say(words: string): Promise<boolean> {
    this.problem.value = undefined;
    try {
      if (this.newest.value?.phase.value === "running" && (await this.into(this.newest.value, words))) return true;
      await this.begun(words);
      return true;
    } catch (error) {
      this.problem.value = error;
      return false;
    }
  }

  async cancel(): Promise<void> {
    await this.act("cancel");
  }

  /** Want what there is, now. */
  async land(): Promise<void> {
    await this.act("land");
  }

  /** Ask the same again. */
  async retry(): Promise<void> {
    const job = await this.act("retry");
    if (job !== undefined) this.add([job]);
  }

  /** Answer what waits for a browser, from here: there is nothing here that could do it, and the run hears that. */
  async resume(): Promise<void> {
    try {
      await this.loop(() => undefined).resume();
    } catch (error) {
      this.problem.value = error;
    }
  }

  private add(jobs: readonly { job_id: string; message: string }[]): void {
    const known = new Set(this.runs.value.map((run) => run.id));
    const fresh = jobs.filter((job) => !known.has(job.job_id)).map((job) => new Run(this.http, job.job_id, job.message));
    this.runs.value = [...this.runs.value, ...fresh];
    for (const run of fresh) void run.follow();
  }

  private async into(run: Run, words: string): Promise<boolean> {
    try {
      await this.http.post<Job>(`/agent/jobs/${encodeURIComponent(run.id)}/messages`, { message: words });
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 409) return false; // it has ended meanwhile
      throw error;
    }
  }

  /** A message that begins a run, or answers the one that waits. It is taken on once the loop has seen its job. */
  private begun(words: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const loop = this.loop((job) => {
        this.add([job]);
        resolve();
      });
      loop.say(words).then(
        () => resolve(),
        (error: unknown) => {
          this.problem.value = error;
          reject(error as Error);
        },
      );
    });
  }

  private loop(saw: (job: Job) => void): Loop {
    return new Loop(this.http, new Registry([]), this.app, this.session, { saw });
  }

  private async act(what: "cancel" | "land" | "retry"): Promise<JobRow | undefined> {
    const run = this.newest.value;
    if (run === undefined) return undefined;
    this.problem.value = undefined;
    try {
      return await this.http.post<JobRow>(`/agent/jobs/${encodeURIComponent(run.id)}/${what}`, {});
    } catch (error) {
      this.problem.value = error;
      return undefined;
    }
  }
}

/** Whether a job is newer than all that are known, in a list that begins with the newest. */
function isAfter(job: string, listed: readonly { job_id: string }[], known: ReadonlySet<string>): boolean {
  const newest = listed.findIndex((each) => known.has(each.job_id));
  return newest === -1 || listed.findIndex((each) => each.job_id === job) < newest;
}

/** A name for a new session. */
export function newSession(): string {
  return `panel-${newId()}`;
}
