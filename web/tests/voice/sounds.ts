/** Made-up sounds: what a voice, a hiss and a click look like to whoever only counts. */

import { RATE } from "../../src/runtime/voice/vad.ts";

/** Chance that is the same each time. */
function dice(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 1_073_741_824 - 1;
  };
}

function made(seconds: number, rate: number, sample: (at: number) => number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, at) => sample(at / rate));
}

/** A voice of 140 Hz with overtones, that swells four times a second as syllables do. */
export function voice(seconds: number, loud = 0.3, rate = RATE): Float32Array {
  const tone = (at: number): number => [1, 2, 3, 4].reduce((sum, over) => sum + Math.sin(2 * Math.PI * 140 * over * at) / over, 0) / 2;
  return made(seconds, rate, (at) => loud * (0.55 + 0.45 * Math.sin(2 * Math.PI * 4 * at)) * tone(at));
}

export function hiss(seconds: number, loud: number, rate = RATE): Float32Array {
  const next = dice();
  return made(seconds, rate, () => loud * next());
}

/** A fan: low, and as loud all the time. */
export function hum(seconds: number, loud: number, rate = RATE): Float32Array {
  return made(seconds, rate, (at) => loud * Math.sin(2 * Math.PI * 100 * at));
}

export function silence(seconds: number, rate = RATE): Float32Array {
  return hiss(seconds, 0.001, rate);
}

export function after(...sounds: Float32Array[]): Float32Array {
  const whole = new Float32Array(sounds.reduce((sum, sound) => sum + sound.length, 0));
  let at = 0;
  for (const sound of sounds) {
    whole.set(sound, at);
    at += sound.length;
  }
  return whole;
}

export function mixed(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((sample, at) => sample + (other[at] ?? 0));
}
