import { describe, expect, it } from "vitest";
import type { followToEnd } from "../../src/runtime/events.ts";
import { Http, Problem } from "../../src/runtime/http.ts";
import { newId } from "../../src/runtime/sessions.ts";
import { Talk } from "../../src/runtime/talk.ts";
import type { RunEvent } from "../../src/runtime/types.ts";

/** A service with a conversation: its jobs, newest first, and the events of each. */
function service(jobs: string[] | Problem, events: Record<string, string[]>) {
  const said: unknown[] = [];
  class Scripted extends Http {
    override async get<T>(): Promise<T> {
      if (jobs instanceof Problem) throw jobs;
      return { jobs: jobs.map((job_id) => ({ job_id })) } as T;
    }
    override async post<T>(_path: string, body: unknown): Promise<T> {
      said.push(body);
      return { job_id: "new" } as T;
    }
  }
  const following: typeof followToEnd = async (_http, job, saw, signal) => {
    for (const [id, event] of (events[job] ?? []).entries()) {
      await Promise.resolve();
      if (!signal.aborted) saw({ id, event } as RunEvent);
    }
  };
  return { http: new Scripted(), following, said };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe("a conversation", () => {
  it("tells its jobs again, the oldest first, each event once", async () => {
    const seen: string[] = [];
    const { http, following } = service(["second", "first"], {
      first: ["RunStarted", "RunFinished"],
      second: ["RunStarted", "RunParked"],
    });
    const talk = new Talk(http, "a", "s", { saw: (job, event) => seen.push(`${job} ${event.event}`), failed: () => undefined }, following);
    await Promise.all([talk.resume(), talk.resume()]);
    await settled();
    expect(seen).toEqual(["first RunStarted", "first RunFinished", "second RunStarted", "second RunParked"]);
  });

  it("follows what it says, and sends nothing that was said before", async () => {
    const seen: string[] = [];
    const { http, following, said } = service([], { new: ["RunStarted"] });
    const talk = new Talk(http, "a", "s", { saw: (_, event) => seen.push(event.event), failed: () => undefined }, following);
    await talk.say("hello");
    await talk.say("again");
    await settled();
    expect(said).toEqual([
      { app: "a", session_id: "s", message: "hello" },
      { app: "a", session_id: "s", message: "again" },
    ]);
    expect(seen).toEqual(["RunStarted"]);
  });

  it("takes one that nobody knows for a new one, and every other problem for what it is", async () => {
    const quiet = { saw: () => undefined, failed: () => undefined };
    const unknown = service(new Problem(404, "not_found", "no"), {});
    await new Talk(unknown.http, "a", "s", quiet, unknown.following).resume();
    const refused = service(new Problem(401, "", "no"), {});
    await expect(new Talk(refused.http, "a", "s", quiet, refused.following).resume()).rejects.toThrow("no");
  });

  it("hears nothing more once it was left, and goes on after a job that cannot be followed", async () => {
    const seen: string[] = [];
    const failed: unknown[] = [];
    const { http } = service(["b", "a"], {});
    const following: typeof followToEnd = async (_http, job, saw) => {
      if (job === "a") throw new Error("broken");
      saw({ id: 0, event: job });
    };
    const talk = new Talk(http, "x", "s", { saw: (_, event) => seen.push(event.event), failed: (error) => failed.push(error) }, following);
    await talk.resume();
    await settled();
    expect([seen, failed.length]).toEqual([["b"], 1]);
    const scripted = service(["a"], { a: ["RunStarted"] });
    const left = new Talk(
      scripted.http,
      "x",
      "s",
      { saw: (_, event) => seen.push(event.event), failed: () => undefined },
      scripted.following,
    );
    await left.resume();
    left.leave();
    await settled();
    expect(seen).toEqual(["b"]);
  });

  it("has a name of its own each time", () => {
    expect(newId()).toMatch(/^[0-9a-f]{32}$/);
    expect(newId()).not.toBe(newId());
  });
});
