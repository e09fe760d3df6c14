// @vitest-environment node
import { describe, expect, it } from "vitest";
import { Resampler } from "../../src/runtime/voice/resampling.ts";
import { type Heard, LONGEST_SECONDS, type Mode, Segments } from "../../src/runtime/voice/segments.ts";
import { RATE } from "../../src/runtime/voice/vad.ts";
import { wavOf } from "../../src/runtime/voice/wav.ts";
import { after, silence, voice } from "./sounds.ts";

const BLOCK = 128;

function heard(segments: Segments, sound: Float32Array): Heard[] {
  const found: Heard[] = [];
  for (let at = 0; at < sound.length; at += BLOCK) found.push(...segments.heard(sound.subarray(at, at + BLOCK)));
  return found.filter((each) => each.kind !== "level");
}

function listening(mode: Mode, rate = RATE): Segments {
  const segments = new Segments(rate);
  segments.listen({ mode, over: false });
  return segments;
}

const kinds = (found: readonly Heard[]): string[] => found.map((each) => each.kind);
const seconds = (one: Heard | undefined): number => (one?.kind === "ended" ? one.samples.length / RATE : NaN);

describe("a stream of sound as utterances", () => {
  it.each([16_000, 44_100, 48_000])("an utterance is found at a microphone's own rate of %d Hz", (rate) => {
    const found = heard(listening("open", rate), after(silence(1, rate), voice(1.5, 0.3, rate), silence(2, rate)));
    expect(kinds(found)).toEqual(["began", "ended"]);
    expect(seconds(found[1])).toBeGreaterThan(1.5);
    expect(seconds(found[1])).toBeLessThan(3);
  });

  it("what came just before an utterance began belongs to it", () => {
    const found = heard(listening("open"), after(silence(1), voice(1), silence(2)));
    const samples = found[1]?.kind === "ended" ? found[1].samples : new Float32Array();
    const first = samples.findIndex((sample) => Math.abs(sample) > 0.05);
    expect(first / RATE).toBeGreaterThan(0.1);
    expect(first / RATE).toBeLessThan(0.4);
  });

  it("nobody is listened to before it is wanted", () => {
    expect(new Segments(RATE).heard(voice(1))).toEqual([]);
  });

  it("what is held is one utterance, whatever it sounds like", () => {
    const segments = new Segments(RATE);
    expect(kinds(segments.listen({ mode: "held", over: false }))).toEqual(["began"]);
    expect(heard(segments, after(silence(2), voice(0.5), silence(3)))).toEqual([]);
    const ended = segments.listen({ mode: "off", over: false });
    expect(kinds(ended)).toEqual(["ended"]);
    expect(seconds(ended[0])).toBeCloseTo(5.5, 1);
  });

  it("a hold takes up what is being said already", () => {
    const segments = listening("open");
    expect(kinds(heard(segments, after(silence(1), voice(1))))).toEqual(["began"]);
    expect(segments.listen({ mode: "held", over: false })).toEqual([]);
    const ended = segments.listen({ mode: "open", over: false });
    expect(seconds(ended[0])).toBeGreaterThan(0.9);
  });

  it("what is said when listening ends is left out", () => {
    const segments = listening("open");
    heard(segments, after(silence(1), voice(1)));
    expect(segments.listen({ mode: "off", over: false })).toEqual([]);
    expect(heard(segments, silence(2))).toEqual([]);
  });

  it("an utterance without an end is cut, and goes on as the next one", () => {
    const found = heard(listening("held"), voice(LONGEST_SECONDS + 1));
    expect(kinds(found)).toEqual(["ended", "began"]);
    expect(seconds(found[0])).toBe(LONGEST_SECONDS);
  });
});

describe("sound for the wire", () => {
  it("a lower rate has as many samples as the time has, and the same tone", () => {
    const resampler = new Resampler(44_100, RATE);
    const tone = voice(2, 0.5, 44_100);
    const found: number[] = [];
    for (let at = 0; at < tone.length; at += BLOCK) found.push(...resampler.next(tone.subarray(at, at + BLOCK)));
    expect(found.length).toBeCloseTo(2 * RATE, -1);
    const same = voice(2, 0.5);
    const apart = found.reduce((sum, sample, at) => sum + (sample - (same[at] ?? 0)) ** 2, 0) / found.length;
    expect(Math.sqrt(apart)).toBeLessThan(0.03);
  });

  it("samples become a WAV file that is what it says", () => {
    const view = new DataView(wavOf(Float32Array.of(0, 1, -1, 2), RATE));
    const text = (at: number): string => String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
    expect([text(0), text(8), text(12), text(36)]).toEqual(["RIFF", "WAVE", "fmt ", "data"]);
    expect([view.getUint32(4, true), view.getUint32(24, true), view.getUint32(40, true)]).toEqual([44, RATE, 8]);
    expect([44, 46, 48, 50].map((at) => view.getInt16(at, true))).toEqual([0, 32_767, -32_767, 32_767]);
  });
});
