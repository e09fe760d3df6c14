// @vitest-environment node
import { expect, it } from "vitest";
import { Hold } from "../../src/runtime/voice/hold.ts";

function made() {
  const log: string[] = [];
  return {
    log,
    hold: new Hold(
      () => log.push("begin"),
      () => log.push("end"),
    ),
  };
}

it("held, it works for as long as it is down, however often the key repeats", () => {
  const { hold, log } = made();
  hold.down(0);
  hold.down(30);
  hold.up(1_000);
  hold.up(1_001);
  expect(log).toEqual(["begin", "end"]);
});

it("tapped, it works until it is tapped again", () => {
  const { hold, log } = made();
  hold.down(0);
  hold.up(100);
  expect(log).toEqual(["begin"]);
  hold.click(5_000);
  expect(log).toEqual(["begin", "end"]);
});

it("what somebody else has ended begins anew", () => {
  const { hold, log } = made();
  hold.click(0);
  hold.reset();
  hold.click(100);
  expect(log).toEqual(["begin", "begin"]);
});
