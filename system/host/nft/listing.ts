import type { HookFact } from "../../core/kernel/facts.ts";

/** A set or map as nft lists it. */
export interface ListedSet {
  /** Its lines without the elements: types and flags. */
  readonly header: string;
  readonly elements: readonly string[];
}

/** A chain as nft lists it. */
export interface ListedChain {
  /** The line with its hook; null for a regular chain. */
  readonly hook: string | null;
  readonly rules: readonly string[];
}

/** A table as nft lists it. */
export interface ListedTable {
  readonly family: string;
  readonly name: string;
  readonly comment: string | null;
  readonly sets: ReadonlyMap<string, ListedSet>;
  readonly chains: ReadonlyMap<string, ListedChain>;
}

const TABLE = /^table (\S+) (\S+) \{/;
const BLOCK = /^\t(set|map|chain|flowtable|counter|quota|limit|ct \S+) (\S+) \{/;
const COUNTED = / counter(?: packets \d+ bytes \d+)?(?= : |\s*$)/;
const HOOK = /^type (\S+) hook (\S+)(?: device.*?)? priority ([^;]+);(?: policy (\S+);)?/;

/** Reads the text of `nft list ruleset` or `nft list table`. */
export function parseListing(text: string): readonly ListedTable[] {
  const tables: ListedTable[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const table = TABLE.exec(lines[at]!);
    if (!table) continue;
    const end = closing(lines, at, "}");
    tables.push(parseTable(table, lines.slice(at + 1, end)));
    at = end;
  }
  return tables;
}

/** The base chains of listed tables. */
export function hooksOf(tables: readonly ListedTable[]): readonly HookFact[] {
  return tables.flatMap(({ family, name, chains }) =>
    [...chains].flatMap(([chain, { hook, rules }]) => {
      const words = hook === null ? null : HOOK.exec(hook);
      if (!words) return [];
      return [{
        family,
        table: name,
        chain,
        type: words[1]!,
        hook: words[2]!,
        priority: words[3]!,
        policy: words[4] ?? "accept",
        rules: rules.length,
      }];
    })
  );
}

function parseTable(head: RegExpExecArray, lines: readonly string[]): ListedTable {
  let comment: string | null = null;
  const sets = new Map<string, ListedSet>();
  const chains = new Map<string, ListedChain>();
  for (let at = 0; at < lines.length; at++) {
    // A table's own comment is indented by one tab, those of its sets and chains by more.
    comment ??= /^\tcomment "(.*)"$/.exec(lines[at]!)?.[1] ?? null;
    const block = BLOCK.exec(lines[at]!);
    if (!block) continue;
    const end = closing(lines, at, "\t}");
    const inner = lines.slice(at + 1, end).map((line) => line.trim());
    if (block[1] === "chain") chains.set(block[2]!, parseChain(inner));
    if (block[1] === "set" || block[1] === "map") sets.set(block[2]!, parseSet(block[1], inner));
    at = end;
  }
  return { family: head[1]!, name: head[2]!, comment, sets, chains };
}

function parseChain(lines: readonly string[]): ListedChain {
  const [first] = lines;
  const hook = first !== undefined && HOOK.test(first) ? first : null;
  return { hook, rules: hook === null ? lines : lines.slice(1) };
}

function parseSet(kind: string, lines: readonly string[]): ListedSet {
  const start = lines.findIndex((line) => line.startsWith("elements = {"));
  const header = (start < 0 ? lines : lines.slice(0, start)).filter((line) => !/^size /.test(line));
  const body = start < 0 ? "" : lines.slice(start).join(" ");
  const inner = body.replace(/^elements = \{/, "").replace(/\}$/, "");
  return {
    header: [kind, ...header].join("; "),
    // An element's counter is not part of its identity.
    elements: inner.split(",").map((element) => element.replace(COUNTED, "").trim())
      .filter((text) => text !== ""),
  };
}

/** The line that closes the block which opens at `from`; the last line when none does. */
function closing(lines: readonly string[], from: number, close: string): number {
  for (let at = from + 1; at < lines.length; at++) if (lines[at] === close) return at;
  return lines.length;
}
