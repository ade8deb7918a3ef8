import type { KernelEvent } from "../../core/kernel/host.ts";
import { Follower } from "./follower.ts";

/** `3: eth0@if2: <…>` or `Deleted 3: eth0    inet 192.0.2.1/24 …` of `ip -o monitor`. */
const LINK = /^(?:Deleted )?\d+: ([^:@\s]+)/;
/** A route of the main table, or a neighbour: `Deleted 192.0.2.2 dev eth0 lladdr … PERMANENT`. */
const DEVICE = / dev ([^\s]+)/;
/** Dynamic neighbour states, and the kernel's own routing tables. */
const TRANSIENT =
  /\b(?:REACHABLE|STALE|DELAY|PROBE|FAILED|INCOMPLETE|NOARP|NONE)\b|\btable local\b|^(?:Deleted )?(?:local|broadcast|multicast|anycast) /;

/** Follows links, addresses, routes and permanent neighbours of this network namespace until stopped. */
export function followLinks(
  emit: (event: KernelEvent) => void,
  onError: (message: string) => void,
): { stop(): Promise<void> } {
  return new Follower({
    tool: "ip",
    args: ["-o", "monitor", "link", "address", "route", "neigh"],
    onLine: (line) => {
      const name = linkOf(line);
      if (name !== null) emit({ kind: "link", name, ...(isGone(line) ? { gone: true } : {}) });
    },
    onRestart: () => emit({ kind: "reconnected" }),
    onError,
  });
}

/** The link of a line of `ip -o monitor`; null for a line without one, or of a transient state. */
export function linkOf(line: string): string | null {
  const link = LINK.exec(line)?.[1];
  if (link !== undefined) return link;
  return TRANSIENT.test(line) ? null : DEVICE.exec(line)?.[1] ?? null;
}

/** True for a line of `ip -o monitor` that tells of a deleted link, not only of its addresses. */
export function isGone(line: string): boolean {
  return /^Deleted \d+: [^:@\s]+[:@]/.test(line);
}
