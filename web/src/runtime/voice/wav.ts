/** Samples as a WAV file: one channel, 16 bits. Every browser can make it, and every audio server reads it. */

const HEAD = 44;

export function wavOf(samples: Float32Array, rate: number): ArrayBuffer {
  const file = new ArrayBuffer(HEAD + samples.length * 2);
  const view = new DataView(file);
  const text = (at: number, word: string): void => [...word].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, file.byteLength - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // bare samples
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, index) => view.setInt16(HEAD + index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true));
  return file;
}
