import { gzip } from "../../backup/gzip.ts";
import { type TarFile, writeTar } from "../../backup/tar.ts";
import type { Documents } from "../../core/config/document.ts";
import { jsonSteps } from "../../core/config/json.ts";
import { inSlices } from "../../core/time/slices.ts";
import { masked, redactNamed, scrubber, secretsOf } from "./scrub.ts";

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
  const encoder = new TextEncoder();
  const files = (await inSlices(supportFiles(facts))).map(([path, text]): TarFile => ({
    path: `${FOLDER}/${path}`,
    bytes: encoder.encode(text),
  }));
  return await gzip(writeTar(files, facts.time));
}

/** Texts of the bundle by their path. Yields after each. */
function* supportFiles<C>(
  facts: SupportFacts<C>,
): Generator<void, readonly (readonly [string, string])[]> {
  const { config, documents } = facts;
  const names = Object.keys(documents) as (keyof C & string)[];
  const today: string[] = [];
  for (const name of names) {
    for (const one of yield* secretsOf(config[name], documents[name])) today.push(one);
  }
  const scrub = scrubber([...today, ...facts.former]);
  yield;
  const files: [string, string][] = [];
  for (const [name, value] of Object.entries(facts.facts)) {
    files.push([`${name}.json`, scrub(`${yield* jsonSteps(value, { indent: 0 })}\n`)]);
    yield;
  }
  for (const [name, text] of Object.entries(facts.texts)) {
    files.push([name, scrub(redactNamed(text))]);
    yield;
  }
  for (const name of names) {
    const shown = masked(config[name], documents[name]);
    yield;
    const text = yield* jsonSteps(shown, { indent: 0 });
    files.push([`configs/${documents[name].path}`, scrub(`${text}\n`)]);
    yield;
  }
  return files;
}
