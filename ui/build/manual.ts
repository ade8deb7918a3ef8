import type { ManualElement, ManualNode, ManualSection, ManualTag } from "../pages/help/manual.ts";

/** Pages of `docs/` that are for those who change the program, not for those who use it. */
const FOR_DEVELOPERS = ["architecture", "dependencies", "index", "lab", "performance"];

/** A page of the manual with its content. */
export interface ManualSource {
  readonly id: string;
  readonly title: string;
  readonly sections: readonly ManualSection[];
  readonly content: readonly ManualNode[];
}

/**
 * The pages of the manual that the web interface shows, in the order of `docs/index.md`. `docs`: the
 * texts by the names of their files without the ending.
 */
export function manualOf(docs: ReadonlyMap<string, string>): readonly ManualSource[] {
  const order = [...(docs.get("index") ?? "").matchAll(/\]\(([a-z_]+)\.md\)/g)].map(([, id]) =>
    id!
  );
  const shown = [...new Set([...order, ...docs.keys()])]
    .filter((id) => docs.has(id) && !FOR_DEVELOPERS.includes(id));
  return shown.map((id) => pageOf(id, docs.get(id)!, new Set(shown)));
}

function pageOf(id: string, text: string, known: ReadonlySet<string>): ManualSource {
  const lines = text.replace(/<!--[\s\S]*?-->\n?/g, "").split("\n");
  const reader = new BlockReader(lines, { id, known });
  const [first, ...content] = reader.blocks();
  if (typeof first !== "object" || first.tag !== "h2") throw new Error(`${id}.md has no title`);
  const sections = content.flatMap((node): readonly ManualSection[] =>
    typeof node === "object" && node.id !== undefined && node.tag !== "h4"
      ? [{ id: node.id, title: textOf(node) }]
      : []
  );
  return { id, title: textOf(first), sections, content };
}

/** A heading as GitHub links it. */
function sectionId(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
}

/** The text of a node without its elements. */
export function textOf(node: ManualNode): string {
  return typeof node === "string" ? node : node.in.map(textOf).join("");
}

function element(
  tag: ManualTag,
  content: readonly ManualNode[],
  more: Pick<ManualElement, "id" | "to"> = {},
): ManualElement {
  return { tag, ...more, in: content };
}

/** What links of a page are resolved by. */
interface Context {
  readonly id: string;
  readonly known: ReadonlySet<string>;
}

const ITEM = /^(\s*)(?:([-*])|(\d+)\.)\s+(.*)$/;

/** Reads the blocks of the part of Markdown that `docs/` is written in. */
class BlockReader {
  readonly #lines: readonly string[];
  readonly #context: Context;
  #at = 0;

  constructor(lines: readonly string[], context: Context) {
    this.#lines = lines;
    this.#context = context;
  }

