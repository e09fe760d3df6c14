/**
 * A stream of sound cut into utterances, at 16 kHz: by voice activity while it is open, by a person's hand while it is held.
 *
 * - What came just before an utterance began belongs to it, or its first sound would be missing.
 * - An utterance has a longest length; what is said beyond it is the next one.
 */

import { Resampler } from "./resampling.ts";
import { FRAME, measured, OVER_OUR_VOICE, RATE, SILENT, step, TUNING, type Vad } from "./vad.ts";

/** Nobody is listened to; whoever speaks; one utterance, until the hold is over. */
export type Mode = "off" | "open" | "held";

export interface Listening {
  mode: Mode;
  /** The page itself speaks. */
  over: boolean;
}

export type Heard = { kind: "began" } | { kind: "ended"; samples: Float32Array } | { kind: "level"; level: number } | { kind: "lost" };

export const LONGEST_SECONDS = 30;
const BEFORE = Math.round((0.4 * RATE) / FRAME);
const LONGEST = (LONGEST_SECONDS * RATE) / FRAME;
/** Frames between two reports of the level. */
const REPORTS = 5;

export class Segments {
  private readonly resampler: Resampler;
  private listening: Listening = { mode: "off", over: false };
  private vad: Vad = SILENT;
  private before: Float32Array[] = [];
  private utterance: Float32Array[] | undefined;
  private frame = new Float32Array(FRAME);
  private filled = 0;
  private frames = 0;

  constructor(rate: number) {
    this.resampler = new Resampler(rate, RATE);
  }

  /** Listen in another way from now on. A hold takes up what is being said already, and its end is the utterance's. */
  listen(listening: Listening): Heard[] {
    const was = this.listening.mode;
    this.listening = listening;
    if (was === listening.mode) return [];
    const going = this.utterance;
    this.utterance = undefined;
    this.vad = { ...SILENT, floor: this.vad.floor };
    if (listening.mode === "held") {
      this.utterance = going ?? this.before;
      this.before = [];
      return going === undefined ? [{ kind: "began" }] : [];
    }
    this.before = [];
    return was === "held" && going !== undefined ? [this.end(going)] : [];
  }

  /** What a block of sound leads to. */
  heard(block: Float32Array): Heard[] {
    if (this.listening.mode === "off") return [];
    const found: Heard[] = [];
    for (const sample of this.resampler.next(block)) {
      this.frame[this.filled++] = sample;
      if (this.filled < FRAME) continue;
      found.push(...this.next(this.frame));
      this.frame = new Float32Array(FRAME);
      this.filled = 0;
    }
    return found;
  }

  private next(frame: Float32Array): Heard[] {
    const found: Heard[] = [];
    const now = measured(frame);
    if (this.frames++ % REPORTS === 0) found.push({ kind: "level", level: now.level });
    if (this.listening.mode === "open") found.push(...this.activity(step(this.vad, now, this.listening.over ? OVER_OUR_VOICE : TUNING)));
    if (this.utterance === undefined) this.keep(frame);
    else found.push(...this.add(this.utterance, frame));
    return found;
  }

  private activity(vad: Vad): Heard[] {
    const was = this.vad.speaking;
    this.vad = vad;
    if (vad.speaking === was) return [];
    if (vad.speaking) {
      this.utterance = this.before;
      this.before = [];
      return [{ kind: "began" }];
    }
    const ended = this.utterance === undefined ? [] : [this.end(this.utterance)];
    this.utterance = undefined;
    return ended;
  }

  private keep(frame: Float32Array): void {
    this.before.push(frame);
    if (this.before.length > BEFORE) this.before.shift();
  }

  private add(utterance: Float32Array[], frame: Float32Array): Heard[] {
    utterance.push(frame);
    if (utterance.length < LONGEST) return [];
    this.utterance = [];
    return [this.end(utterance), { kind: "began" }];
  }

  private end(utterance: readonly Float32Array[]): Heard {
    const samples = new Float32Array(utterance.length * FRAME);
    utterance.forEach((frame, at) => samples.set(frame, at * FRAME));
    return { kind: "ended", samples };
  }
}
