/**
 * Requests to the service: JSON both ways, the token that posts carry, and problems (RFC 9457) as exceptions with words for people.
 *
 * - A browser is known by its cookie; `GET /me` says the token that every post carries.
 * - A request that cannot reach the service is a problem too, with `status` 0.
 */

import type { Me } from "./types.ts";

/** Something to tell instead of what was asked for. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

const UNREACHABLE = "The service cannot be reached. Is it running, and are you online?";

export class Http {
  private token: Promise<string> | undefined;

  constructor(private readonly fetcher: typeof fetch = (...request) => fetch(...request)) {}

  /** Who is signed in. */
  async me(): Promise<Me> {
    return this.get<Me>("/me");
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.json<T>(await this.send("GET", path, undefined, signal));
  }

  async post<T>(path: string, body: unknown, options: { signal?: AbortSignal; headers?: Record<string, string> } = {}): Promise<T> {
    return this.json<T>(await this.send("POST", path, JSON.stringify(body), options.signal, options.headers));
  }

  async delete<T>(path: string, body?: unknown): Promise<T> {
    return this.json<T>(await this.send("DELETE", path, body === undefined ? undefined : JSON.stringify(body)));
  }

  /** A request whose answer is not JSON, such as a stream or a recording. */
  async send(method: string, path: string, body?: BodyInit, signal?: AbortSignal, more: Record<string, string> = {}): Promise<Response> {
    const headers = new Headers({ Accept: "application/json", ...more });
    if (typeof body === "string") headers.set("Content-Type", "application/json");
    if (method !== "GET") headers.set("X-CSRF-Token", await this.csrf());
    const request: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
    if (body !== undefined) request.body = body;
    if (signal !== undefined) request.signal = signal;
    const response = await this.reached(path, request);
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  private async csrf(): Promise<string> {
    this.token ??= this.me().then((me) => me.csrf_token ?? "");
    try {
      return await this.token;
    } catch (error) {
      this.token = undefined;
      throw error;
    }
  }

  private async reached(path: string, request: RequestInit): Promise<Response> {
    try {
      return await this.fetcher(path, request);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new Problem(0, "unreachable", UNREACHABLE);
    }
  }

  private async json<T>(response: Response): Promise<T> {
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const said: unknown = await response.json();
    if (typeof said === "object" && said !== null && "detail" in said && typeof said.detail === "string") {
      return new Problem(response.status, "code" in said && typeof said.code === "string" ? said.code : "", said.detail);
    }
  } catch {
    // It is no JSON: somebody between us and the service has answered.
  }
  return new Problem(response.status, "", `The service answered ${response.status}. Try again later.`);
}
