import type { Hindrance } from "./hindrance_schema.ts";
import { doubtsClock } from "./upstream/clock_doubt.ts";
import type { GroupState } from "./upstreams.ts";

/** Groups of resolvers that everyone knows; the rest are of single devices. */
const NAMES: Readonly<Record<string, string>> = {
  default: "No resolver outside answers",
  family: "No resolver of the family policy answers",
};

/**
 * What keeps names from being answered: addresses that cannot be had, and resolvers that are all gone.
 * `now`: what the router's clock shows, in unix milliseconds.
 */
export function hindrances(
  faults: Readonly<Record<string, string>>,
  groups: readonly GroupState[],
  now: number,
): readonly Hindrance[] {
  const places = Object.entries(faults)
    // That comes by itself when the network is there.
    .filter(([, words]) => !words.endsWith("yet"))
    .map(([address, words]) => ({ subject: address, detail: words }));
  const gone = groups.filter(({ resolvers }) =>
    resolvers.length > 0 && resolvers.every(({ state }) => state === "down")
  ).map(({ name, resolvers }) => {
    const why = doubtsClock(resolvers)
      ? `the dates of its certificate do not fit the router's clock, which shows ${day(now)}; ` +
        "until they do, only names of time servers are asked for, and in the open"
      : resolvers[0]!.lastError;
    const what = NAMES[name] ?? `The resolver ${name} of a device does not answer`;
    return { subject: name, detail: (why === null ? what : `${what}: ${why}`).slice(0, 300) };
  });
  return [...places, ...gone].slice(0, 64);
}

function day(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
