/**
 * A conversation by voice: what is heard becomes what is said, and answers are read out.
 *
 * - Utterances are taken in their order, and none is lost: one that interrupts ends the reading at once and is kept.
 * - What was heard goes one way only: it ends the listening, it answers the approval that was just read out, or it is a message.
 * - A no always counts as what it is. A yes that answers no reading is never sent on as a message: there it would be a no.
 */

import { reactive } from "vue";
import type { Http } from "../http.ts";
import type { Approval } from "../types.ts";
import { Consent, decisionIn, wishIn } from "./consent.ts";
import type { Ears } from "./ears.ts";
import type { Heard, Mode } from "./segments.ts";
import { sentencesOf } from "./sentences.ts";
import { type Player, Speaker } from "./speaker.ts";
import { decidingTrouble, hearingTrouble, LOST, microphoneTrouble, NOT_YET, speakingTrouble, UNHEARD } from "./troubles.ts";
import { RATE } from "./vad.ts";
import { wavOf } from "./wav.ts";

export type Doing = "nothing" | "opening" | "listening" | "hearing" | "understanding" | "speaking";

export interface TalkingState {
  handsfree: boolean;
  held: boolean;
  doing: Doing;
  /** How loud it is at the microphone, 0 to 1. */
  level: number;
  /** What was understood last. */
  heard: string;
  trouble: string;
}

/** What is on the page around a voice. */
export interface Around {
  say: (text: string) => Promise<unknown>;
  approval: () => Approval | undefined;
  decide: (approve: boolean, approval: Approval) => Promise<unknown>;
  prompt: () => string;
}

export class Talking {
  readonly state = reactive<TalkingState>({ handsfree: false, held: false, doing: "nothing", level: 0, heard: "", trouble: "" });
  private readonly speaker: Speaker;
  private readonly consent = new Consent();
  private opening = false;
  private open = false;
  private hearing = false;
  private understanding = 0;
  private readings = 0;
  private began = 0;
  private last: Promise<unknown> = Promise.resolve();
  private used = false;
  private lastReading: { text: string; approval: Approval } | undefined;

  constructor(
    private readonly http: Http,
    private readonly ears: Ears,
    player: Player,
    private readonly around: Around,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.speaker = new Speaker((sentence, signal) => this.voiced(sentence, signal), player);
  }

  /** Read something out; where it is what an approval shows, the words that follow may answer it. */
  async speak(text: string, approval?: Approval): Promise<void> {
    const sentences = sentencesOf(await wordsAlone(text));
    if (approval !== undefined) this.lastReading = { text, approval };
    this.consent.close();
    this.readings += 1;
    this.show();
    try {
      const whole = await this.speaker.read(sentences);
      if (whole && approval !== undefined) this.consent.opened(approval, this.now());
    } catch (error) {
      this.state.trouble = speakingTrouble(error);
    } finally {
      this.readings -= 1;
      this.show();
    }
  }

  /** Whether somebody talks with the page: only then are answers read out. */
  get inUse(): boolean {
    return this.state.handsfree || this.used;
  }

  /** Begin to hold: listen until `release`, whatever is being read out. */
  async hold(): Promise<void> {
    this.state.held = true;
    this.speaker.hush();
    if (await this.opened()) this.show();
  }

  /** The hold is over: what was said in it is taken. */
  release(): void {
    this.state.held = false;
    this.show();
  }

  /** Listen to whoever speaks, or not any more. */
  async handsfree(on: boolean): Promise<boolean> {
    this.state.handsfree = on;
    if (on && !(await this.opened())) this.state.handsfree = false;
    this.show();
    return this.state.handsfree === on;
  }

  /** Neither listen nor speak any more. */
  stop(): void {
    this.speaker.hush();
    this.consent.close();
    this.state.held = false;
    this.state.handsfree = false;
    this.hearing = false;
    this.used = false;
    this.show();
  }

  /** Only stop speaking. */
  hush(): void {
    this.speaker.hush();
  }

