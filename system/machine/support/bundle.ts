import { gzip } from "../../backup/gzip.ts";
import { type TarFile, writeTar } from "../../backup/tar.ts";
import type { Documents } from "../../core/config/document.ts";
import { jsonSteps } from "../../core/config/json.ts";
import { maskWholeSteps } from "../../core/engine/journal/secrets.ts";
import { inSlices, letOthers } from "../../core/time/slices.ts";
import { cleanSteps, redactNamed, scrubber, secretsOf } from "./scrub.ts";

/** Contents of a support bundle. */
export interface SupportFacts<C> {
  readonly config: C;
  readonly documents: Documents<C>;
  /** Versions, processes, clock, load, the kernel's facts, notices, changes: a file each, as JSON. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Text files, such as the ruleset and the output of tools. */
  readonly texts: Readonly<Record<string, string>>;
  /** Former secrets: old log lines may contain them. */
  readonly former: readonly string[];
  /** Unix seconds. */
  readonly time: number;
}

const FOLDER = "sluice-support";

/**
 * A compressed archive of this router's state, to be shared: secrets are masked in the configuration,
 * and removed wherever else they occur.
 */
export async function supportBundle<C>(facts: SupportFacts<C>): Promise<Uint8Array<ArrayBuffer>> {
  const archive = writeTar(await inSlices(supportFiles(facts)), facts.time);
  await letOthers();
  return await gzip(archive);
}

/** The files of the bundle, in small steps. */
function* supportFiles<C>(facts: SupportFacts<C>): Generator<void, readonly TarFile[]> {
  const { config, documents } = facts;
  const names = Object.keys(documents) as (keyof C & string)[];
  const today: string[] = [];
  for (const name of names) {
    for (const one of yield* secretsOf(config[name], documents[name])) today.push(one);
  }
  const secrets = [...today, ...facts.former];
  const scrub = scrubber(secrets);
  yield;
  const isWhole = secrets.some((secret) => secret.includes("\n"));
  const encoder = new TextEncoder();
  const files: TarFile[] = [];
  function* add(path: string, text: string, clean = scrub): Generator<void, void> {
    const cleaned = yield* cleanSteps(text, clean, { isWhole });
    files.push({ path: `${FOLDER}/${path}`, bytes: encoder.encode(cleaned) });
    yield;
  }
  for (const [name, value] of Object.entries(facts.facts)) {
    yield* add(`${name}.json`, `${yield* jsonSteps(value, { indent: 0 })}\n`);
  }
  for (const [name, text] of Object.entries(facts.texts)) {
    yield* add(name, text, (part) => scrub(redactNamed(part)));
  }
  for (const name of names) {
    const shown = yield* maskWholeSteps(config[name], documents[name]);
    const text = yield* jsonSteps(shown, { indent: 0 });
    yield* add(`configs/${documents[name].path}`, `${text}\n`);
  }
  return files;
}
