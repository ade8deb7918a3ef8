import { dirname, join } from "node:path/posix";
import { importsOf } from "./import_circles.ts";

const MAX_FILES = 25;
const MIN_LINES = 40;
/** What the lint of sizes allows. */
export const MAX_LINES = 400;
/** Modules that stand alone however short they are. */
const OWN_FILES = /(?:^|[/_])(?:schema|wire|tables|process|document)\.ts$|^routes\/\w+\.ts$/;

/** Folders with more files than one can look over, with their number. */
export function crowdedFolders(paths: Iterable<string>): readonly string[] {
  const folders = Map.groupBy(paths, (path) => dirname(path));
  return [...folders].filter(([, files]) => files.length > MAX_FILES)
    .map(([folder, files]) => `${folder}: ${files.length} files`);
}

/**
 * Functions, constants and classes that a module exports and no other names: `path name`. Where a
 * module is loaded as a whole, any of its exports may be used; a shape goes by the name of its type.
 */
export function unusedExports(files: ReadonlyMap<string, string>): readonly string[] {
  const used = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    const at = (source: string): Set<string> => {
      const target = join(dirname(path), source);
      const known = used.get(target) ?? new Set();
      used.set(target, known);
      return known;
    };
    for (const [, names, source] of text.matchAll(/\{([^{}]*)\}\s*from\s*"(\.[^"]+)"/g)) {
      for (const name of names!.split(",")) {
        at(source!).add(name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0]!);
      }
    }
    const whole = /(?:\*(?:\s+as\s+\w+)?\s+from\s*|\bimport\()\s*"(\.[^"]+)"/g;
    for (const [, source] of text.matchAll(whole)) at(source!).add("*");
  }
  const exported = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
  return [...files].flatMap(([path, text]) => {
    const names = used.get(path) ?? new Set();
    if (names.has("*")) return [];
    const types = new Set([...text.matchAll(/^export type (\w+)/gm)].map(([, name]) => name));
    return [...text.matchAll(exported)]
      .filter(([, name]) => !names.has(name!) && !types.has(name))
      .map(([, name]) => `${path} ${name}`);
  });
}

/**
 * Short modules that only one other module imports, in the same folder, and no test: they belong into
 * that one, where it stays short enough. Shapes, descriptors and documents have files of their own
 * everywhere, and so have the routes of a domain.
 */
export function slivers(files: ReadonlyMap<string, string>): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const [path, text] of files) {
    for (const target of new Set(importsOf(path, text))) {
      importers.set(target, [...importers.get(target) ?? [], path]);
    }
  }
  return [...files].flatMap(([path, text]) => {
    const by = importers.get(path) ?? [];
    const isOwn = by.length === 1 && dirname(by[0]!) === dirname(path) && !isTest(by[0]!);
    if (!isOwn || OWN_FILES.test(path)) return [];
    const lines = linesOf(text);
    const fits = lines + linesOf(files.get(by[0]!)!) <= MAX_LINES;
    return lines < MIN_LINES && fits ? [`${path}, of ${by[0]}`] : [];
  });
}

function linesOf(text: string): number {
  return text.trimEnd().split("\n").length;
}

function isTest(path: string): boolean {
  return path.endsWith("_test.ts");
}
