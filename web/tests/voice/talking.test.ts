import { describe, expect, it, vi } from "vitest";
import { Http, Problem } from "../../src/runtime/http.ts";
import type { Approval } from "../../src/runtime/types.ts";
import { LASTS } from "../../src/runtime/voice/consent.ts";
import type { Ears } from "../../src/runtime/voice/ears.ts";
import type { Heard, Listening } from "../../src/runtime/voice/segments.ts";
import type { Player } from "../../src/runtime/voice/speaker.ts";
import { Talking } from "../../src/runtime/voice/talking.ts";

vi.setConfig({ testTimeout: 120_000 });
/** What does not come fails its test; nothing is judged by how fast it is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

/** A microphone that hears what a test says. */
class Told implements Ears {
  heard: (heard: Heard) => void = () => undefined;
  modes: string[] = [];
  isOpen = false;
  refusal: unknown;

  async open(heard: (heard: Heard) => void): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.heard = heard;
    this.isOpen = true;
  }
  listen({ mode, over }: Listening): void {
    const now = `${mode}${over ? " over" : ""}`;
    if (this.modes.at(-1) !== now) this.modes.push(now);
  }
  close(): void {
    this.isOpen = false;
  }
}

/** A loudspeaker: each sound ends when a test says so. */
class Loud implements Player {
  playing: { sound: string; end: () => void }[] = [];
  played: string[] = [];

  play(bytes: ArrayBuffer, signal: AbortSignal): Promise<void> {
    const sound = new TextDecoder().decode(bytes);
    this.played.push(sound);
    return new Promise((resolve) => {
      const end = (): void => {
        this.playing = this.playing.filter((each) => each.sound !== sound);
        resolve();
      };
      this.playing.push({ sound, end });
      signal.addEventListener("abort", end, { once: true });
    });
  }
  async end(): Promise<void> {
    await until(() => expect(this.playing).toHaveLength(1));
    this.playing[0]?.end();
  }
}

const PENDING = { approval_id: "apr_1", digest: "d1", status: "pending" } as Approval;

/** A service whose transcripts a test gives, and which says as sound what it was asked to say. */
function made(options: { approval?: Approval } = {}) {
  const transcripts: (string | Problem)[] = [];
  const asked: string[] = [];
  class Scripted extends Http {
    override async send(_method: string, path: string, body?: BodyInit): Promise<Response> {
      if (path.endsWith("/speech")) {
        const text = (JSON.parse(String(body)) as { input: string }).input;
        asked.push(text);
        if (text.includes("unspeakable")) throw new Problem(502, "", "");
        return new Response(text);
      }
      expect(((body as FormData).get("file") as File).type).toBe("audio/wav");
      expect((body as FormData).get("prompt")).toBe("Pad Thai");
      const next = transcripts.shift();
      if (next instanceof Problem) throw next;
      return Response.json({ text: next ?? "" });
    }
  }
  const ears = new Told();
  const loud = new Loud();
  const said: string[] = [];
  const decided: [boolean, string][] = [];
  const clock = { now: 1_000 };
  const here: { approval: Approval | undefined; refusal?: Problem } = { approval: options.approval };
  const talking = new Talking(
    new Scripted(),
    ears,
    loud,
    {
      say: async (text) => said.push(text),
      approval: () => here.approval,
      decide: async (approve, approval) => {
        if (here.refusal !== undefined) throw here.refusal;
        decided.push([approve, approval.approval_id]);
      },
      prompt: () => "Pad Thai",
    },
    () => clock.now,
  );
  const utter = async (text: string | Problem): Promise<void> => {
    transcripts.push(text);
    ears.heard({ kind: "began" });
    ears.heard({ kind: "ended", samples: new Float32Array(320) });
    await until(() => expect(transcripts).toEqual([]));
    await until(() => expect(talking.state.doing).not.toBe("understanding"));
  };
  return { talking, ears, loud, said, decided, clock, here, utter, asked };
}

