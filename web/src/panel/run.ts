/**
 * One run, followed: its events from the first on, its job as it stands, and its approvals.
 *
 * - Events are the one source: what is shown is the same after a reload, and in another tab.
 * - The job and its approvals are asked for again when an event says that they have changed.
 * - Calls that come over MCP are held without an event: their approvals are asked for when the run is opened, and stand after all lines.
 */

import { computed, ref, shallowRef, triggerRef } from "vue";
import { followToEnd } from "../runtime/events.ts";
import type { Http } from "../runtime/http.ts";
import type { Approval, Job, RunEvent } from "../runtime/types.ts";
import { type Line, linesOf, phaseOf } from "./conversation.ts";
import { turnsOf, waitingForBrowser } from "./timeline.ts";

const CHANGES_JOB: ReadonlySet<string> = new Set(["TurnOpened", "RunParked", "RunFinished"]);
const CHANGES_APPROVALS: ReadonlySet<string> = new Set(["CallHeld", "HoldAnswered", "CallRefused", "RunParked", "RunFinished", "Ticked"]);

export class Run {
  readonly events = shallowRef<RunEvent[]>([]);
  readonly job = shallowRef<Job>();
  readonly approvals = shallowRef<Approval[]>([]);
  readonly problem = ref<unknown>();
  readonly lines = computed(() => linesOf(this.id, this.events.value));
  readonly apart = computed(() => apartFrom(this.lines.value, this.approvals.value));
  readonly phase = computed(() => (isAsked(this.apart.value) ? "waiting" : phaseOf(this.events.value)));
  readonly turns = computed(() => turnsOf(this.events.value));
  readonly browser = computed(() => waitingForBrowser(this.events.value));
  private readonly leaving = new AbortController();
  private readonly asking = new Set<string>();
  private looks = 0;

  constructor(
    private readonly http: Http,
    readonly id: string,
    readonly message: string,
  ) {}

  /** Follow it until it ends, or until `stop`. */
  async follow(): Promise<void> {
    void this.again("approvals", () => this.askApprovals());
    try {
      await followToEnd(this.http, this.id, (event) => this.saw(event), this.leaving.signal);
    } catch (error) {
      this.problem.value = error;
    }
  }

  stop(): void {
    this.leaving.abort();
  }

  /** The approval that an answer with this digest is bound to. */
  approval(digest: string): Approval | undefined {
    return this.approvals.value.find((approval) => approval.digest === digest);
  }

  /** Somebody here has just decided. */
  decided(approval: Approval): void {
    this.approvals.value = this.approvals.value.map((each) => (each.approval_id === approval.approval_id ? approval : each));
  }

  private saw(event: RunEvent): void {
    this.events.value.push(event);
    triggerRef(this.events);
    if (CHANGES_JOB.has(event.event)) void this.again("job", () => this.askJob());
    if (CHANGES_APPROVALS.has(event.event) && this.isHeld()) void this.again("approvals", () => this.askApprovals());
  }

  /** Ask once for all events that come together; what comes while an answer is under way asks once more. */
  private async again(what: string, ask: () => Promise<void>): Promise<void> {
    if (this.asking.has(what)) return;
    this.asking.add(what);
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.asking.delete(what);
    if (this.leaving.signal.aborted) return;
    try {
      await ask();
    } catch (error) {
      this.problem.value = error;
    }
  }

  private async askJob(): Promise<void> {
    const found = await this.http.get<Job>(`/agent/status/${encodeURIComponent(this.id)}`);
    if (this.job.value === undefined || found.updated_at >= this.job.value.updated_at) this.job.value = found;
  }

  private isHeld(): boolean {
    return this.approvals.value.length > 0 || this.events.value.some((event) => event.event === "CallHeld" && event["by"] === "person");
  }

  private async askApprovals(): Promise<void> {
    const turn = ++this.looks;
    const found = await this.http.get<{ approvals: Approval[] }>(`/agent/approvals?job_id=${encodeURIComponent(this.id)}`);
    if (turn === this.looks) this.approvals.value = found.approvals;
  }
}

/** The approvals that no line speaks of. */
export function apartFrom(lines: readonly Line[], approvals: readonly Approval[]): Approval[] {
  const told = new Set(lines.flatMap((line) => (line.kind === "approval" ? [line.digest] : [])));
  return approvals.filter((approval) => !told.has(approval.digest));
}

function isAsked(approvals: readonly Approval[]): boolean {
  return approvals.some((approval) => approval.status === "pending");
}
