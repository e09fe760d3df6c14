/**
 * A spoken yes or no to what was just read out, told by the page and by nothing else.
 *
 * - Only exact words count, and only where the whole utterance is nothing but them.
 * - They count for the one approval whose reading has ended, with the document that was read, once, and for a short while.
 * - Words that began before the reading ended are no answer to it: neither its own echo, nor somebody who has not heard all of it.
 */

import type { Approval } from "../types.ts";

const YES = new Set([
  "yes",
  "yes please",
  "yes do it",
  "yes order it",
  "yes place the order",
  "yes go ahead",
  "order it",
  "place the order",
  "confirm",
  "confirm it",
  "confirm the order",
  "i confirm",
  "go ahead",
]);
const NO = new Set([
  "no",
  "no thanks",
  "no thank you",
  "no dont",
  "no cancel",
  "no cancel it",
  "dont",
  "do not",
  "dont do it",
  "dont order it",
  "do not order it",
  "cancel",
  "cancel it",
  "cancel that",
  "cancel the order",
]);
const OFF = new Set([
  "stop listening",
  "please stop listening",
  "stop listening please",
  "switch off",
  "hands free off",
  "stop hands free",
]);
const HUSH = new Set(["stop", "stop talking", "be quiet", "quiet", "stop it", "stop please"]);

/** Milliseconds after a reading within which an answer to it begins. */
export const LASTS = 15_000;

type ReadApproval = Pick<Approval, "approval_id" | "digest" | "status">;

/** The words of an utterance, without what a transcript adds to them. */
export function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Yes, no, or neither. */
export function decisionIn(text: string): boolean | undefined {
  const words = bare(text);
  return YES.has(words) ? true : NO.has(words) ? false : undefined;
}

/** Whether somebody wants not to be listened to any more, or only not to be spoken to. */
export function wishIn(text: string): "off" | "hush" | undefined {
  const words = bare(text);
  return OFF.has(words) ? "off" : HUSH.has(words) ? "hush" : undefined;
}

export class Consent {
  private read: { approval_id: string; digest: string; at: number } | undefined;

  /** All of it was read out, and the reading ended now. */
  opened(approval: ReadApproval, at: number): void {
    this.read = { approval_id: approval.approval_id, digest: approval.digest, at };
  }

  /** What was read does not count any more. */
  close(): void {
    this.read = undefined;
  }

  /** Whether an utterance that began then answers this approval; it can be asked once. */
  answers(approval: ReadApproval, began: number): boolean {
    const read = this.read;
    if (read === undefined || approval.status !== "pending") return false;
    const same = read.approval_id === approval.approval_id && read.digest === approval.digest;
    if (!same || began < read.at || began > read.at + LASTS) return false;
    this.read = undefined;
    return true;
  }
}
