/** The colour of a job's status. */

import type { JobStatus } from "../runtime/types.ts";
import type { Tone } from "./words.ts";

const TONES: Readonly<Record<JobStatus, Tone>> = {
  PENDING: "plain",
  RUNNING: "wait",
  INPUT_REQUIRED: "warn",
  COMPLETE: "good",
  ERROR: "bad",
  CANCELLED: "plain",
};

export function toneOf(status: JobStatus): Tone {
  return TONES[status];
}
