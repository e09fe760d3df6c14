/** A text cut into what is read out in one breath: its sentences, the short ones together, the long ones in parts. */

const SHORT = 25;
const LONG = 220;
const END = /[.!?…]["”’)\]]*(?=\s)|\n+/gu;
/** After these a full stop ends nothing. */
const SHORTENED = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|St|No|Nos|vs|approx|ca|e\.g|i\.e|etc|[A-Z])\.$/u;

export function sentencesOf(text: string): string[] {
  return together(pieces(text).flatMap(parts));
}

function pieces(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const end of text.matchAll(END)) {
    const upto = end.index + end[0].length;
    const piece = text.slice(from, upto);
    if (!end[0].includes("\n") && SHORTENED.test(piece)) continue;
    found.push(piece);
    from = upto;
  }
  return [...found, text.slice(from)].map((piece) => piece.replace(/\s+/gu, " ").trim()).filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

/** A sentence that is too long for one breath, cut at a comma or else between words. */
function parts(sentence: string): string[] {
  const found: string[] = [];
  let rest = sentence;
  while (rest.length > LONG) {
    const room = rest.slice(0, LONG);
    const comma = Math.max(...[", ", "; ", ": ", " – "].map((mark) => room.lastIndexOf(mark)));
    const cut = comma > LONG / 3 ? comma + 1 : room.lastIndexOf(" ") > 0 ? room.lastIndexOf(" ") : LONG;
    found.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return rest === "" ? found : [...found, rest];
}

function together(sentences: readonly string[]): string[] {
  const found: string[] = [];
  for (const sentence of sentences) {
    const last = found.at(-1);
    if (last !== undefined && last.length < SHORT && last.length + sentence.length < LONG) found[found.length - 1] = `${last} ${sentence}`;
    else found.push(sentence);
  }
  return found;
}
