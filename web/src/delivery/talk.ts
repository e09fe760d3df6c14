/**
 * The conversation: what was said, what the agent did, and what waits for a person.
 *
 * - What is typed shows at once and goes into the loop; a run that was going on when the page was opened is taken up.
 * - An answer shows once, whichever hop, tab or reading of the session has brought it.
 * - A call that failed is shown to the person as well: the model is not the only one who hears of it.
 */

import { reactive } from "vue";
import { Loop, rests } from "../runtime/hops.ts";
import type { Http } from "../runtime/http.ts";
import type { Registry } from "../runtime/registry.ts";
import { type Message, type Session, sessionSaid } from "../runtime/sessions.ts";
import { type Approval, type ClientCall, type ClientResult, ENDED, type Job } from "../runtime/types.ts";
import { done, type Names } from "./words.ts";

export interface Said {
  key: string;
  /** `did` is an act of the agent's, `failed` one that could not be done. */
  who: "you" | "agent" | "did" | "failed";
  text: string;
}

export interface TalkState {
  said: Said[];
  busy: boolean;
  job: Job | undefined;
  approval: Approval | undefined;
  problem: unknown;
}

/** Who hears of what: other tabs of a change, whoever speaks of an answer or a question. */
export interface News {
  changed?: () => void;
  answered?: (text: string) => void;
  asked?: (approval: Approval) => void;
}

const STOPPED = "Stopped.";
const NO_ANSWER = "That did not work. Please try again.";

export class Talk {
  readonly state = reactive<TalkState>({ said: [], busy: false, job: undefined, approval: undefined, problem: undefined });
  private readonly loop: Loop;
  private readonly answered = new Set<string>();
  private going = 0;
  private lines = 0;

  constructor(
    private readonly http: Http,
    registry: Registry,
    app: string,
    private readonly session: string,
    private readonly names: Names,
    private readonly news: News = {},
  ) {
    const watching = { saw: (job: Job) => this.saw(job), acted: (call: ClientCall, result: ClientResult) => this.acted(call, result) };
    this.loop = new Loop(http, registry, app, session, watching);
  }

  /** Say something; true once it has arrived, false where it could not be sent, so that what was typed stays. */
  say(text: string): Promise<boolean> {
    const key = this.add("you", text);
    return new Promise((resolve) => {
      const taken = (): void => {
        this.news.changed?.();
        resolve(true);
      };
      void this.follow(() => this.loop.say(text, taken)).then((arrived) => {
        if (!arrived) this.state.said = this.state.said.filter((each) => each.key !== key);
        resolve(arrived);
      });
    });
  }

  /** Show what was said before, and take up what is going on. */
  async open(): Promise<void> {
    if (await this.read()) await this.goOn();
  }

  /** Go on, where a page was opened again or a person has answered what the run waited for. */
  async goOn(): Promise<void> {
    await this.follow(() => this.loop.resume());
  }

  /** How it stands, where another tab has gone on: its loop is not taken over. */
  async look(): Promise<void> {
    if (this.state.busy || !(await this.read())) return;
    const job = await this.latest();
    if (job !== undefined) this.saw(job);
  }

  /** End what is going on. */
  async cancel(): Promise<void> {
    const job = this.state.job ?? (await this.latest());
    if (job === undefined || ENDED.has(job.status)) return;
    await this.http.post(`/agent/jobs/${encodeURIComponent(job.job_id)}/cancel`, {});
    if (!this.state.busy) await this.goOn();
  }

  /** Somebody has decided, here or elsewhere. */
  decided(approval: Approval): void {
    if (approval.status === "pending") return;
    this.news.changed?.();
    if (!this.state.busy) void this.goOn();
  }

