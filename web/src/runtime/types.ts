/** What the service says, as its OpenAPI document has it; only what pages use. */

export type JobStatus = "PENDING" | "RUNNING" | "INPUT_REQUIRED" | "COMPLETE" | "ERROR" | "CANCELLED";

export interface Me {
  user_id: string;
  csrf_token: string | null;
}

export interface WaitingFor {
  hold: string;
  kind: "approval" | "question" | "message";
  tool: string | null;
  show: unknown;
  expires_at: string | null;
  approval_id: string | null;
}

export interface Job {
  job_id: string;
  session_id: string;
  user_id: string;
  app: string;
  status: JobStatus;
  message: string;
  response: string | null;
  outcome: Record<string, unknown> | null;
  waiting_for: WaitingFor[];
  history_tokens: number;
  history_limit: number;
  retry_of: string | null;
  created_at: string;
  updated_at: string;
}

export interface Approval {
  approval_id: string;
  job_id: string;
  session_id: string;
  tool: string;
  arguments: string;
  show: unknown;
  digest: string;
  status: "pending" | "approved" | "refused" | "expired" | "withdrawn";
  decided_by: string | null;
  comment: string | null;
  expires_at: string | null;
}

export interface SessionListed {
  session_id: string;
  app: string;
  created_at: string;
  updated_at: string;
}

/** One call of a tool that runs in the interface. */
export interface ClientCall {
  job_id: string;
  call_id: string;
  tool: string;
  arguments: Record<string, unknown>;
  deadline: string;
}

/** What came of a client call: exactly one of both. */
export type ClientResult = { job_id: string; call_id: string } & ({ content: unknown } | { error: string });

/** One event of a run's journal. */
export interface RunEvent {
  id: number;
  event: string;
  [field: string]: unknown;
}

export const ENDED: ReadonlySet<JobStatus> = new Set(["COMPLETE", "ERROR", "CANCELLED"]);
