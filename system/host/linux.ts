import { renderLoad, renderOps } from "../firewall/text.ts";
import type { Capabilities, Facts, Host, KernelEvent, KernelStep } from "../core/kernel.ts";
import { probeCapabilities } from "./capabilities.ts";
import { cutFlows, listFlows } from "./conntrack.ts";
import { type Cutter, openCutter } from "./cutter.ts";
import { ipApply, ipFacts, ipRouteTo } from "./ip.ts";
import { openLibrary } from "./libnftables.ts";
import { binaryNft } from "./nft.ts";
import type { Nft } from "./nftables.ts";
import { readForwarding, writeForwarding } from "./sysctl.ts";
import { parseTables } from "./tables.ts";
import { OwnTransactions, watchKernel } from "./watch.ts";

/** What the Linux host is made with. */
export interface LinuxOptions {
  /** Told which way to nftables is used, and of monitors that cannot be started. */
  readonly log?: (message: string) => void;
  /** Default: the library, or the `nft` tool where it cannot be loaded. */
  readonly nft?: Nft;
}

/** The kernel of this process's network namespace. Throws Problem 503 when a tool is missing. */
export async function linuxHost(options: LinuxOptions = {}): Promise<Host> {
  const nft = options.nft ?? openLibrary() ?? binaryNft();
  const log = options.log ?? ((): void => {});
  log(nft.way === "library" ? "nftables by its library" : "nftables by the nft tool");
  try {
    return new LinuxHost(nft, await probeCapabilities(nft), log);
  } catch (error) {
    await nft.close();
    throw error;
  }
}

class LinuxHost implements Host {
  readonly kind = "linux";
  readonly #nft: Nft;
  readonly #capabilities: Capabilities;
  readonly #log: (message: string) => void;
  readonly #listeners = new Set<(event: KernelEvent) => void>();
  readonly #cutter: Cutter | null = openCutter();
  readonly #own = new OwnTransactions(() => this.#emit({ kind: "ruleset" }));
  #watch: { stop(): Promise<void> } | null = null;

  constructor(nft: Nft, capabilities: Capabilities, log: (message: string) => void) {
    this.#nft = nft;
    this.#capabilities = capabilities;
    this.#log = log;
  }

  async facts(): Promise<Facts> {
    const [ip, forwarding, outline] = await Promise.all([
      ipFacts(),
      readForwarding(),
      this.#nft.outline(),
    ]);
    return {
      ...ip,
      forwarding,
      tables: parseTables(outline),
      capabilities: this.#capabilities,
    };
  }

  async apply(step: KernelStep): Promise<void> {
    switch (step.kind) {
      case "ruleset":
        if (step.ops.length > 0) await this.#transact(renderOps(step.ops));
        return;
      case "load":
        return await this.#transact(renderLoad(step.ruleset));
      case "ip":
        return await ipApply(step.ops);
      case "forwarding":
        return await writeForwarding(step.on);
    }
  }

  flows(addresses: readonly string[]): ReturnType<Host["flows"]> {
    return addresses.length === 0 ? Promise.resolve([]) : listFlows(addresses);
  }

  async cut(flows: Parameters<Host["cut"]>[0]): Promise<void> {
    if (this.#cutter === null) return await cutFlows(flows);
    await this.#cutter.cut(flows.filter((flow) => flow.protocol !== "icmp"));
    // An echo's connection is known by an identifier that a flow does not hold.
    await cutFlows(flows.filter((flow) => flow.protocol === "icmp"));
  }

  routeTo(address: string): Promise<string | null> {
    return ipRouteTo(address);
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#watch ??= watchKernel({
      emit: (event) => this.#emit(event),
      reported: () => this.#own.reported(),
      complain: this.#log,
    });
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#watch?.stop();
    this.#own.close();
    this.#cutter?.close();
    await this.#nft.close();
  }

  /** Without a watch there is nobody to report our transactions, so they are not counted. */
  #transact(script: string): Promise<void> {
    const run = (): Promise<void> => this.#nft.run(script);
    return this.#watch === null ? run() : this.#own.during(run);
  }

  #emit(event: KernelEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
