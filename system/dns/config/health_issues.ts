import type { Hindrance } from "./health_issue_schema.ts";
import { doubtsClock } from "../upstream/untrusted_clock.ts";
import type { GroupState } from "../upstream/upstreams.ts";

/** Groups of resolvers that everyone knows; the rest are of single devices. */
const NAMES: Readonly<Record<string, string>> = {
  default: "No resolver outside answers",
  family: "No resolver of the family policy answers",
};

/** What is said while those of a provider answer in the place of everyone's. */
const STOOD_IN =
  "None of the resolvers that you named answers, so those of your provider are asked, " +
  "in the open";

/** What is asked while a clock is doubted and nobody stands in. */
const TIME_ALONE = "; until they do, only names of time servers are asked for, and in the open";

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
  const provider = groups.find(({ name }) => name === "provider");
  // Those of a provider only stand in for others, or others for them.
  const gone = groups.filter((group) => group !== provider && isGone(group)).map((group) => {
    const { name, resolvers } = group;
    const instead = name === "default" && provider !== undefined && !isGone(provider);
    const why = doubtsClock(resolvers)
      ? `the dates of its certificate do not fit the router's clock, which shows ${day(now)}` +
        (instead ? "" : TIME_ALONE)
      : resolvers[0]!.lastError;
    const what = instead
      ? STOOD_IN
      : NAMES[name] ?? `The resolver ${name} of a device does not answer`;
    return { subject: name, detail: (why === null ? what : `${what}: ${why}`).slice(0, 300) };
  });
  return [...places, ...gone].slice(0, 64);
}

/** What is told by hindrances, but for what a resolver said last, which alone is no news. */
export function newsOf(items: readonly Hindrance[]): string {
  return JSON.stringify(items.map(({ subject, detail }) => [subject, detail.split(":", 1)[0]]));
}

function isGone({ resolvers }: GroupState): boolean {
  return resolvers.length > 0 && resolvers.every(({ state }) => state === "down");
}

function day(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
