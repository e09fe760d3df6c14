import { describe, expect, it } from "vitest";
import { Talk } from "../../src/delivery/talk.ts";
import type { Hop } from "../../src/runtime/hops.ts";
import { Http, Problem } from "../../src/runtime/http.ts";
import { CannotNow, Registry } from "../../src/runtime/registry.ts";
import type { Approval, ClientCall, Job, JobStatus } from "../../src/runtime/types.ts";

const NAMES = { restaurant: () => "Roma", dish: () => "Margherita" };

const job = (number: number, status: JobStatus, more: Partial<Job> = {}): Job => ({
  job_id: `job_${number}`,
  session_id: "s",
  user_id: "ada",
  app: "delivery",
  status,
  message: `message ${number}`,
  response: status === "COMPLETE" ? `answer ${number}` : null,
  outcome: null,
  waiting_for: [],
  history_tokens: 0,
  history_limit: 1,
  retry_of: null,
  created_at: "",
  updated_at: "",
  ...more,
});
const call = (tool: string): ClientCall => ({
  job_id: "job_1",
  call_id: "t1c1",
  tool,
  arguments: { food_id: 1, quantity: 2 },
  deadline: "",
});
const waits = (approval_id: string): Job =>
  job(1, "INPUT_REQUIRED", {
    waiting_for: [{ hold: "h", kind: "approval", tool: "place_order", show: {}, expires_at: null, approval_id }],
  });

/** A service that answers hops one after the other, and knows a session with jobs. */
class Scripted extends Http {
  readonly posted: { path: string; body: Record<string, unknown> }[] = [];
  jobs: Job[] = [];
  messages: Record<string, unknown>[] = [];

  constructor(private readonly hops: (Hop | Problem)[]) {
    super();
  }

  override async get<T>(path: string): Promise<T> {
    const last = path.split("/").at(-1);
    if (path.startsWith("/agent/sessions/")) {
      if (this.jobs.length === 0) throw new Problem(404, "not_found", "none");
      return { messages: this.messages, jobs: this.jobs } as T;
    }
    if (path.startsWith("/agent/approvals/")) return { approval_id: last, status: "pending" } as T;
    return this.jobs.find((each) => each.job_id === last) as T;
  }

  override async post<T>(path: string, body: unknown): Promise<T> {
    this.posted.push({ path, body: body as Record<string, unknown> });
    if (!path.endsWith("/hop")) return undefined as T;
    const answer = this.hops.shift();
    if (answer instanceof Problem) throw answer;
    if (answer === undefined) throw new Error("one hop more than there are answers");
    return answer as T;
  }
}

function talking(http: Scripted, registry = new Registry([]), heard: string[] = []): Talk {
  return new Talk(http, registry, "delivery", "s", NAMES, { answered: (text) => heard.push(text) });
}

const lines = (talk: Talk): string[] => talk.state.said.map((each) => `${each.who}: ${each.text}`);
const going = (calls: ClientCall[] = []): Hop => ({ job: job(1, "RUNNING"), calls });
const ended = (number = 1): Hop => ({ job: job(number, "COMPLETE"), calls: [] });

/** Until nothing is going on any more. */
async function rested(talk: Talk): Promise<void> {
  while (talk.state.busy) await new Promise((resolve) => setTimeout(resolve, 0));
}

describe("the conversation", () => {
  it("shows what was typed at once, and the answer once", async () => {
    const heard: string[] = [];
    const http = new Scripted([going(), ended(), ended()]);
    const talk = talking(http, new Registry([]), heard);
    expect(await talk.say("hello")).toBe(true);
    expect(lines(talk)[0]).toBe("you: hello");
    await rested(talk);
    await talk.goOn();
    expect(lines(talk)).toEqual(["you: hello", "agent: answer 1"]);
    expect(heard).toEqual(["answer 1"]);
  });

  it("keeps what was typed out of it where it could not be sent", async () => {
    const talk = talking(new Scripted([new Problem(429, "too_many", "Slow down.")]));
    expect(await talk.say("hello")).toBe(false);
    await rested(talk);
    expect(lines(talk)).toEqual([]);
    expect(talk.state.problem).toMatchObject({ message: "Slow down." });
  });

  it("a second message during a run is taken in order, and no answer is lost", async () => {
    const http = new Scripted([going(), going(), { job: job(3, "RUNNING"), calls: [] }, ended(3), ended(3)]);
    const talk = talking(http);
    const sent = [talk.say("one"), talk.say("two")];
    http.jobs = [job(3, "COMPLETE"), job(1, "COMPLETE")];
    expect(await Promise.all(sent)).toEqual([true, true]);
    await rested(talk);
    expect(http.posted.map((each) => each.body["message"]).slice(0, 2)).toEqual(["one", "two"]);
    expect(lines(talk).slice(0, 2)).toEqual(["you: one", "you: two"]);
    expect(lines(talk).slice(2).sort()).toEqual(["agent: answer 1", "agent: answer 3"]);
  });

  it("a failed tool reaches the model and the person", async () => {
    const registry = new Registry([
      {
        name: "add_food_to_cart",
        run: async () => {
          throw new CannotNow("Roma is closed now.");
        },
      },
    ]);
    const http = new Scripted([going(), going([call("add_food_to_cart")]), ended()]);
    const talk = talking(http, registry);
    await talk.say("add it");
    await rested(talk);
    expect(http.posted[2]?.body["results"]).toMatchObject([{ error: "Roma is closed now." }]);
    expect(lines(talk)).toContain("failed: Not done: Added 2 × Margherita. Roma is closed now.");
  });

  it("an order waits for a person until they have decided", async () => {
    const http = new Scripted([going(), { job: waits("apr_1"), calls: [] }, { job: waits("apr_1"), calls: [] }, ended()]);
    const talk = talking(http);
    await talk.say("order it");
    await rested(talk);
    expect(talk.state.approval).toMatchObject({ approval_id: "apr_1" });
    talk.decided({ status: "approved" } as Approval);
    await rested(talk);
    expect(talk.state.approval).toBeUndefined();
    expect(lines(talk)).toEqual(["you: order it", "agent: answer 1"]);
  });

  it("a page that was opened again shows what was said, and takes up what is going on", async () => {
    const http = new Scripted([{ job: job(2, "RUNNING"), calls: [] }, ended(2)]);
    http.jobs = [job(2, "RUNNING"), job(1, "COMPLETE")];
    const said = (role: string, content: string | null, more: object = {}) => ({ role, content, calls: [], call: null, ...more });
    http.messages = [
      said("user", "add two"),
      said("assistant", null, { calls: [{ id: "c1", name: "add_food_to_cart", arguments: '{"food_id": 1, "quantity": 2}' }] }),
      said("tool", "{}", { call: "c1" }),
      said("assistant", "Added."),
    ];
    const talk = talking(http);
    await talk.open();
    expect(lines(talk)).toEqual(["you: add two", "did: Added 2 × Margherita", "agent: Added.", "you: message 2", "agent: answer 2"]);
    expect(http.posted[0]?.body).toMatchObject({ resume: true });
  });

  it("stops what another tab has begun", async () => {
    const http = new Scripted([{ job: job(1, "CANCELLED"), calls: [] }]);
    http.jobs = [job(1, "RUNNING")];
    const talk = talking(http);
    await talk.look();
    expect(talk.state.job?.status).toBe("RUNNING");
    await talk.cancel();
    expect(http.posted[0]?.path).toBe("/agent/jobs/job_1/cancel");
    expect(lines(talk).at(-1)).toBe("failed: Stopped.");
  });
});
