/** The part that runs beside the sound: an AudioWorklet that cuts what the microphone hears into utterances (`segments.ts`). */

import { type Listening, Segments } from "./segments.ts";

// What there is in the global scope of a worklet; TypeScript's own library knows only that of a page.
declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

class Listener extends AudioWorkletProcessor {
  private readonly segments = new Segments(sampleRate);

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Listening>) => {
      for (const heard of this.segments.listen(data)) this.port.postMessage(heard);
    };
  }

  process(inputs: Float32Array[][]): boolean {
    const block = inputs[0]?.[0];
    if (block !== undefined) for (const heard of this.segments.heard(block)) this.port.postMessage(heard);
    return true;
  }
}

registerProcessor("listener", Listener);