  blocks(): readonly ManualNode[] {
    const found: ManualNode[] = [];
    while (this.#at < this.#lines.length) {
      if (this.#line.trim() === "") this.#at++;
      else found.push(this.#block());
    }
    return found;
  }

  get #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #block(): ManualNode {
    const heading = /^(#{1,4})\s+(.*)$/.exec(this.#line);
    if (heading !== null) {
      this.#at++;
      const content = this.#inline(heading[2]!);
      // The title of the page is the only h1 of the interface; its sections begin below it.
      const tag = (["h2", "h2", "h3", "h4"] as const)[heading[1]!.length - 1]!;
      return element(tag, content, { id: sectionId(content.map(textOf).join("")) });
    }
    if (this.#line.startsWith("```")) return this.#code();
    if (this.#line.startsWith("|")) return this.#table();
    if (ITEM.test(this.#line)) return this.#list();
    return element("p", this.#inline(this.#paragraph()));
  }

  #code(): ManualNode {
    const lines: string[] = [];
    for (this.#at++; this.#at < this.#lines.length && !this.#line.startsWith("```"); this.#at++) {
      lines.push(this.#line);
    }
    this.#at++;
    return element("pre", [element("code", [lines.join("\n")])]);
  }

  #table(): ManualNode {
    const rows: (readonly string[])[] = [];
    for (; this.#line.startsWith("|"); this.#at++) {
      rows.push(this.#line.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim()));
    }
    const [head = [], , ...body] = rows;
    const row = (cells: readonly string[], tag: "th" | "td") =>
      element("tr", cells.map((cell) => element(tag, this.#inline(cell.replaceAll("\\|", "|")))));
    return element("table", [
      element("thead", [row(head, "th")]),
      element("tbody", body.map((cells) => row(cells, "td"))),
    ]);
  }

  #list(): ManualNode {
    const first = ITEM.exec(this.#line)!;
    const indent = first[1]!.length, ordered = first[3] !== undefined;
    const items: ManualNode[] = [];
    for (;;) {
      const item = ITEM.exec(this.#line);
      if (item === null || item[1]!.length !== indent || (item[3] !== undefined) !== ordered) break;
      const width = this.#line.length - item[4]!.length;
      const lines = [item[4]!];
      // What is indented below an item belongs to it, with blank lines between.
      for (this.#at++; this.#at < this.#lines.length; this.#at++) {
        const blank = this.#line.trim() === "";
        const next = this.#lines.slice(this.#at).find((one) => one.trim() !== "") ?? "";
        const depth = next.length - next.trimStart().length;
        if (depth <= indent || (blank && depth < width)) break;
        lines.push(blank ? "" : this.#line.slice(Math.min(width, depth)));
      }
      items.push(element("li", this.#itemContent(lines)));
      while (this.#line.trim() === "" && this.#at < this.#lines.length) {
        const next = this.#lines.slice(this.#at).find((one) => one.trim() !== "");
        if (next === undefined || ITEM.exec(next)?.[1]?.length !== indent) break;
        this.#at++;
      }
    }
    return element(ordered ? "ol" : "ul", items);
  }

  /** One paragraph stands in its item without an element of its own. */
  #itemContent(lines: readonly string[]): readonly ManualNode[] {
    const blocks = new BlockReader(lines, this.#context).blocks();
    return blocks.length > 0 && typeof blocks[0] === "object" && blocks[0].tag === "p"
      ? [...blocks[0].in, ...blocks.slice(1)]
      : blocks;
  }

  #paragraph(): string {
    const lines: string[] = [];
    while (this.#line.trim() !== "" && !/^(#{1,4}\s|```|\|)/.test(this.#line)) {
      if (lines.length > 0 && ITEM.test(this.#line)) break;
      lines.push(this.#line.trim());
      this.#at++;
    }
    return lines.join(" ");
  }

  #inline(text: string): readonly ManualNode[] {
    return inline(text, this.#context);
  }
}

const MARKUP = /(`+)(.+?)\1|!?\[([^\]]*)\]\(([^)]+)\)|\*\*(.+?)\*\*|(?<![\w])_([^_]+)_(?![\w])/g;

/** Text with code, links and emphasis. */
function inline(text: string, context: Context): readonly ManualNode[] {
  const found: ManualNode[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKUP)) {
    if (match.index > end) found.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [, , code, label, href, strong, emphasis] = match;
    if (code !== undefined) found.push(element("code", [code.trim()]));
    else if (href !== undefined) found.push(...link(label ?? "", href, context));
    else if (strong !== undefined) found.push(element("strong", inline(strong, context)));
    else found.push(element("em", inline(emphasis ?? "", context)));
  }
  if (end < text.length) found.push(text.slice(end));
  return found;
}

/** A link within the manual or to elsewhere; only its words where the interface has no such page. */
function link(label: string, href: string, context: Context): readonly ManualNode[] {
  const words = inline(label, context);
  if (/^https:/.test(href)) return [element("a", words, { to: href })];
  const [, file, section = ""] = /^(?:([a-z_]+)\.md)?(?:#(.*))?$/.exec(href) ?? [];
  const id = file ?? (href.startsWith("#") ? context.id : undefined);
  if (id === undefined || !context.known.has(id)) return words;
  const to = id === context.id && section !== ""
    ? `#${section}`
    : `/admin/help/${id}${section === "" ? "" : `#${section}`}`;
  return [element("a", words, { to })];
}
