/**
 * Reads out, sentence by sentence: the next one is fetched while one is heard.
 *
 * - Readings come one after the other. `hush` ends all of them at once, also one that is only being fetched.
 */

/** Where sound comes out. */
export interface Player {
  /** Play it to its end, or until the signal. */
  play(sound: ArrayBuffer, signal: AbortSignal): Promise<void>;
}

export type Voiced = (sentence: string, signal: AbortSignal) => Promise<ArrayBuffer>;

export class Speaker {
  private last: Promise<unknown> = Promise.resolve();
  private stopping = new AbortController();

  constructor(
    private readonly voiced: Voiced,
    private readonly player: Player,
  ) {}

  /** Read these out; true where it was heard to its end. */
  read(sentences: readonly string[]): Promise<boolean> {
    const { signal } = this.stopping;
    const reading = this.last.then(() => this.reading(sentences, signal));
    this.last = reading.catch(() => undefined);
    return reading;
  }

  /** Be quiet now. */
  hush(): void {
    this.stopping.abort();
    this.stopping = new AbortController();
  }

  private async reading(sentences: readonly string[], signal: AbortSignal): Promise<boolean> {
    let coming = this.coming(sentences[0], signal);
    for (let at = 0; at < sentences.length && !signal.aborted; at++) {
      const sound = await coming;
      coming = this.coming(sentences[at + 1], signal);
      if (sound !== undefined && !signal.aborted) await this.player.play(sound, signal);
    }
    return !signal.aborted;
  }

  private coming(sentence: string | undefined, signal: AbortSignal): Promise<ArrayBuffer | undefined> {
    if (sentence === undefined || signal.aborted) return Promise.resolve(undefined);
    const sound = this.voiced(sentence, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    sound.catch(() => undefined); // told once it is this sentence's turn
    return sound;
  }
}

/** Through WebAudio: it needs no address for the sound, so the content policy stays as narrow as it is. */
export class WebPlayer implements Player {
  constructor(private readonly context: () => AudioContext) {}

  async play(sound: ArrayBuffer, signal: AbortSignal): Promise<void> {
    const context = this.context();
    const buffer = await context.decodeAudioData(sound);
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(context.destination);
      source.onended = () => resolve();
      signal.addEventListener("abort", () => source.stop(), { once: true });
      source.start();
    });
  }
}
