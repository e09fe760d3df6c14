import { mount } from "@vue/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextTick } from "vue";
import { activeAt, offset, STOPPED, ticked } from "../../src/trips/clock.ts";
import Countdown from "../../src/trips/Countdown.vue";
import { at, BRIEF, journeyOf, STARTED, TURN, WHOLE, YES } from "./events.ts";

describe("the clock of a run", () => {
  it("counts active time, and stands still while people are waited for", () => {
    expect(journeyOf([STARTED, TURN, ...BRIEF]).clock).toMatchObject({ active: 1, rests: true, soft: 240, until: 300 });
    expect(journeyOf([STARTED, TURN, ...BRIEF, YES]).clock).toMatchObject({ active: 1, rests: false });
    expect(journeyOf(WHOLE).clock.active).toBe(5);
  });

  it("counts neither the gap before a take-over nor a clock that runs backwards", () => {
    const started = ticked(STOPPED, { id: 0, event: "RunStarted", at: at(10) });
    expect(ticked(started, { id: 1, event: "TakenOver", at: at(70) })).toMatchObject({ active: 0, rests: false });
    expect(ticked(started, { id: 1, event: "Ticked", at: at(5) })).toMatchObject({ active: 0, at: Date.parse(at(10)) });
  });

  it("goes on between two events, and not before the latest one", () => {
    const { clock } = journeyOf(WHOLE);
    expect(activeAt(clock, Date.parse(at(110)))).toBe(10);
    expect(activeAt(clock, Date.parse(at(0)))).toBe(5);
    expect(activeAt({ ...clock, rests: true }, Date.parse(at(900)))).toBe(5);
  });

  it("takes the service's time for the time", () => {
    const saying = (date?: string) => ({ headers: new Headers(date === undefined ? {} : { Date: date }) });
    expect(offset(saying(new Date(61_000).toUTCString()), 1_000)).toBe(60_000);
    expect(offset(saying(new Date(2_000).toUTCString()), 1_500)).toBe(0);
    expect(offset(saying(), 1_000)).toBe(0);
  });
});

describe("the countdown", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setSystemTime(at(110));
  });
  afterEach(() => vi.useRealTimers());

  it("says what is left, and counts down by itself", async () => {
    const { clock } = journeyOf(WHOLE);
    const countdown = mount(Countdown, { props: { clock, ahead: 0 } });
    expect(countdown.get("[role=timer]").text()).toContain("4:50 of planning time left");
    vi.advanceTimersByTime(240_000);
    await nextTick();
    expect(countdown.text()).toContain("0:50");
    expect(countdown.text()).toContain("wrapping up");
    countdown.unmount();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says that it stands still for people, and nothing where time is not limited", async () => {
    const { clock } = journeyOf([STARTED, TURN, ...BRIEF]);
    const countdown = mount(Countdown, { props: { clock, ahead: 3_600_000 } });
    expect(countdown.text()).toMatch(/4:59 of planning time left\s+· stands still while it waits for you/);
    await countdown.setProps({ clock: { ...clock, until: undefined } });
    expect(countdown.find("[role=timer]").exists()).toBe(false);
    countdown.unmount();
  });
});