  private async opened(): Promise<boolean> {
    this.state.trouble = "";
    if (this.open || this.opening) return true;
    this.opening = true;
    this.show();
    try {
      await this.ears.open((heard) => this.saw(heard));
      this.open = true;
      return true;
    } catch (error) {
      this.state.held = false;
      this.state.trouble = microphoneTrouble(error);
      return false;
    } finally {
      this.opening = false;
      this.show();
    }
  }

  private saw(heard: Heard): void {
    switch (heard.kind) {
      case "level":
        this.state.level = Math.min(1, heard.level * 6);
        return;
      case "began":
        this.began = this.now();
        this.hearing = true;
        this.speaker.hush();
        break;
      case "ended":
        this.hearing = false;
        this.take(heard.samples, this.began);
        break;
      case "lost":
        this.stop();
        this.state.trouble = LOST;
    }
    this.show();
  }

  private take(samples: Float32Array, began: number): void {
    this.understanding += 1;
    this.used = true;
    this.last = this.last
      .then(() => this.understood(samples))
      .then((text) => this.answered(text, began))
      .catch((error: unknown) => {
        this.state.trouble = hearingTrouble(error);
      })
      .finally(() => {
        this.understanding -= 1;
        this.show();
      });
  }

  private async understood(samples: Float32Array): Promise<string> {
    const form = new FormData();
    form.set("file", new File([wavOf(samples, RATE)], "said.wav", { type: "audio/wav" }));
    form.set("prompt", this.around.prompt());
    const answer = await this.http.send("POST", "/v1/audio/transcriptions", form);
    return ((await answer.json()) as { text: string }).text.trim();
  }

  /** One way only: the first that fits. */
  private async answered(text: string, began: number): Promise<void> {
    this.state.heard = text;
    this.state.trouble = text === "" ? UNHEARD : "";
    const wish = wishIn(text);
    if (text === "" || wish === "hush") return;
    if (wish === "off") return this.stop();
    const approval = this.around.approval();
    const decision = decisionIn(text);
    if (approval !== undefined && decision !== undefined) {
      if (this.consent.answers(approval, began)) return this.decided(decision, approval);
      if (decision) return this.again(approval);
    }
    this.said(text);
  }

  private async decided(approve: boolean, approval: Approval): Promise<void> {
    try {
      await this.around.decide(approve, approval);
    } catch (error) {
      this.state.trouble = decidingTrouble(error);
    }
  }

  /** The run may go on for long, and what is said meanwhile goes into it: nobody waits for it here. */
  private said(text: string): void {
    this.around.say(text).catch((error: unknown) => {
      this.state.trouble = hearingTrouble(error);
    });
  }

  private again(approval: Approval): void {
    this.state.trouble = NOT_YET;
    const { lastReading } = this;
    if (lastReading?.approval.approval_id === approval.approval_id) void this.speak(lastReading.text, approval);
  }

  private async voiced(sentence: string, signal: AbortSignal): Promise<ArrayBuffer> {
    const body = JSON.stringify({ model: "", input: sentence, response_format: "mp3" });
    return (await this.http.send("POST", "/v1/audio/speech", body, signal)).arrayBuffer();
  }

  /** Make the microphone and what is shown follow what is wanted now. */
  private show(): void {
    const { state } = this;
    const mode: Mode = state.held ? "held" : state.handsfree ? "open" : "off";
    if (this.open) {
      this.ears.listen({ mode, over: this.readings > 0 });
      // The last utterance comes after the end of its hold.
      if (mode === "off" && !this.hearing) this.closed();
    }
    if (this.opening) state.doing = "opening";
    else if (this.hearing) state.doing = "hearing";
    else if (this.readings > 0) state.doing = "speaking";
    else if (this.understanding > 0) state.doing = "understanding";
    else state.doing = state.handsfree ? "listening" : "nothing";
  }

  private closed(): void {
    this.ears.close();
    this.open = false;
    this.state.level = 0;
  }
}

/** What is read out has no markup. The reader of Markdown comes when there is something to read. */
async function wordsAlone(text: string): Promise<string> {
  const { nodesOf, wordsOf } = await import("../markdown.ts");
  return wordsOf(nodesOf(text));
}