describe("push to talk", () => {
  it("what is said while it is held is said on the page, and the microphone is closed again", async () => {
    const { talking, ears, said } = made();
    await talking.hold();
    expect(ears.modes.at(-1)).toBe("held");
    ears.heard({ kind: "began" });
    expect(talking.state.doing).toBe("hearing");
    talking.release();
    expect(ears.isOpen).toBe(true);
    ears.heard({ kind: "ended", samples: new Float32Array(320) });
    expect([talking.state.doing, ears.isOpen]).toEqual(["understanding", false]);
    await until(() => expect(talking.state.doing).toBe("nothing"));
    expect([said, talking.state.trouble]).toEqual([[], expect.stringContaining("Nothing was understood")]);
  });

  it("a hold that ends before the microphone is there leaves nothing open", async () => {
    const { talking, ears } = made();
    const opening = talking.hold();
    talking.release();
    await opening;
    expect([ears.isOpen, talking.state.doing]).toEqual([false, "nothing"]);
  });

  it("a refused microphone is told, and the button works once it is allowed", async () => {
    const { talking, ears } = made();
    ears.refusal = new DOMException("", "NotAllowedError");
    await talking.hold();
    expect([talking.state.held, talking.state.doing]).toEqual([false, "nothing"]);
    expect(talking.state.trouble).toContain("not allowed");
    ears.refusal = undefined;
    await talking.hold();
    expect([talking.state.held, ears.isOpen, talking.state.trouble]).toEqual([true, true, ""]);
  });
});

describe("hands-free", () => {
  it("utterances are said in their order, and none waits for an answer", async () => {
    const { talking, said, utter } = made();
    expect(await talking.handsfree(true)).toBe(true);
    expect(talking.state.doing).toBe("listening");
    await utter("two pad thai");
    await utter("and a lassi");
    expect(said).toEqual(["two pad thai", "and a lassi"]);
    expect(talking.state.heard).toBe("and a lassi");
  });

  it("it is told to stop by its words, and then hears nothing", async () => {
    const { talking, ears, said, utter } = made();
    await talking.handsfree(true);
    await utter("Stop listening.");
    expect([talking.state.handsfree, ears.isOpen, said]).toEqual([false, false, []]);
  });

  it("a refused microphone leaves it off", async () => {
    const { talking, ears } = made();
    ears.refusal = new DOMException("", "NotFoundError");
    expect(await talking.handsfree(true)).toBe(false);
    expect([talking.state.handsfree, talking.state.trouble]).toEqual([false, expect.stringContaining("no microphone")]);
  });

  it("a microphone that goes away is told", async () => {
    const { talking, ears } = made();
    await talking.handsfree(true);
    ears.heard({ kind: "lost" });
    expect([talking.state.handsfree, talking.state.trouble]).toEqual([false, expect.stringContaining("has gone")]);
  });

  it("what could not be sent is told, and the next one is heard", async () => {
    const { talking, said, utter } = made();
    await talking.handsfree(true);
    await utter(new Problem(0, "", ""));
    expect(talking.state.trouble).toContain("cannot be reached");
    await utter("hello");
    expect([said, talking.state.trouble]).toEqual([["hello"], ""]);
  });
});

describe("reading out", () => {
  it("sentences come one after the other, without markup, the next one fetched while one is heard", async () => {
    const { talking, loud, asked } = made();
    const reading = talking.speak("**One** [long](https://example.com) sentence with words. Another long sentence with `words`.");
    await until(() => expect(asked).toHaveLength(2));
    expect(loud.played).toEqual(["One long sentence with words."]);
    expect(talking.state.doing).toBe("speaking");
    await loud.end();
    await loud.end();
    await reading;
    expect([loud.played.at(-1), talking.state.doing]).toEqual(["Another long sentence with words.", "nothing"]);
  });

  it("somebody who speaks interrupts it at once, and what they say is kept", async () => {
    const { talking, ears, loud, said, utter } = made();
    await talking.handsfree(true);
    const reading = talking.speak("A first long sentence to be read. A second long sentence to be read.");
    await until(() => expect(loud.playing).toHaveLength(1));
    expect(ears.modes.at(-1)).toBe("open over");
    await utter("wait, no peanuts");
    await reading;
    expect([loud.played, loud.playing, said]).toEqual([["A first long sentence to be read."], [], ["wait, no peanuts"]]);
    await until(() => expect(ears.modes.at(-1)).toBe("open"));
  });

  it("to be told to be quiet is no message", async () => {
    const { talking, loud, said, utter } = made();
    await talking.handsfree(true);
    const reading = talking.speak("A first long sentence to be read.");
    await until(() => expect(loud.playing).toHaveLength(1));
    await utter("Stop.");
    await reading;
    expect([said, talking.state.handsfree, talking.state.doing]).toEqual([[], true, "listening"]);
  });

  it("what cannot be read out is told, and the next thing is read", async () => {
    const { talking, loud } = made();
    await talking.speak("This one is quite unspeakable, sadly.");
    expect(talking.state.trouble).toContain("written on the page");
    void talking.speak("This one can be read out well.");
    await until(() => expect(loud.played).toEqual(["This one can be read out well."]));
    talking.stop();
  });
});

