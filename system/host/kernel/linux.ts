import { InterfaceName } from "../../core/net/grammar.ts";
import { runOrFail } from "../tools/run.ts";
import { renderElementLine, renderLoad, renderOps } from "../../core/kernel/nft/text.ts";
import type { Capabilities, Facts } from "../../core/kernel/facts.ts";
import type { BlockedRanges } from "../../core/kernel/blocked_ranges.ts";
import { BlockedTable } from "./blocked.ts";
import type {
  BlockedCounters,
  Finding,
  Host,
  KernelEvent,
  LiveFlows,
  LiveFlowsQuery,
  TrafficReading,
} from "../../core/kernel/host.ts";
import type { PacketReport } from "../../core/kernel/logged_packet.ts";
import type { IpOp, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import { BootFile } from "./boot_file.ts";
import { mayNarrow } from "./narrowing.ts";
import { probeCapabilities } from "./capabilities.ts";
import type { IsRestrictive } from "../nft/compare.ts";
import { Comparer } from "../nft/comparer.ts";
import { flushByTool, listFlows, listIpv6Flows } from "../netlink/conntrack/tool.ts";
import { flushByNetlink } from "../netlink/conntrack/flush.ts";
import { type FollowedFlows, openFollowedFlows } from "../netlink/conntrack/followed_flows.ts";
import { TrafficBatches } from "../netlink/conntrack/traffic_batches.ts";
import { openFlowLister } from "../netlink/conntrack/lister.ts";
import { elementBatch } from "../nft/element_batch.ts";
import { ElementChanges } from "../nft/element_changes.ts";
import { readCounters } from "../nft/counters.ts";
import { GenerationWatch, readGeneration } from "../nft/generation.ts";
import { inspectKernel } from "./inspect.ts";
import { openLibrary } from "../nft/libnftables.ts";
import { KeptOutline } from "../nft/kept_outline.ts";
import { hooksOf } from "../nft/listing.ts";
import { Mirror } from "./mirror.ts";
import { type Netlink, openNetlink } from "../netlink/netlink.ts";
import { binaryNft } from "../nft/nft_binary.ts";
import { PacketLog } from "../netlink/nflog/packet_log.ts";
import type { Nft } from "../nft/nftables.ts";
import { isRtOp, openRtnetlink, type Rtnetlink } from "../netlink/route/rtnetlink.ts";
import { followLinks } from "./link_events.ts";

/** Options of the Linux host. */
export interface LinuxOptions {
  readonly isRestrictive: IsRestrictive;
  /** Receives the nftables backend in use, and errors of monitors that cannot be started. */
  readonly log?: (message: string) => void;
  /** Default: the library, or the `nft` tool where it cannot be loaded. */
  readonly nft?: Nft;
  /** File that keeps the last applied ruleset for the next boot; default none. */
  readonly bootFile?: string;
  /** File that exists while our rules may be in the kernel; default none. */
  readonly appliedMark?: string;
  /** File that exists once they were taken out of it, until they are loaded again; default none. */
  readonly releasedMark?: string;
}

/**
 * The kernel of this process's network namespace. Where a tool is missing, what needs it throws Problem
 * 503, and works once the tool is there.
 */
export async function linuxHost(options: LinuxOptions): Promise<Host> {
  const nft = options.nft ?? openLibrary() ?? binaryNft();
  const log = options.log ?? ((): void => {});
  log(nft.backend === "library" ? "Using libnftables" : "Using the nft tool for nftables");
  const follows = await hasConntrackEvents();
  if (follows) {
    await countConnections().catch((error) => log(`Connections are not counted: ${error}`));
  }
  return new LinuxHost(nft, { ...options, log, follows });
}

class LinuxHost implements Host {
  readonly kind = "linux";
  readonly #nft: Nft;
  /** Null where the nft tool is used for everything. */
  readonly #elements: ElementChanges | null;
  #capabilities: Promise<Capabilities> | null = null;
  #packets: PacketLog | null = null;
  readonly #log: (message: string) => void;
  readonly #listeners = new Set<(event: KernelEvent) => void>();
  readonly #netlink: Netlink = openNetlink();
  readonly #rtnetlink: Rtnetlink = openRtnetlink();
  readonly #lister = openFlowLister();
  readonly #followed: FollowedFlows | null;
  readonly #batches = new TrafficBatches(crypto.randomUUID());
  readonly #mirror = new Mirror();
  readonly #outline: KeptOutline;
  readonly #comparer: Comparer;
  readonly #bootFile: BootFile | null;
  readonly #blocked: BlockedTable;
  readonly #isRestrictive: IsRestrictive;
  #links: { stop(): Promise<void> } | null = null;
  #rulesets: GenerationWatch | null = null;

  constructor(
    nft: Nft,
    { log, bootFile, appliedMark, releasedMark, follows, isRestrictive }: LinuxOptions & {
      readonly log: (message: string) => void;
      readonly follows: boolean;
    },
  ) {
    this.#nft = nft;
    this.#elements = nft.backend === "library" ? new ElementChanges() : null;
    this.#outline = new KeptOutline({
      read: () => nft.outline(),
      generation: () => readGeneration(this.#netlink),
    });
    this.#followed = follows ? openFollowedFlows(this.#lister) : null;
    this.#log = log;
    this.#comparer = new Comparer({
      nft,
      isRestrictive,
      transact: (script) => this.#transact(script),
    });
    this.#bootFile = bootFile === undefined ? null : new BootFile({
      path: bootFile,
      mark: appliedMark ?? null,
      releasedMark: releasedMark ?? null,
      ruleset: () => this.#mirror.ruleset(),
      onError: log,
    });
    this.#isRestrictive = isRestrictive;
    this.#blocked = new BlockedTable({
      nft,
      transact: (script) => this.#transact(script),
      bootFile: bootFile ?? null,
      eachFlow: (take) => this.#lister.each(take),
      flows: (addresses) => this.flows(addresses),
      ipv6Flows: listIpv6Flows,
      flush: (flows) => this.flushFlows(flows),
      log,
    });
  }

  async facts(): Promise<Facts> {
    // A kernel may show for a moment what it was probed with.
    const capabilities = await this.#probeOnce();
    const [ip, forwarding, tables] = await Promise.all([
      this.#rtnetlink.facts(),
      this.#rtnetlink.forwarding(),
      this.#outline.tables(),
    ]);
    return {
      ...ip,
      forwarding,
      tables: tables.map(({ family, name, comment }) => ({ family, name, comment })),
      hooks: hooksOf(tables),
      capabilities,
    };
  }

  async apply(step: KernelStep): Promise<void> {
    switch (step.kind) {
      case "ruleset":
        if (step.ops.length === 0) return;
        await this.#change(step.ops);
        return await this.#note(step);
      case "load":
        await this.#transact(renderLoad(step.ruleset));
        return await this.#note(step);
      case "ip":
        return await this.#applyIp(step.ops);
      case "forwarding":
        return await writeForwarding(step.on);
    }
  }

  async compare(thorough: boolean): Promise<readonly Finding[]> {
    const ruleset = this.#mirror.ruleset();
    return ruleset === null ? [] : await this.#comparer.compare(ruleset, thorough);
  }

  async flows(addresses: readonly string[]): ReturnType<Host["flows"]> {
    if (addresses.length === 0) return [];
    const lister = this.#followed ?? this.#lister;
    const six = addresses.filter((address) => address.includes(":"));
    const four = addresses.filter((address) => !address.includes(":"));
    const lists = await Promise.all([
      four.length === 0 ? [] : lister.list(four),
      six.length === 0 ? [] : listFlows(six),
    ]);
    return lists.flat();
  }

  async flushFlows(flows: Parameters<Host["flushFlows"]>[0]): Promise<void> {
    await flushByNetlink(this.#netlink, flows.filter((flow) => flow.protocol !== "icmp"));
    // An ICMP echo entry is identified by an ID that a flow does not hold.
    await flushByTool(flows.filter((flow) => flow.protocol === "icmp"));
  }

  routeTo(address: string): Promise<string | null> {
    return this.#rtnetlink.routeTo(address);
  }

  async traffic(flows?: Parameters<Host["traffic"]>[0]): Promise<TrafficReading> {
    const followed = this.#followed;
    const [text, batch] = await Promise.all([
      this.#nft.counted("ip", "accounting"),
      flows === undefined || followed === null
        ? null
        : this.#batches.next(flows.acknowledged, () => followed.collect()),
    ]);
    return { counters: readCounters(text ?? ""), flows: batch };
  }

  linkBytes(): ReturnType<Host["linkBytes"]> {
    return this.#rtnetlink.linkBytes();
  }

  async liveFlows(query: LiveFlowsQuery): Promise<LiveFlows> {
    return await this.#followed?.page(query) ?? { total: 0, items: [] };
  }

  block(ranges: BlockedRanges | null): Promise<void> {
    return this.#blocked.replace(ranges);
  }

  blocked(): Promise<BlockedCounters | null> {
    return this.#blocked.counters();
  }

  countBlocked(): Promise<number> {
    return this.#blocked.count();
  }

  async inspect(what: Parameters<Host["inspect"]>[0]): ReturnType<Host["inspect"]> {
    if (what.kind !== "tables") return await inspectKernel(what, this.#rtnetlink);
    return (await this.#outline.tables()).map(({ family, name }) => ({ table: { family, name } }));
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#links ??= followLinks((event) => this.#emit(event), this.#log);
    this.#rulesets ??= this.#watchRulesets();
    return () => this.#listeners.delete(listener);
  }

  followPackets(
    report: (report: PacketReport) => void,
    failed: (error: unknown) => void,
  ): () => void {
    this.#packets?.close();
    this.#packets = null;
    try {
      const opened = this.#packets = new PacketLog(report);
      return () => {
        opened.close();
        if (this.#packets === opened) this.#packets = null;
      };
    } catch (error) {
      failed(error);
      return () => {};
    }
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#packets?.close();
    await this.#links?.stop();
    this.#rulesets?.close();
    await this.#bootFile?.close();
    await this.#blocked.close();
    await this.#followed?.close();
    await this.#lister.close();
    this.#netlink.close();
    await this.#elements?.close();
    await this.#rtnetlink.close();
    await this.#nft.close();
  }

  /** Asked first when facts are: a machine may show its interfaces long before it has every tool. */
  #probeOnce(): Promise<Capabilities> {
    this.#capabilities ??= probeCapabilities(this.#nft).catch((error) => {
      this.#capabilities = null;
      throw error;
    });
    return this.#capabilities;
  }

  async #applyIp(ops: readonly IpOp[]): Promise<void> {
    for (const op of ops) if (op.op === "set-loose-rp-filter") await setLooseReversePath(op.name);
    await this.#rtnetlink.apply(ops.filter(isRtOp));
  }

  /** What takes access away is in the boot file before it is answered: no power cut gives it back. */
  async #note(step: KernelStep): Promise<void> {
    this.#mirror.note(step);
    this.#bootFile?.changed(step.kind === "ruleset" ? renderElementLine(step.ops) : null);
    if (mayNarrow(step, this.#isRestrictive)) await this.#bootFile?.flushNarrowed();
  }

  #watchRulesets(): GenerationWatch {
    const foreign = (): void => this.#emit({ kind: "ruleset" });
    return new GenerationWatch(() => readGeneration(this.#netlink), foreign);
  }

  /** Changes the ruleset in one transaction: plain elements by themselves, all else by nftables. */
  async #change(ops: readonly RulesetOp[]): Promise<void> {
    const batch = this.#elements === null ? null : elementBatch(ops);
    if (batch !== null) {
      try {
        return await this.#during(() => this.#elements!.run(batch));
      } catch {
        // Nothing of it was taken: nftables says why, or finds a way.
      }
    }
    await this.#transact(renderOps(ops));
  }

  #transact(script: string): Promise<void> {
    return this.#during(() => this.#nft.run(script));
  }

  /** Without a watch, own transactions need not be distinguished from foreign ones. */
  #during(run: () => Promise<void>): Promise<void> {
    return this.#rulesets?.during(run) ?? run();
  }

  #emit(event: KernelEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

