/**
 * What is there besides the conversation: apps, sessions, jobs, and what runs them. It looks again every few seconds while it is seen.
 */

import { computed, ref, shallowRef } from "vue";
import type { Http } from "../runtime/http.ts";
import { sessionSaid } from "../runtime/sessions.ts";
import type { SessionListed } from "../runtime/types.ts";
import type { AgentShown, AppListed, Fleet, JobRow } from "./service.ts";

export const LOOK_AGAIN = 5_000;

export interface SessionRow {
  id: string;
  app: string;
  title: string;
  at: string;
  status: JobRow["status"] | undefined;
}

export class Workspace {
  readonly user = ref("");
  readonly warm = ref(false);
  readonly apps = shallowRef<AppListed[]>();
  readonly agent = shallowRef<AgentShown>();
  readonly sessions = shallowRef<SessionListed[]>([]);
  readonly jobs = shallowRef<JobRow[]>([]);
  readonly fleet = shallowRef<Fleet>();
  readonly problem = ref<unknown>();
  readonly rows = computed(() => rowsOf(this.sessions.value, this.jobs.value));

  constructor(private readonly http: Http) {}

  /** Warm the service up, and see who is here and what is served. */
  async open(): Promise<void> {
    this.problem.value = undefined;
    try {
      this.user.value = (await this.http.me()).user_id;
      const [warm, apps] = await Promise.all([
        this.http.get<{ status: string }>("/agent/warmup"),
        this.http.get<{ apps: AppListed[] }>("/agent/apps"),
        this.look(),
      ]);
      this.warm.value = warm.status === "warm";
      this.apps.value = apps.apps;
    } catch (error) {
      this.problem.value = error;
    }
  }

  /** The agent of an app. */
  async choose(app: string): Promise<void> {
    this.agent.value = undefined;
    try {
      const found = await this.http.get<AgentShown>(`/agent/apps/${encodeURIComponent(app)}`);
      this.agent.value = found;
    } catch (error) {
      this.problem.value = error;
    }
  }

  /** The jobs of a session, newest first; none where nobody has said anything in it yet. */
  async jobsOf(session: string): Promise<{ job_id: string; message: string }[]> {
    const listed = this.jobs.value.filter((job) => job.session_id === session);
    return listed.length > 0 ? listed : ((await sessionSaid(this.http, session))?.jobs ?? []);
  }

  /** Look at sessions, jobs and what runs them. */
  async look(): Promise<void> {
    const [sessions, jobs, fleet] = await Promise.all([
      this.http.get<{ sessions: SessionListed[] }>("/agent/sessions"),
      this.http.get<{ jobs: JobRow[] }>("/agent/jobs"),
      this.http.get<Fleet>("/agent/fleet"),
    ]);
    this.sessions.value = sessions.sessions;
    this.jobs.value = jobs.jobs;
    this.fleet.value = fleet;
  }
}

/** Sessions with the words that they began with, as far as the jobs that are listed say. */
export function rowsOf(sessions: readonly SessionListed[], jobs: readonly JobRow[]): SessionRow[] {
  const first = new Map<string, JobRow>();
  const newest = new Map<string, JobRow>();
  for (const job of jobs) {
    first.set(job.session_id, job);
    if (!newest.has(job.session_id)) newest.set(job.session_id, job);
  }
  return sessions.map((session) => ({
    id: session.session_id,
    app: session.app,
    title: first.get(session.session_id)?.message ?? session.session_id,
    at: session.updated_at,
    status: newest.get(session.session_id)?.status,
  }));
}

/** A time as people say it: the clock of today, the day of another day. */
export function when(at: string, now: Date = new Date()): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return time.toDateString() === now.toDateString()
    ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : time.toLocaleDateString([], { day: "numeric", month: "short" });
}
