/** Sound of a microphone's own rate as sound of a lower one, block by block: each sample is the mean of those that it stands for. */

export class Resampler {
  private readonly ratio: number;
  private sum = 0;
  private count = 0;
  private at = 0;

  constructor(from: number, to: number) {
    if (from < to) throw new Error(`a microphone of ${from} Hz is too slow for ${to} Hz`);
    this.ratio = from / to;
  }

  /** The samples that are complete with this block. */
  next(block: Float32Array): number[] {
    const found: number[] = [];
    for (const sample of block) {
      this.sum += sample;
      this.count += 1;
      this.at += 1;
      if (this.at < this.ratio) continue;
      found.push(this.sum / this.count);
      this.at -= this.ratio;
      this.sum = this.count = 0;
    }
    return found;
  }
}
