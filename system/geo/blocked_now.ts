import type { Config } from "../config.ts";
import type { Planner } from "../core/engine/change.ts";
import {
  type BlockedRanges,
  blockerOfAddress,
  type BlockSource,
} from "../core/kernel/blocked_ranges.ts";
import { BLOCKED_TABLE } from "../core/kernel/nft/blocked_text.ts";
import type { Packet, PacketTrace } from "../core/kernel/ruleset.ts";
import { parseAddress } from "../core/net/net.ts";
import { isRouterAddress } from "../network/reachability/packet.ts";

/** The blocked ranges that the kernel has, as they were loaded last. */
export class BlockedNow {
  #ranges: BlockedRanges | null = null;
  #version: object = {};

  get ranges(): BlockedRanges | null {
    return this.#ranges;
  }

  set ranges(ranges: BlockedRanges | null) {
    if (ranges === this.#ranges) return;
    this.#ranges = ranges;
    this.#version = {};
  }

  /** Another object after each change, also after one back to what was blocked before. */
  get version(): object {
    return this.#version;
  }

  /** What blocks an address; null: nothing. */
  blocker(text: string): BlockSource | null {
    const address = parseAddress(text);
    if (address === null || this.ranges === null) return null;
    return blockerOfAddress(this.ranges, address);
  }
}

/** The planner, whose answers about packets know the blocked ranges. */
export function withBlocked(planner: Planner<Config>, blocked: BlockedNow): Planner<Config> {
  return {
    ...planner,
    traceBasis: () => blocked.version,
    trace(desired, packet) {
      const isOwn = (address: string) => isRouterAddress(desired, address);
      return blockedTrace(packet, { blocked, isOwn }) ?? planner.trace(desired, packet);
    },
  };
}

/** The drop of a connection's first packet by the table of blocked ranges; null: it lets the packet pass. */
function blockedTrace(
  packet: Packet,
  { blocked, isOwn }: {
    readonly blocked: BlockedNow;
    readonly isOwn: (address: string) => boolean;
  },
): PacketTrace | null {
  if (packet.state === "established") return null;
  const { iif, oif, source, destination } = packet;
  // What the router receives is looked up by its source, what it sends by its destination.
  const to = oif === null || isOwn(destination) ? null : blocked.blocker(destination);
  const blocker = to ?? (iif === null ? null : blocked.blocker(source));
  if (blocker === null) return null;
  return {
    verdict: "drop",
    steps: [{
      table: BLOCKED_TABLE,
      chain: to === null ? "source" : "to",
      comment: `Blocked: ${nameOf(blocker)}`,
      outcome: "drop",
    }],
  };
}

/** What blocks, in words. */
function nameOf({ type, key }: BlockSource): string {
  if (type === "list") return "a list of addresses";
  if (type === "asn") return `the network AS${key}`;
  return `the country ${new Intl.DisplayNames(["en"], { type: "region" }).of(key) ?? key}`;
}
