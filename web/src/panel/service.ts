/** What the panel asks the service for, beside what every page does. */

import type { JobStatus } from "../runtime/types.ts";
import type { Edge } from "./graph.ts";

export interface AppListed {
  name: string;
  summary: string;
  page: string | null;
  example: string;
}

export interface ToolShown {
  name: string;
  description: string;
  effect: "read" | "idempotent" | "write";
  where: "server" | "client" | "person";
  submit: boolean;
  notes: string[];
  guards: string[];
}

export interface AgentShown extends AppListed {
  agent: string;
  model: string;
  tools: ToolShown[];
  guards: string[];
  limits: string[];
  edges: Edge[];
}

export interface CheckShown {
  ok: boolean;
  complete: boolean;
  states: number;
  longest: string;
  holds: string[];
  reachable: string[];
  assumes: string[];
  warnings: string[];
  faults: string[];
  story: string[];
  why: string[];
  wrong: string | null;
}

export interface JobRow {
  job_id: string;
  session_id: string;
  app: string;
  status: JobStatus;
  message: string;
  retry_of: string | null;
  created_at: string;
  updated_at: string;
}

export interface Fleet {
  engine: string;
  runs_here: boolean;
  /** Those that live, on any machine; nothing where none are needed. */
  workers: number | null;
  jobs: Record<JobStatus, number>;
}

export const STATUS_WORDS: Readonly<Record<JobStatus, string>> = {
  PENDING: "queued",
  RUNNING: "running",
  INPUT_REQUIRED: "waits for you",
  COMPLETE: "complete",
  ERROR: "failed",
  CANCELLED: "cancelled",
};