  /** What was said in runs that have ended, and what is still to be answered; whether anything is. */
  private async read(): Promise<boolean> {
    const found = await this.sessionSaid();
    if (found === undefined) return false;
    const open = found.jobs.filter((job) => !ENDED.has(job.status)).reverse();
    this.state.said = [];
    this.readAgain(found.messages);
    for (const job of found.jobs) if (ENDED.has(job.status)) this.answered.add(job.job_id);
    for (const job of open) this.add("you", job.message);
    return open.length > 0;
  }

  /** What was said, and what was done meanwhile. */
  private readAgain(messages: readonly Message[]): void {
    const came = new Map(messages.map((message) => [message.call, message.content ?? ""]));
    for (const { role, content, calls } of messages) {
      if (role !== "tool" && content !== null && content !== "") this.add(role === "user" ? "you" : "agent", content);
      for (const call of calls) this.did(call.name, argumentsIn(call.arguments), errorIn(came.get(call.id)));
    }
  }

  private async follow(loop: () => Promise<Job | null>): Promise<boolean> {
    this.state.problem = undefined;
    this.going += 1;
    this.state.busy = true;
    try {
      await loop();
      await this.settled();
      return true;
    } catch (error) {
      this.state.problem = error;
      return false;
    } finally {
      this.going -= 1;
      this.state.busy = this.going > 0;
      this.news.changed?.();
    }
  }

  /** Answers of runs that went by between two hops. */
  private async settled(): Promise<void> {
    const jobs = (await this.sessionSaid())?.jobs ?? [];
    for (const job of jobs.filter((each) => ENDED.has(each.status) && !this.answered.has(each.job_id)).reverse()) {
      this.ended(await this.job(job.job_id));
    }
  }

  private saw(job: Job): void {
    this.state.job = job;
    const waits = rests(job) ? job.waiting_for.find((each) => each.approval_id !== null) : undefined;
    if (waits?.approval_id == null) this.state.approval = undefined;
    else if (waits.approval_id !== this.state.approval?.approval_id) void this.ask(waits.approval_id);
    if (ENDED.has(job.status)) this.ended(job);
  }

  private ended(job: Job): void {
    if (this.answered.has(job.job_id)) return;
    this.answered.add(job.job_id);
    const text = job.response ?? (job.status === "CANCELLED" ? STOPPED : NO_ANSWER);
    this.add(job.status === "COMPLETE" ? "agent" : "failed", text);
    this.news.answered?.(text);
  }

  private acted(call: ClientCall, result: ClientResult): void {
    this.did(call.tool, call.arguments, "error" in result ? result.error : undefined);
  }

  private did(tool: string, args: Record<string, unknown>, error: string | undefined): void {
    const words = done(tool, args, this.names);
    if (words === undefined) return; // the server does it
    if (error === undefined) this.add("did", words);
    else this.add("failed", `Not done: ${words}. ${error}`);
  }

  private async ask(approval_id: string): Promise<void> {
    try {
      const approval = await this.http.get<Approval>(`/agent/approvals/${encodeURIComponent(approval_id)}`);
      if (approval.status !== "pending") return;
      this.state.approval = approval;
      this.news.asked?.(approval);
    } catch (error) {
      this.state.problem = error;
    }
  }

  private sessionSaid(): Promise<Session | undefined> {
    return sessionSaid(this.http, this.session);
  }

  private async latest(): Promise<Job | undefined> {
    const open = (await this.sessionSaid())?.jobs.filter((each) => !ENDED.has(each.status)).at(-1);
    return open === undefined ? undefined : this.job(open.job_id);
  }

  private job(job_id: string): Promise<Job> {
    return this.http.get<Job>(`/agent/status/${encodeURIComponent(job_id)}`);
  }

  private add(who: Said["who"], text: string): string {
    const key = `said-${++this.lines}`;
    this.state.said.push({ key, who, text });
    return key;
  }
}

function argumentsIn(text: string | null): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {}; // a model's own text, as it came
  }
}

function errorIn(content: string | undefined): string | undefined {
  const { error } = argumentsIn(content ?? null);
  return typeof error === "string" ? error : undefined;
}