describe("a yes to what was read out", () => {
  async function asking() {
    const all = made({ approval: PENDING });
    await all.talking.handsfree(true);
    const reading = all.talking.speak("Two Pad Thai for 25. Shall I order?", PENDING);
    return { ...all, reading };
  }

  async function heardToItsEnd() {
    const all = await asking();
    await all.loud.end();
    await all.reading;
    all.clock.now += 1_000;
    return all;
  }

  it.each([
    ["Yes, please.", true],
    ["No, thanks.", false],
  ])("%s decides it, and is no message", async (words, approve) => {
    const { utter, decided, said } = await heardToItsEnd();
    await utter(words);
    expect([decided, said]).toEqual([[[approve, "apr_1"]], []]);
  });

  it("it decides nothing twice", async () => {
    const { utter, decided, said, here } = await heardToItsEnd();
    await utter("yes");
    here.approval = { ...PENDING, status: "approved" };
    await utter("yes");
    expect([decided, said]).toEqual([[[true, "apr_1"]], []]);
  });

  it("what the service says against it is told", async () => {
    const { talking, utter, said, here } = await heardToItsEnd();
    here.refusal = new Problem(410, "expired", "This has expired. Nothing was run.");
    await utter("yes");
    expect([talking.state.trouble, said]).toEqual(["This has expired. Nothing was run.", []]);
  });

  it("anything else is a message", async () => {
    const { utter, decided, said } = await heardToItsEnd();
    await utter("yes but make it three");
    expect([decided, said]).toEqual([[], ["yes but make it three"]]);
  });

  it("a yes before the reading has ended decides nothing: it is read again, and then counts", async () => {
    const { talking, utter, decided, said, loud, clock } = await asking();
    await until(() => expect(loud.playing).toHaveLength(1));
    await utter("yes");
    expect([decided, said, talking.state.trouble]).toEqual([[], [], expect.stringContaining("Nothing was decided")]);
    await loud.end();
    await until(() => expect(talking.state.doing).toBe("listening"));
    clock.now += 500;
    await utter("yes");
    expect(decided).toEqual([[true, "apr_1"]]);
  });

  it("a late yes decides nothing", async () => {
    const { talking, utter, decided, said, clock } = await heardToItsEnd();
    clock.now += LASTS;
    await utter("yes");
    expect([decided, said]).toEqual([[], []]);
    talking.stop();
  });

  it("a yes to something that has changed since decides nothing", async () => {
    const { talking, utter, decided, said, here } = await heardToItsEnd();
    here.approval = { ...PENDING, digest: "d2" };
    await utter("yes");
    expect([decided, said]).toEqual([[], []]);
    talking.stop();
  });

  it("a yes where nothing waits is a message", async () => {
    const { utter, decided, said, here } = await heardToItsEnd();
    here.approval = undefined;
    await utter("yes");
    expect([decided, said]).toEqual([[], ["yes"]]);
  });

  it("a no where the reading was interrupted is a message, which is a no as well", async () => {
    const { utter, decided, said, loud } = await asking();
    await until(() => expect(loud.playing).toHaveLength(1));
    await utter("no thanks");
    expect([decided, said]).toEqual([[], ["no thanks"]]);
  });
});
