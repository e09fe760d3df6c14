/** Names on a map: each beside its point, where it covers neither another name nor another point; one that finds no room is left out. */

import type { Point } from "./projection.ts";

export interface Wanted extends Point {
  text: string;
  /** How far the point's own mark reaches. */
  reach: number;
}

export interface Label extends Point {
  text: string;
  anchor: "start" | "end" | "middle";
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const LETTER = 6.6;
const LINE = 15;
const GAP = 5;

/** The labels that fit into the frame; the first ones have the first choice. */
export function placed(wanted: readonly Wanted[], width: number, height: number): Label[] {
  const taken = wanted.map((each) => around(each));
  const found: Label[] = [];
  for (const [index, each] of wanted.entries()) {
    const others = taken.filter((_, at) => at !== index);
    const choice = choices(each).find(({ box }) => inside(box, width, height) && !others.some((other) => overlap(box, other)));
    if (choice === undefined) continue;
    taken.push(choice.box);
    found.push(choice.label);
  }
  return found;
}

function around({ x, y, reach }: Wanted): Box {
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

/** To the right, to the left, below, above. */
function choices(wanted: Wanted): { label: Label; box: Box }[] {
  const { x, y, text, reach } = wanted;
  const [long, far] = [text.length * LETTER, reach + GAP];
  const made = (anchor: Label["anchor"], left: number, baseline: number) => ({
    label: { text, anchor, x: anchor === "start" ? left : anchor === "end" ? left + long : left + long / 2, y: baseline },
    box: { left, right: left + long, top: baseline - LINE + 3, bottom: baseline + 3 },
  });
  return [
    made("start", x + far, y + 4),
    made("end", x - far - long, y + 4),
    made("middle", x - long / 2, y + far + 11),
    made("middle", x - long / 2, y - far - 2),
  ];
}

function inside(box: Box, width: number, height: number): boolean {
  return box.left >= 2 && box.right <= width - 2 && box.top >= 2 && box.bottom <= height - 2;
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
}
