/**
 * Whether somebody speaks: voice activity detection over short frames of sound, as a pure step from state to state.
 *
 * - A frame counts as voice where it is well louder than the room, and its sign changes as seldom as a voice's does: hiss changes it more often.
 * - It takes more to begin than to go on (hysteresis), and a while of silence to end; a click is too short to begin.
 * - How loud the room is, is learnt: at once where it is quieter than thought, slowly where it is louder, and while somebody speaks hardly.
 */

export const RATE = 16_000;
/** Samples of one frame: 20 ms. */
export const FRAME = 320;
const FRAME_MILLISECONDS = (FRAME / RATE) * 1_000;

export interface Measured {
  /** Root of the mean square, 0 to 1. */
  level: number;
  /** The share of neighbouring samples between which the sign changes. */
  crossings: number;
}

export interface Vad {
  speaking: boolean;
  /** How loud the room is by itself. */
  floor: number;
  /** Milliseconds of voice that might be a beginning. */
  voiced: number;
  /** Milliseconds since the last voice. */
  quiet: number;
}

export interface Tuning {
  /** How many times as loud as the room somebody has to be to begin. */
  begins: number;
  /** And to go on. */
  goesOn: number;
  /** What is quieter than this is nobody, however quiet the room is. */
  quietest: number;
  /** Crossings from which on a frame cannot be a beginning. */
  hiss: number;
  /** Milliseconds of voice that are a beginning. */
  enough: number;
  /** Milliseconds of silence that are an end. */
  silence: number;
}

export const TUNING: Tuning = { begins: 2.5, goesOn: 1.7, quietest: 0.008, hiss: 0.35, enough: 120, silence: 800 };
/** While the page itself speaks: its own voice may come back through the loudspeaker, so it takes more to interrupt. */
export const OVER_OUR_VOICE: Tuning = { ...TUNING, begins: 5, quietest: 0.03, enough: 240 };

export const SILENT: Vad = { speaking: false, floor: 0.02, voiced: 0, quiet: 0 };

/** What there is in a frame. */
export function measured(frame: Float32Array): Measured {
  let power = 0;
  let crossings = 0;
  let before = 0;
  for (const sample of frame) {
    power += sample * sample;
    if ((sample < 0 && before > 0) || (sample > 0 && before < 0)) crossings += 1;
    if (sample !== 0) before = sample;
  }
  const count = Math.max(1, frame.length);
  return { level: Math.sqrt(power / count), crossings: crossings / count };
}

/** The state after one more frame. */
export function step(state: Vad, frame: Measured, tuning: Tuning = TUNING): Vad {
  const floor = learnt(state, frame.level);
  if (state.speaking) {
    const quiet = frame.level > Math.max(tuning.quietest * 0.6, floor * tuning.goesOn) ? 0 : state.quiet + FRAME_MILLISECONDS;
    return quiet >= tuning.silence ? { speaking: false, floor, voiced: 0, quiet: 0 } : { speaking: true, floor, voiced: 0, quiet };
  }
  const voice = frame.crossings < tuning.hiss && frame.level > Math.max(tuning.quietest, floor * tuning.begins);
  const voiced = voice ? state.voiced + FRAME_MILLISECONDS : Math.max(0, state.voiced - FRAME_MILLISECONDS);
  return voiced >= tuning.enough ? { speaking: true, floor, voiced: 0, quiet: 0 } : { speaking: false, floor, voiced, quiet: 0 };
}

function learnt(state: Vad, level: number): number {
  if (level < state.floor) return state.floor + (level - state.floor) * 0.3;
  return state.floor + (level - state.floor) * (state.speaking ? 0.0005 : state.voiced > 0 ? 0.005 : 0.03);
}
