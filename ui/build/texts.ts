import { join } from "node:path";
import { contextKey, pluralKey } from "../text/translate.ts";
import { apiTexts } from "./api_texts.ts";

/** A literal of the code, as it is written. */
const LITERAL = String.raw`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*$/gm;
const CALL = new RegExp(String.raw`\b(t|tc|tn)\(\s*${LITERAL}(?:,\s*${LITERAL})?`, "g");

/** The texts of a module that a catalogue translates: English by key, in the order of the code. */
export function textsIn(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, first, second] of source.replace(COMMENT, "").matchAll(CALL)) {
    const one = valueOf(first!), other = valueOf(second ?? '""');
    if (name === "t") found.set(one, one);
    else if (name === "tc") found.set(contextKey(one, other), other);
    else found.set(pluralKey(one, other), pluralKey(one, other));
  }
  return found;
}

/** What a literal of the code stands for. */
function valueOf(literal: string): string {
  const inner = literal.slice(1, -1);
  return JSON.parse(
    `"${literal.startsWith("'") ? inner.replaceAll("\\'", "'").replaceAll('"', '\\"') : inner}"`,
  );
}

/** The modules of the pages below a folder, by path, without what was built. */
export async function pageModules(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && !/^(dist|build$|languages$)/.test(name)) {
      for (const [below, source] of await pageModules(path)) found.set(below, source);
    } else if (/\.tsx?$/.test(name)) found.set(path, await Deno.readTextFile(path));
  }
  return found;
}

/**
 * The template of a catalogue: every text of these modules and every sentence of the API by key, in
 * alphabetical order.
 */
export function template(
  modules: Iterable<string>,
  ofApi: Iterable<string> = [],
): Readonly<Record<string, string>> {
  const all = [
    ...[...ofApi].map((text) => [text, text] as const),
    ...[...modules].flatMap((source) => [...textsIn(source)]),
  ];
  return Object.fromEntries(all.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}

/** The part of a catalogue that has these keys. */
export function partOf(
  catalogue: Readonly<Record<string, string>>,
  keys: Iterable<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...keys].flatMap((key) => key in catalogue ? [[key, catalogue[key]!]] : []),
  );
}

/** Writes the template of the pages' texts, and takes what is used no more out of the catalogues. */
async function extract(ui: string): Promise<void> {
  const english = template((await pageModules(ui)).values(), await apiTexts(join(ui, "..")));
  const folder = join(ui, "languages");
  await write(join(folder, "en.json"), english);
  for await (const { name } of Deno.readDir(folder)) {
    if (name === "en.json") continue;
    const file = join(folder, name);
    const known = partOf(JSON.parse(await Deno.readTextFile(file)), Object.keys(english));
    await write(file, known);
    const missing = Object.keys(english).filter((key) => !(key in known));
    await Deno.stderr.write(new TextEncoder().encode(
      missing.map((key) => `${name} lacks: ${key}\n`).join(""),
    ));
  }
}

async function write(path: string, catalogue: Readonly<Record<string, string>>): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(catalogue, null, 2) + "\n");
}

if (import.meta.main) await extract(join(import.meta.dirname ?? "", ".."));
