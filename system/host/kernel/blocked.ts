import { dirname, join } from "node:path";
import { removeFile, writeDurably } from "../../core/config/files.ts";
import {
  type BlockedRanges,
  blockerOf,
  blockerOfAddress,
} from "../../core/kernel/blocked_ranges.ts";
import type { BlockedCounters, Flow } from "../../core/kernel/host.ts";
import {
  BLOCKED_TABLE,
  parseBlockedCounters,
  renderBlocked,
  WITHOUT_BLOCKED,
} from "../../core/kernel/nft/blocked_text.ts";
import { formatIpv4, parseAddress } from "../../core/net/net.ts";
import type { RawFlow } from "../netlink/conntrack/dump.ts";
import { endsOf } from "../netlink/conntrack/tool.ts";
import type { Nft } from "../nft/nftables.ts";
import { runOrFail } from "../tools/run.ts";

/** Seconds within which the whole table is listed, and bytes of the listing: a million prefixes. */
const LIST_SECONDS = 90;
const MAX_LISTING_BYTES = 128 << 20;

/** Before a failed write is tried again: the next boot must not go by older ranges. */
const RETRY_DELAY_MS = 30_000;

const HEAD = "# The last blocked ranges. The next boot loads them before the network.\n";

/** What blocked ranges need of the kernel. */
export interface BlockedTableDeps {
  readonly nft: Pick<Nft, "outline">;
  /** Runs a script as a transaction of ours. */
  readonly transact: (script: string) => Promise<void>;
  /** File of the ruleset for the next boot, beside which that of the ranges lies; null: none. */
  readonly bootFile: string | null;
  /** Passes every tracked connection of IPv4. */
  readonly eachFlow: (take: (flow: RawFlow) => void) => Promise<void>;
  readonly flows: (addresses: readonly string[]) => Promise<readonly Flow[]>;
  /** Every tracked connection of IPv6. */
  readonly ipv6Flows: () => Promise<readonly Flow[]>;
  readonly flush: (flows: readonly Flow[]) => Promise<void>;
  readonly log: (message: string) => void;
  /** Default 30 s. */
  readonly retryDelayMs?: number;
}

/** The table of blocked ranges in the kernel. */
export class BlockedTable {
  readonly #deps: BlockedTableDeps;
  /** What the next boot is to load; null: nothing. */
  #script: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;
  /** Error of the last write: each is logged once. */
  #failure = "";

  constructor(deps: BlockedTableDeps) {
    this.#deps = deps;
  }

  /** Replaces the ranges in one transaction, keeps them for the next boot, and ends running connections to them. */
  async replace(ranges: BlockedRanges | null): Promise<void> {
    const script = ranges === null ? WITHOUT_BLOCKED : renderBlocked(ranges);
    await this.#deps.transact(script);
    await this.#keep(ranges === null ? null : script);
    if (ranges !== null) await this.#endFlows(ranges);
  }

  /** What each source has blocked; null: there is no table. */
  async counters(): Promise<BlockedCounters | null> {
    // The only listing that nftables makes without reading the elements of every set.
    const counters = parseBlockedCounters(await this.#deps.nft.outline());
    return counters === null ? null : Object.fromEntries(counters);
  }

  /** Prefixes in the kernel. The tool is its own process: a listing takes seconds, which no change waits for. */
  async count(): Promise<number> {
    const args = ["list", "table", "inet", BLOCKED_TABLE];
    const text = await runOrFail("nft", {
      args,
      seconds: LIST_SECONDS,
      maxOutput: MAX_LISTING_BYTES,
    });
    let count = 0;
    for (let at = text.indexOf(" : jump s"); at >= 0; at = text.indexOf(" : jump s", at + 1)) {
      count++;
    }
    return count;
  }

  /** Tries what could not be written once more, and then no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) await this.#keep(this.#script);
    await this.#writing;
  }

  /** Resolves after the first attempt; a failed one is repeated until it succeeds. */
  #keep(script: string | null): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#script = script;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { bootFile, log, retryDelayMs = RETRY_DELAY_MS } = this.#deps, script = this.#script;
    if (bootFile === null) return;
    const path = join(dirname(bootFile), "blocked.nft");
    try {
      if (script === null) await removeFile(path);
      else await writeDurably(path, HEAD + script, "boot");
      this.#failure = "";
    } catch (error) {
      const failure = String(error);
      if (failure !== this.#failure) {
        log(`The blocked ranges for the next boot could not be written, and will be: ${failure}`);
      }
      this.#failure = failure;
      if (this.#isClosed || script !== this.#script) return;
      this.#timer = setTimeout(() => void this.#keep(script), retryDelayMs);
    }
  }

  async #endFlows(ranges: BlockedRanges): Promise<void> {
    const seen = new Map<number, boolean>();
    await this.#deps.eachFlow(({ original, reply }) => {
      for (const address of [original.source, original.destination, reply.source]) {
        if (seen.has(address)) continue;
        seen.set(address, blockerOf(ranges, 4, [address]) !== null);
      }
    });
    const blocked = [...seen].filter(([, isBlocked]) => isBlocked).map(([address]) => address);
    const four = blocked.length === 0 ? [] : await this.#deps.flows(blocked.map(formatIpv4));
    const six = ranges.groups.some(({ family }) => family === 6)
      ? (await this.#deps.ipv6Flows()).filter((flow) => isBlockedIpv6(ranges, flow))
      : [];
    if (four.length + six.length > 0) await this.#deps.flush([...four, ...six]);
  }
}

function isBlockedIpv6(ranges: BlockedRanges, flow: Flow): boolean {
  return endsOf(flow).some((text) => {
    const address = parseAddress(text);
    return address !== null && blockerOfAddress(ranges, address) !== null;
  });
}
