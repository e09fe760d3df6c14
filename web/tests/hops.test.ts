import { describe, expect, it } from "vitest";
import { Loop, type Hop } from "../src/runtime/hops.ts";
import { Http, Problem } from "../src/runtime/http.ts";
import { CannotNow, Registry } from "../src/runtime/registry.ts";
import type { ClientCall, Job } from "../src/runtime/types.ts";

const job = (status: Job["status"], more: Partial<Job> = {}): Job => ({
  job_id: "job_1",
  session_id: "s",
  user_id: "ada",
  app: "a",
  status,
  message: "hi",
  response: null,
  outcome: null,
  waiting_for: [],
  history_tokens: 0,
  history_limit: 1,
  retry_of: null,
  created_at: "",
  updated_at: "",
  ...more,
});
const call = (number: number, tool = "open"): ClientCall => ({
  job_id: "job_1",
  call_id: `t1c${number}`,
  tool,
  arguments: { number },
  deadline: "",
});

/** A service that answers hops one after the other, and keeps what it was sent. */
function service(...answers: (Hop | Problem)[]) {
  const sent: Record<string, unknown>[] = [];
  class Scripted extends Http {
    override async post<T>(_path: string, body: unknown): Promise<T> {
      sent.push(body as Record<string, unknown>);
      const answer = answers.shift();
      if (answer instanceof Problem) throw answer;
      if (answer === undefined) throw new Error("one hop more than there are answers");
      return answer as T;
    }
  }
  return { http: new Scripted(), sent };
}

describe("the loop in the browser", () => {
  it("acts on calls in order and posts what came of them until the run rests", async () => {
    const acts: unknown[] = [];
    const registry = new Registry([{ name: "open", run: async (args) => acts.push(args["number"]) }]);
    const { http, sent } = service(
      { job: job("RUNNING"), calls: [] },
      { job: job("RUNNING"), calls: [call(1), call(2)] },
      { job: job("COMPLETE", { response: "done" }), calls: [] },
    );
    const ended = await new Loop(http, registry, "a", "s").say("go");
    expect(acts).toEqual([1, 2]);
    expect(sent[2]?.["results"]).toMatchObject([{ call_id: "t1c1" }, { call_id: "t1c2" }]);
    expect(ended?.response).toBe("done");
  });

  it("stops where a person has to answer", async () => {
    const waits = job("INPUT_REQUIRED", {
      waiting_for: [{ hold: "h", kind: "approval", tool: "pay", show: "", expires_at: null, approval_id: "apr_1" }],
    });
    const { http, sent } = service({ job: waits, calls: [] }, { job: waits, calls: [] });
    expect((await new Loop(http, new Registry([]), "a", "s").say("go"))?.status).toBe("INPUT_REQUIRED");
    expect(sent).toHaveLength(2);
  });

  it("does not rest by a look from before what was said had been read", async () => {
    const waits = job("INPUT_REQUIRED", {
      waiting_for: [{ hold: "h", kind: "message", tool: null, show: "", expires_at: null, approval_id: null }],
    });
    const { http } = service({ job: waits, calls: [] }, { job: job("COMPLETE", { response: "done" }), calls: [] });
    expect((await new Loop(http, new Registry([]), "a", "s").say("go"))?.response).toBe("done");
  });

  it("makes the calls that came with a second message while the first loop waits for just them", async () => {
    const acts: unknown[] = [];
    const registry = new Registry([{ name: "open", run: async (args) => acts.push(args["number"]) }]);
    let news = (): void => undefined;
    class Waiting extends Http {
      private hops = 0;
      override async post<T>(_path: string, body: unknown): Promise<T> {
        const { message, results } = body as { message?: string; results?: unknown[] };
        if (results !== undefined && results.length > 0) news();
        if (message === "two") return { job: job("RUNNING"), calls: [call(1)] } as T;
        if (message === "one" || this.hops++ > 0) return { job: job(message === "one" ? "RUNNING" : "COMPLETE"), calls: [] } as T;
        await new Promise<void>((resolve) => (news = resolve));
        return { job: job("COMPLETE"), calls: [] } as T;
      }
    }
    const loop = new Loop(new Waiting(), registry, "a", "s");
    const first = loop.say("one");
    await Promise.all([first, loop.say("two")]);
    expect(acts).toEqual([1]);
  });

  it("a loop that failed does not fail the next one", async () => {
    const { http } = service(new Problem(404, "no_app", "no"), { job: job("RUNNING"), calls: [] }, new Problem(404, "gone", "no"), {
      job: job("COMPLETE", { response: "done" }),
      calls: [],
    });
    const loop = new Loop(http, new Registry([]), "a", "s");
    await expect(loop.say("one")).rejects.toThrow("no");
    await expect(loop.say("two")).rejects.toThrow("no");
    expect((await loop.say("three"))?.response).toBe("done");
  });

  it("posts results again while the service cannot be reached", async () => {
    const registry = new Registry([{ name: "open", run: async () => "opened" }]);
    const { http, sent } = service(
      { job: job("RUNNING"), calls: [call(1)] },
      new Problem(0, "unreachable", "no"),
      new Problem(503, "stopping", "no"),
      { job: job("COMPLETE"), calls: [] },
    );
    await new Loop(http, registry, "a", "s", {}, async () => undefined).say("go");
    expect(sent[1]).toEqual(sent[3]);
  });

  it("takes a second message at once, and one loop goes on for both", async () => {
    const { http, sent } = service(
      { job: job("RUNNING"), calls: [] },
      { job: job("RUNNING"), calls: [] },
      { job: job("COMPLETE"), calls: [] },
      { job: job("COMPLETE"), calls: [] },
    );
    const loop = new Loop(http, new Registry([]), "a", "s");
    await Promise.all([loop.say("one"), loop.say("two")]);
    expect(sent.slice(0, 2).map((body) => body["message"])).toEqual(["one", "two"]);
  });
});

describe("the registry", () => {
  const registry = new Registry([
    {
      name: "close",
      run: async () => {
        throw new CannotNow("No page is open.");
      },
    },
    {
      name: "broken",
      run: async () => {
        throw new Error("secret");
      },
    },
  ]);

  it("says why the interface cannot do something now", async () => {
    expect(await registry.act(call(1, "close"))).toMatchObject({ error: "No page is open." });
  });
  it("case 63: an action that is not there is an error at once", async () => {
    expect(await registry.act(call(1, "toString"))).toMatchObject({ error: "This interface has no toString." });
  });
  it("keeps the words of a failure of its own to itself", async () => {
    expect(JSON.stringify(await registry.act(call(1, "broken")))).not.toContain("secret");
  });
});
