import { withoutMarksSteps } from "../core/engine/files/stored_text.ts";
import { type Documents, readingSteps } from "../core/config/document.ts";
import { jsonSteps } from "../core/config/json.ts";
import { largeJson, TooDeep } from "../core/config/large_json.ts";
import { Problem } from "../core/errors/problem.ts";
import { MACHINE_INTERFACES, readInventory } from "./machine_interfaces.ts";
import type { BackupReport } from "./schema.ts";
import { atOnce } from "../core/time/slices.ts";
import type { TarFile } from "./tar.ts";

/** Maximum number of unusable entries of one file in a report. */
const MAX_LISTED = 50;

/** Result of reading a backup: parts of a configuration, and a report of every file. */
export interface RestorePlan<C> {
  readonly parts: Partial<C>;
  readonly report: Pick<BackupReport, "taken" | "left">;
  /** Hardware MAC addresses of the machine that it was made on, by interface. */
  readonly macs: ReadonlyMap<string, string>;
}

/** Reads files of an existing router that are no documents of Sluice. */
export type ForeignReader<C> = (texts: ReadonlyMap<string, string>) => {
  readonly parts: Partial<C>;
  /** Paths that were restored, with the document they belong to. */
  readonly taken: Readonly<Record<string, string>>;
};

/** Rules for reading a backup. */
export interface RestoreRules<C> {
  readonly documents: Documents<C>;
  readonly foreign: ForeignReader<C>;
  /** Why a file that is no document is skipped. */
  readonly skipReason: (path: string) => string;
}

/** What {@link planRestoreSteps} comes to, at once. */
export function planRestore<C>(
  files: readonly TarFile[],
  rules: RestoreRules<C>,
): RestorePlan<C> {
  return atOnce(planRestoreSteps(files, rules));
}

/**
 * Takes the files of a configuration, of ours or an existing router's, apart, in a step for each: whole
 * documents are read as leniently as files at a start. What cannot be used is left and said so. Throws
 * Problem 400 for an archive of two trees.
 */
export function* planRestoreSteps<C>(
  files: readonly TarFile[],
  rules: RestoreRules<C>,
): Generator<void, RestorePlan<C>> {
  const texts = yield* textsBelow(files);
  const foreign = rules.foreign(texts);
  const parts: Partial<C> = { ...foreign.parts };
  const taken: BackupReport["taken"] = Object.entries(foreign.taken)
    .map(([path, document]) => ({ path, document, dropped: [] }));
  const left: BackupReport["left"] = [];
  const byPath = new Map(
    namesOf(rules.documents).map((name) => [rules.documents[name].path, name]),
  );
  for (const [path, text] of texts) {
    if (Object.hasOwn(foreign.taken, path) || path === MACHINE_INTERFACES) continue;
    const name = byPath.get(path);
    if (name === undefined) {
      left.push({ path, reason: rules.skipReason(path) });
      continue;
    }
    yield;
    try {
      const document = rules.documents[name];
      const raw = yield* withoutMarksSteps(yield* parseSteps(text), document);
      const { value, rejected } = yield* readingSteps(document, raw);
      parts[name] = value;
      const dropped = rejected.slice(0, MAX_LISTED)
        .map(({ pointer, message }) => ({ pointer, message }));
      taken.push({ path, document: name, dropped });
    } catch (error) {
      left.push({ path, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  const order = <T extends { path: string }>(list: T[]): T[] =>
    list.sort((a, b) => a.path < b.path ? -1 : 1);
  return {
    parts,
    report: { taken: order(taken), left: order(left) },
    macs: readInventory(texts.get(MACHINE_INTERFACES)),
  };
}

/** Applies the parts of a backup, in small steps; unchanged parts keep their identity. */
export function* applyPartsSteps<C>(config: C, parts: Partial<C>): Generator<void, C> {
  const changed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(parts)) {
    const today = yield* jsonSteps(config[name as keyof C]);
    if (today !== (yield* jsonSteps(value))) changed.push([name, value]);
  }
  return changed.length === 0 ? config : { ...config, ...Object.fromEntries(changed) };
}

function namesOf<C>(documents: Documents<C>): readonly (keyof C & string)[] {
  return Object.keys(documents) as (keyof C & string)[];
}

/**
 * Texts by their path below `configs/`, wherever in the archive that folder lies. Throws Problem 400
 * for two such folders that hold the same file, as it is undecidable which one counts.
 */
function* textsBelow(
  files: readonly TarFile[],
): Generator<void, ReadonlyMap<string, string>> {
  const below = files.map(({ path }) => /^(?:.*?\/)?configs\/(.+)$/.exec(path)?.[1]);
  const within = below.every((path) => path !== undefined);
  const texts = new Map<string, string>();
  for (const [index, { path, bytes }] of files.entries()) {
    const at = within ? below[index]! : path;
    if (texts.has(at)) {
      throw new Problem(400, `The archive is refused: it holds configs/${at} in two folders`);
    }
    texts.set(at, new TextDecoder().decode(bytes));
    yield;
  }
  return texts;
}

function* parseSteps(text: string): Generator<void, unknown> {
  try {
    return yield* largeJson(text);
  } catch (error) {
    if (error instanceof TooDeep) throw new Error("It is nested too deeply");
    // The parser's own words quote the text, in which secrets stand.
    throw new Error(text.trim() === "" ? "The file is empty" : "It is not JSON");
  }
}
