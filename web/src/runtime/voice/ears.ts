/**
 * The microphone, and what is heard by it. It is open only while somebody is to be heard: closing it puts the browser's red light out.
 */

import type { Heard, Listening } from "./segments.ts";
import listener from "./worklet.ts?worker&url";

export interface Ears {
  /** Open the microphone; the person may be asked for leave. */
  open(heard: (heard: Heard) => void): Promise<void>;
  listen(listening: Listening): void;
  close(): void;
}

const WANTED: MediaStreamConstraints = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
};

export class Microphone implements Ears {
  private opened: { stream: MediaStream; source: AudioNode; node: AudioWorkletNode } | undefined;
  private loaded: Promise<void> | undefined;

  constructor(private readonly context: () => AudioContext) {}

  async open(heard: (heard: Heard) => void): Promise<void> {
    if (this.opened !== undefined) return;
    const context = this.context();
    const stream = await navigator.mediaDevices.getUserMedia(WANTED);
    try {
      await (this.loaded ??= context.audioWorklet.addModule(listener));
      const node = new AudioWorkletNode(context, "listener", { numberOfOutputs: 0 });
      node.port.onmessage = ({ data }: MessageEvent<Heard>) => heard(data);
      for (const track of stream.getTracks()) track.onended = () => heard({ kind: "lost" });
      const source = context.createMediaStreamSource(stream);
      source.connect(node);
      this.opened = { stream, source, node };
    } catch (error) {
      this.loaded = undefined;
      stop(stream);
      throw error;
    }
  }

  listen(listening: Listening): void {
    this.opened?.node.port.postMessage(listening);
  }

  close(): void {
    if (this.opened === undefined) return;
    const { stream, source, node } = this.opened;
    this.opened = undefined;
    node.port.onmessage = null;
    source.disconnect();
    stop(stream);
  }
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
