import { afterEach, describe, expect, it, vi } from "vitest";
import { MOST_RUNS, newSession, Talk } from "../../src/panel/talk.ts";
import { rowsOf, when } from "../../src/panel/workspace.ts";
import { Http, Problem } from "../../src/runtime/http.ts";
import type { JobRow } from "../../src/panel/service.ts";
import { calls, event, finished, says, started } from "./kit.ts";
import type { Approval, RunEvent } from "../../src/runtime/types.ts";

const row = (id: string, more: Partial<JobRow> = {}): JobRow => ({
  job_id: id,
  session_id: "s",
  app: "a",
  status: "COMPLETE",
  message: `words of ${id}`,
  retry_of: null,
  created_at: "",
  updated_at: "",
  ...more,
});

/** A service that keeps what was posted; each job's stream has these events, and stays open where they do not end it. */
function service(streams: Record<string, RunEvent[]> = {}, approvals: Partial<Approval>[] = []) {
  const posted: [path: string, body: unknown][] = [];
  const answers: unknown[] = [];
  class Fake extends Http {
    override async get<T>(path: string): Promise<T> {
      return (path.startsWith("/agent/approvals") ? { approvals } : { history_tokens: 1, updated_at: "" }) as T;
    }
    override async post<T>(path: string, body: unknown): Promise<T> {
      posted.push([path, body]);
      const answer = answers.shift();
      if (answer instanceof Problem) throw answer;
      return answer as T;
    }
    override async send(_method: string, path: string): Promise<Response> {
      const events = streams[path.split("/")[3] ?? ""] ?? [];
      const text = events.map((each, id) => `id: ${id}\ndata: ${JSON.stringify(each)}\n\n`).join("");
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(text));
          },
        }),
      );
    }
  }
  return { http: new Fake(), posted, answers };
}

let talk: Talk | undefined;
afterEach(() => talk?.leave());

describe("a session in the panel", () => {
  it("shows its newest runs, oldest first, and says how many there are besides", () => {
    const jobs = Array.from({ length: MOST_RUNS + 2 }, (_, at) => row(`job_${99 - at}`));
    talk = new Talk(service().http, "a", "s");
    talk.knows(jobs);
    expect(talk.runs.value.map((run) => run.id).at(-1)).toBe("job_99");
    expect([talk.runs.value.length, talk.earlier.value]).toEqual([MOST_RUNS, 2]);
    talk.knows([row("job_100"), ...jobs]);
    expect(talk.runs.value.map((run) => run.id).at(-1)).toBe("job_100");
    expect(talk.runs.value).toHaveLength(MOST_RUNS + 1);
  });

  it("begins a run with a message, and follows it", async () => {
    const { http, posted, answers } = service({
      job_1: [started("hi"), says("hello"), finished({ status: "completed", output: "hello" })],
    });
    const job = { ...row("job_1"), waiting_for: [] };
    answers.push({ job, calls: [] });
    talk = new Talk(http, "a", "s");
    expect(await talk.say("hi")).toBe(true);
    expect(posted).toMatchObject([["/agent/sessions/s/hop", { app: "a", message: "hi" }]]);
    await vi.waitFor(() => expect(talk?.newest.value?.phase.value).toBe("ended"));
    expect(talk.newest.value?.lines.value.map((line) => "text" in line && line.text)).toEqual(["hi", "hello"]);
  });

  it("says into a run that is going on, and begins another where that has just ended", async () => {
    const { http, posted, answers } = service({ job_1: [started()] });
    talk = new Talk(http, "a", "s");
    talk.knows([row("job_1", { status: "RUNNING" })]);
    await vi.waitFor(() => expect(talk?.newest.value?.phase.value).toBe("running"));
    answers.push({}, new Problem(409, "phase", "It has ended."), { job: { ...row("job_2"), waiting_for: [] }, calls: [] });
    expect(await talk.say("one more thing")).toBe(true);
    expect(await talk.say("and another")).toBe(true);
    expect(posted.map(([path]) => path)).toEqual(["/agent/jobs/job_1/messages", "/agent/jobs/job_1/messages", "/agent/sessions/s/hop"]);
  });

  it("shows what a call from outside waits for, which no event tells of", async () => {
    const asked: Partial<Approval> = { approval_id: "apr_1", digest: "d", status: "pending" };
    const held = event("CallHeld", { by: "person", call: "t1c1", digest: "d" });
    const { http } = service({ job_1: [started()], job_2: [started(), calls(["t1c1", "pay"]), held] }, [asked]);
    for (const [job, apart, phase] of [
      ["job_1", ["apr_1"], "waiting"],
      ["job_2", [], "running"],
    ] as const) {
      talk?.leave();
      talk = new Talk(http, "a", "s");
      talk.knows([row(job)]);
      const run = talk.newest.value;
      await vi.waitFor(() => expect([run?.approvals.value.length, run?.events.value.length]).toEqual([1, job === "job_1" ? 1 : 3]));
      expect([run?.apart.value.map((each) => each.approval_id), run?.phase.value]).toEqual([apart, phase]);
    }
  });

  it("keeps what could not be sent, and says why", async () => {
    const { http, answers } = service();
    answers.push(new Problem(0, "unreachable", "The service cannot be reached."));
    talk = new Talk(http, "a", "s");
    expect(await talk.say("hi")).toBe(false);
    expect(talk.problem.value).toMatchObject({ message: "The service cannot be reached." });
  });

  it("asks again as a run of its own", async () => {
    const { http, posted, answers } = service({ job_1: [started(), finished({ status: "cancelled" })] });
    talk = new Talk(http, "a", "s");
    talk.knows([row("job_1")]);
    answers.push(row("job_2", { retry_of: "job_1" }));
    await talk.retry();
    expect(posted[0]?.[0]).toBe("/agent/jobs/job_1/retry");
    expect(talk.runs.value.map((run) => run.id)).toEqual(["job_1", "job_2"]);
  });

  it("has a name of its own that nobody can guess", () => {
    expect(newSession()).toMatch(/^panel-[0-9a-f]{32}$/);
    expect(newSession()).not.toBe(newSession());
  });
});

describe("the list of sessions", () => {
  it("is named by the words it began with, and stands as its newest job does", () => {
    const session = { session_id: "s", app: "a", created_at: "", updated_at: "2026-01-01T00:00:00Z" };
    const [found] = rowsOf([session], [row("job_2", { status: "ERROR" }), row("job_1")]);
    expect(found).toMatchObject({ title: "words of job_1", status: "ERROR" });
    expect(rowsOf([session], [])[0]).toMatchObject({ title: "s", status: undefined });
  });

  it("says the time of today and the day of another day", () => {
    const now = new Date("2026-06-15T12:00:00Z");
    expect(when("2026-06-15T11:30:00Z", now)).toMatch(/30/);
    expect(when("2026-02-03T12:00:00Z", now)).toMatch(/3/);
    expect(when("never", now)).toBe("");
  });
});
