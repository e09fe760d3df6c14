/**
 * What a model says, as a tree that can only hold what is on a list. Nothing of it is ever inserted as HTML (case 70).
 *
 * - markdown-it reads the text, with raw HTML turned off; only the kinds of node below are taken over.
 * - Links lead to http, https and mailto only; images become their words, so that nothing is fetched by looking.
 */

import MarkdownIt from "markdown-it";

type Tokens = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>;
type Token = Tokens[number];

export type Node =
  { kind: "text"; text: string } | { kind: "element"; tag: string; children: Node[] } | { kind: "link"; href: string; children: Node[] };

const TAGS = new Set("p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td".split(" "));
const reader = new MarkdownIt({ html: false, linkify: false, breaks: true });

/** The text as nodes. */
export function nodesOf(text: string): Node[] {
  return built(reader.parse(text, {}));
}

/** Where a link may lead; nothing where it may not. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) && !url.username && !url.password ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** The words alone, for speaking. */
export function wordsOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "text") return node.text;
      const words = wordsOf(node.children);
      return node.kind === "element" && BLOCKS.has(node.tag) ? `${words}\n` : words;
    })
    .join("");
}

const BLOCKS = new Set("p h1 h2 h3 h4 h5 h6 li blockquote pre hr br tr".split(" "));

function built(tokens: Tokens): Node[] {
  const root: Node[] = [];
  const open: Node[][] = [root];
  for (const token of tokens) {
    const here = open.at(-1) ?? root;
    if (token.nesting === 1) {
      const node = opened(token);
      if (node !== undefined) here.push(node);
      open.push(node !== undefined && node.kind !== "text" ? node.children : here);
    } else if (token.nesting === -1) {
      open.pop();
    } else {
      here.push(...leaf(token));
    }
  }
  return root;
}

function opened(token: Token): Node | undefined {
  if (token.type === "paragraph_open" && token.hidden) return undefined;
  if (token.type === "link_open") {
    const href = safeHref(String(token.attrGet("href") ?? ""));
    return href === undefined ? undefined : { kind: "link", href, children: [] };
  }
  return TAGS.has(token.tag) ? { kind: "element", tag: token.tag, children: [] } : undefined;
}

function leaf(token: Token): Node[] {
  switch (token.type) {
    case "inline":
      return built(token.children ?? []);
    case "image":
      return [{ kind: "text", text: token.content === "" ? "(a picture)" : `(a picture: ${token.content})` }];
    case "code_inline":
      return [{ kind: "element", tag: "code", children: [{ kind: "text", text: token.content }] }];
    case "fence":
    case "code_block":
      return [
        { kind: "element", tag: "pre", children: [{ kind: "element", tag: "code", children: [{ kind: "text", text: token.content }] }] },
      ];
    case "softbreak":
    case "hardbreak":
      return [{ kind: "element", tag: "br", children: [] }];
    case "hr":
      return [{ kind: "element", tag: "hr", children: [] }];
    default:
      return token.content === "" ? [] : [{ kind: "text", text: token.content }];
  }
}
