/**
 * A job's events as they happen, each once: server-sent events over `fetch`, taken up again after a break where they were left.
 */

import { createParser } from "eventsource-parser";
import type { Http } from "./http.ts";
import { Problem } from "./http.ts";
import type { RunEvent } from "./types.ts";

const PAUSES = [500, 1_000, 2_000, 5_000];

/** Follow a job's events until it ends, or until the signal says so. */
export async function follow(
  http: Http,
  job: string,
  saw: (event: RunEvent) => void,
  signal: AbortSignal,
  pause: (milliseconds: number) => Promise<void> = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
): Promise<void> {
  let last = -1;
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...(last >= 0 ? { "Last-Event-ID": String(last) } : {}) };
      const response = await http.send("GET", `/agent/jobs/${encodeURIComponent(job)}/events`, undefined, signal, headers);
      if (response.status === 204 || response.body === null) return;
      last = await read(response.body, last, (event) => {
        tries = 0;
        saw(event);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    }
    await pause(PAUSES[Math.min(tries, PAUSES.length - 1)] ?? 5_000);
  }
}

/** Follow a job's events up to the one that ends its run. */
export async function followToEnd(http: Http, job: string, saw: (event: RunEvent) => void, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const told = (event: RunEvent): void => {
    saw(event);
    if (event.event === "RunFinished") ended.abort();
  };
  await follow(http, job, told, AbortSignal.any([signal, ended.signal]));
}

async function read(body: ReadableStream<Uint8Array>, after: number, saw: (event: RunEvent) => void): Promise<number> {
  let last = after;
  const parser = createParser({
    onEvent(message) {
      const id = Number(message.id ?? NaN);
      if (!Number.isInteger(id) || id <= last) return;
      last = id;
      saw({ ...(JSON.parse(message.data) as Omit<RunEvent, "id">), id } as RunEvent);
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last;
    parser.feed(value);
  }
}
