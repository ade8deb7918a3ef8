import type { Reading, RejectedEntry } from "../core/config/document.ts";
import { invalid, pointer } from "../core/errors/problem.ts";
import { CHANNELS, type Theme, Updates } from "./schema.ts";

/** The part of the configuration about the router itself. */
export interface SystemConfig {
  readonly hostName: string;
  readonly updates: Updates;
  readonly themes: readonly Theme[];
}

/** Reads a file's fields one by one: one that cannot be used has its default and is rejected. */
export function readUpdates(raw: Readonly<Record<string, unknown>>): Reading<Updates> {
  const good: Record<string, unknown> = {}, rejected: RejectedEntry[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const alone = Updates.safeParse({ [name]: value });
    if (alone.success) good[name] = value;
    else {
      const issue = alone.error.issues[0]!;
      rejected.push({ pointer: pointer([name]), message: issue.message, raw: value });
    }
  }
  return { value: Updates.parse(good), rejected };
}

/** Sets the given fields; the same configuration where nothing differs. */
export function setUpdates<C extends SystemConfig>(
  config: C,
  next: Partial<Updates>,
): readonly [C, Updates] {
  const updates = { ...config.updates, ...next };
  const same = JSON.stringify(updates) === JSON.stringify(config.updates);
  return same ? [config, config.updates] : [{ ...config, updates }, updates];
}

/** Selects a channel and a version; empty ones stay unchanged. Throws Problem 400. */
export function setRelease<C extends SystemConfig>(
  config: C,
  wanted: Pick<Updates, "CustomChannel" | "CustomVersion">,
): readonly [C, Updates] {
  const { CustomChannel: channel, CustomVersion: version } = wanted;
  if (channel !== "" && !(CHANNELS as readonly string[]).includes(channel)) {
    throw invalid("/CustomChannel", `There are the channels ${CHANNELS.join(" and ")}`);
  }
  return setUpdates(config, {
    ...(channel === "" ? {} : { CustomChannel: channel === "main" ? "" : channel }),
    ...(version === "" ? {} : { CustomVersion: version }),
  });
}

/** Tags of releases in the files of a git repository: `packed-refs` and names of `refs/tags`. */
export function releaseTags(packed: string, loose: readonly string[]): readonly string[] {
  const names = [...packed.matchAll(/ refs\/tags\/(\S+)$/gm)].map(([, name]) => name!);
  return sortedTags([...names, ...loose]);
}

/** Release tags, oldest first, each once; whatever else is called a tag is left out. */
export function sortedTags(names: readonly string[]): readonly string[] {
  return [...new Set(names)].flatMap((name) => {
    const match = /^v(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-[0-9A-Za-z.-]{1,64})?$/.exec(name);
    if (match === null) return [];
    const [, major, minor, patch, extra = ""] = match;
    return [{ name, numbers: [major, minor, patch].map(Number), extra }];
  }).sort((a, b) => {
    const at = [0, 1, 2].find((index) => a.numbers[index] !== b.numbers[index]);
    if (at !== undefined) return a.numbers[at]! - b.numbers[at]!;
    // What comes before a release is older than the release (semver.org 11).
    if (a.extra === "" || b.extra === "") return a.extra === b.extra ? 0 : a.extra === "" ? 1 : -1;
    return compareExtras(a.extra.slice(1).split("."), b.extra.slice(1).split("."));
  }).map(({ name }) => name);
}

/** Numbers by their size and before words, words by their letters, fewer parts first. */
function compareExtras(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return a.length - b.length;
  const [one, other] = [a[at]!, b[at]];
  if (other === undefined) return 1;
  const first = numberIn(one), second = numberIn(other);
  if (first !== null && second !== null) return first - second;
  if (first !== null || second !== null) return first !== null ? -1 : 1;
  return one < other ? -1 : 1;
}

function numberIn(part: string): number | null {
  return /^\d+$/.test(part) ? Number(part) : null;
}

/** Uptime and load of the machine, by the names of `uptime`'s columns. */
export function formatUptime(
  facts: { readonly seconds: number; readonly load: readonly number[]; readonly at: Date },
): Readonly<Record<string, string | number>> {
  const total = Math.floor(facts.seconds);
  const days = Math.floor(total / 86_400), hours = Math.floor(total / 3600) % 24;
  const minutes = Math.floor(total / 60) % 60;
  const clock = `${hours}:${String(minutes).padStart(2, "0")}`;
  const round = (load = 0) => Math.round(load * 100) / 100;
  return {
    time: facts.at.toISOString().slice(11, 19),
    uptime: days === 0 ? clock : `${days} ${days === 1 ? "day" : "days"}, ${clock}`,
    uptime_total_seconds: total,
    load_1m: round(facts.load[0]),
    load_5m: round(facts.load[1]),
    load_15m: round(facts.load[2]),
  };
}