const IP_FORWARD = "net.ipv4.ip_forward";

/** Switches forwarding of IPv4 on or off; IPv6 is left as it is. */
async function writeForwarding(on: boolean): Promise<void> {
  await runOrFail("sysctl", { args: ["-q", "-w", `${IP_FORWARD}=${on ? 1 : 0}`] });
}

/**
 * Sets the reverse-path filter of a link to loose (rp_filter 2). A name may contain dots, so the parts
 * of the setting are separated by slashes.
 */
async function setLooseReversePath(link: string): Promise<void> {
  const name = InterfaceName.parse(link);
  await runOrFail("sysctl", { args: ["-q", "-w", `net/ipv4/conf/${name}/rp_filter=2`] });
}

/** Has the kernel count the packets and bytes of connections that begin from now on. */
async function countConnections(): Promise<void> {
  await runOrFail("sysctl", { args: ["-q", "-w", "net.netfilter.nf_conntrack_acct=1"] });
}

/** True when the kernel sends conntrack events. */
async function hasConntrackEvents(): Promise<boolean> {
  try {
    const value = await runOrFail("sysctl", { args: ["-n", "net.netfilter.nf_conntrack_events"] });
    return value.trim() !== "0";
  } catch {
    // The kernel was built without them.
    return false;
  }
}
