// @vitest-environment node
import { describe, expect, it } from "vitest";
import { FRAME, measured, OVER_OUR_VOICE, RATE, SILENT, step, TUNING, type Vad } from "../../src/runtime/voice/vad.ts";
import { after, hiss, hum, mixed, silence, voice } from "./sounds.ts";

/** When speaking begins and ends, in seconds. */
function changes(sound: Float32Array, tuning = TUNING): { speaking: boolean; at: number }[] {
  const found: { speaking: boolean; at: number }[] = [];
  let state: Vad = SILENT;
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    const next = step(state, measured(sound.subarray(at, at + FRAME)), tuning);
    if (next.speaking !== state.speaking) found.push({ speaking: next.speaking, at: (at + FRAME) / RATE });
    state = next;
  }
  return found;
}

describe("whether somebody speaks", () => {
  it("an utterance begins with the voice and ends a while after it", () => {
    const [began, ended, ...more] = changes(after(silence(1), voice(1.5), silence(2)));
    expect(began).toMatchObject({ speaking: true });
    expect(began?.at).toBeGreaterThan(1);
    expect(began?.at).toBeLessThan(1.35);
    expect(ended?.at).toBeGreaterThanOrEqual(2.5 + TUNING.silence / 1000 - 0.2);
    expect(ended?.at).toBeLessThan(3.6);
    expect(more).toEqual([]);
  });

  it("a pause for breath ends nothing", () => {
    expect(changes(after(silence(1), voice(1), silence(0.5), voice(1), silence(2)))).toHaveLength(2);
  });

  it("two utterances are two", () => {
    expect(changes(after(silence(1), voice(1), silence(1.5), voice(1), silence(2)))).toHaveLength(4);
  });

  it.each([
    ["silence", silence(5)],
    ["nothing at all", new Float32Array(RATE)],
    ["hiss that comes suddenly", after(silence(1), hiss(3, 0.3))],
    ["clicks", after(silence(1), voice(0.04), silence(1), voice(0.06), silence(1))],
    ["a fan that has been on for long", after(hum(6, 0.02))],
  ])("%s is nobody", (_, sound) => {
    expect(changes(sound)).toEqual([]);
  });

  it("a fan that is switched on is somebody only until it is known", () => {
    const found = changes(after(silence(2), hum(60, 0.05)), TUNING);
    expect(found.at(-1)?.speaking ?? false).toBe(false);
  });

  it("a voice over the noise of a room is heard", () => {
    const room = hiss(6, 0.05);
    expect(changes(mixed(after(silence(2), voice(1.5), silence(2.5)), room))).toHaveLength(2);
  });

  it("a quiet voice in a quiet room is heard", () => {
    expect(changes(after(silence(2), voice(1.5, 0.06), silence(2)))).toHaveLength(2);
  });

  it("what comes back softly of our own voice does not interrupt it, and somebody who speaks up does", () => {
    expect(changes(after(silence(1), voice(3, 0.05)), OVER_OUR_VOICE)).toEqual([]);
    expect(changes(after(silence(1), voice(1, 0.4)), OVER_OUR_VOICE)).toMatchObject([{ speaking: true }]);
  });

  it("a step changes nothing but what it gives back", () => {
    const state = Object.freeze({ ...SILENT });
    expect(step(state, { level: 0.5, crossings: 0.1 })).not.toBe(state);
    expect(state).toEqual(SILENT);
  });
});
