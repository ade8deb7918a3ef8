import type { HealthIssue } from "./health_issue_schema.ts";
import type { ListenError } from "../resolver/listeners.ts";
import { isClockUntrusted } from "../upstream/untrusted_clock.ts";
import type { ResolverGroupState } from "../upstream/upstreams.ts";

/** Sentences for the groups that many devices use; the others are of single devices. */
const GROUP_DOWN: Readonly<Record<string, string>> = {
  default: "No upstream resolver responds",
  family: "No family-filter resolver responds",
};

const ISP_FALLBACK =
  "None of the configured upstream resolvers responds, so ISP resolvers are used, unencrypted";

/** Added while the clock is untrusted and there is no fallback. */
const TIME_SERVERS_ONLY = "; until they do, only names of time servers are resolved, unencrypted";

/**
 * Health issues: addresses that cannot be bound, and groups of resolvers that are down. `listenErrors`:
 * by address. `now`: the router's clock, in unix milliseconds.
 */
export function healthIssues(
  listenErrors: Readonly<Record<string, ListenError>>,
  groups: readonly ResolverGroupState[],
  now: number,
): readonly HealthIssue[] {
  const listeners = Object.entries(listenErrors)
    // Such an address appears with the network.
    .filter(([, { reason }]) => reason !== "noAddress")
    .map(([address, { message }]) => ({ subject: address, detail: message }));
  const isp = groups.find(({ name }) => name === "provider");
  // ISP resolvers are only a fallback, or have one.
  const down = groups.filter((group) => group !== isp && isDown(group)).map((group) => {
    const { name, resolvers } = group;
    const hasFallback = name === "default" && isp !== undefined && !isDown(isp);
    const reason = isClockUntrusted(resolvers)
      ? `the dates of its certificate do not fit the router's clock, which shows ${day(now)}` +
        (hasFallback ? "" : TIME_SERVERS_ONLY)
      : resolvers[0]!.lastError;
    const issue = hasFallback
      ? ISP_FALLBACK
      : GROUP_DOWN[name] ?? `The resolver ${name} of a device does not respond`;
    return {
      subject: name,
      detail: (reason === null ? issue : `${issue}: ${reason}`).slice(0, 300),
    };
  });
  return [...listeners, ...down].slice(0, 64);
}

/** A key of the issues, without the last errors of resolvers, whose change is not worth a report. */
export function issuesKey(issues: readonly HealthIssue[]): string {
  return JSON.stringify(issues.map(({ subject, detail }) => [subject, detail.split(":", 1)[0]]));
}

function isDown({ resolvers }: ResolverGroupState): boolean {
  return resolvers.length > 0 && resolvers.every(({ state }) => state === "down");
}

function day(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
