import type {
  AddressFact,
  Capabilities,
  Facts,
  LinkFact,
  RouteFact,
  TableFact,
} from "../../core/kernel/facts.ts";
import { type BlockedRanges, countPrefixes } from "../../core/kernel/blocked_ranges.ts";
import type {
  BlockedCounters,
  Finding,
  Flow,
  Host,
  KernelEvent,
  LiveFlows,
  LiveFlowsQuery,
  TrafficReading,
} from "../../core/kernel/host.ts";
import type { KernelStep } from "../../core/kernel/plan.ts";
import type { Inspection, InspectionEntry } from "../../core/kernel/inspection.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { connectAll, type IpState, ipStep, routeTo } from "./ip.ts";
import { inspectModel } from "./view.ts";
import { compareModel } from "./compare.ts";
import type { IsRestrictive } from "../nft/compare.ts";
import { Mirror } from "../kernel/mirror.ts";
import { load, tableKey, type Tables, transact } from "./rules.ts";

/** An injected failure of a step: before it, after it, or, for an `ip` step, after so many operations. */
export interface Fault {
  readonly when: "before" | "after" | number;
  /** Default: a 502 that says that the failure was injected. */
  readonly problem?: Error;
}

/** Initial state of a modelled kernel. */
export interface MemoryOptions {
  /** Names, or whole facts. Default: `lo`, and `wan0`, `lan0`, `lan1` with a cable each, all down. */
  readonly links?: readonly (string | LinkFact)[];
  readonly addresses?: readonly AddressFact[];
  readonly routes?: readonly RouteFact[];
  readonly capabilities?: Partial<Capabilities>;
  /** Tables of other programs. */
  readonly tables?: readonly TableFact[];
  /** Default: no set is. */
  readonly isRestrictive?: IsRestrictive;
  /** Called before each step, counted from 1; null lets it pass. */
  readonly fail?: (step: KernelStep, count: number) => Fault | null;
}

const CAPABILITIES: Capabilities = {
  dummy: true,
  bridge: true,
  vlan: true,
  vxlan: true,
  wireguard: true,
  flowtable: false,
};

/** A model of the kernel, as strict as the kernel itself; the machine is not touched. */
export function memoryHost(options: MemoryOptions = {}): MemoryHost {
  return new MemoryHost(options);
}

/** A {@link Host} in memory, which tests can inspect and break. */
export class MemoryHost implements Host {
  readonly kind = "memory";
  /** Called before each step; tests may change it. */
  fail: (step: KernelStep, count: number) => Fault | null;
  /** What is to be counted; tests may change it. */
  counted: TrafficReading = { counters: {}, flows: null };
  /** What links carried. */
  carried: Awaited<ReturnType<Host["linkBytes"]>> = {};
  readonly #capabilities: Capabilities;
  readonly #isRestrictive: IsRestrictive;
  readonly #listeners = new Set<(event: KernelEvent) => void>();
  #foreign: readonly TableFact[];
  #ip: IpState;
  #tables: Tables = new Map();
  readonly #mirror = new Mirror();
  #forwarding = false;
  #flows: readonly Flow[] = [];
  #blocked: BlockedRanges | null = null;
  #steps = 0;

  constructor(options: MemoryOptions) {
    this.fail = options.fail ?? ((): null => null);
    this.#capabilities = { ...CAPABILITIES, ...options.capabilities };
    this.#isRestrictive = options.isRestrictive ?? ((): boolean => false);
    this.#foreign = options.tables ?? [];
    this.#ip = connectAll({
      links: [
        { name: "lo", index: 1, mac: null, up: true, running: true, kind: null },
        ...(options.links ?? ["wan0", "lan0", "lan1"]).map(asLink),
      ],
      addresses: [{ link: "lo", address: "127.0.0.1/8" }, ...(options.addresses ?? [])],
      routes: options.routes ?? [],
      neighbours: [],
      policyRouting: [],
      rules: [],
    });
  }

  facts(): Promise<Facts> {
    const own = [...this.#tables.values()].map(({ family, name }) => ({
      family,
      name,
      comment: "sluice",
    }));
    return Promise.resolve({
      links: this.#ip.links,
      addresses: this.#ip.addresses,
      // The kernel keeps the routes of `lo` in its local table.
      routes: this.#ip.routes.filter((route) => route.link !== "lo"),
      policyRouting: { routes: this.#ip.policyRouting, rules: this.#ip.rules },
      neighbours: this.#ip.neighbours,
      forwarding: this.#forwarding,
      tables: [...this.#foreign, ...own],
      capabilities: this.#capabilities,
    });
  }

  async apply(step: KernelStep): Promise<void> {
    const fault = this.fail(step, ++this.#steps);
    const number = this.#steps;
    const broken = (): Error =>
      fault?.problem ?? new Problem(502, `The step ${number} (${step.kind}) was made to fail`);
    await Promise.resolve();
    if (fault?.when === "before") throw broken();
    switch (step.kind) {
      case "ruleset":
        for (const op of step.ops) this.#requireOurs(op.op === "add-table" ? op.table : op);
        this.#tables = transact(this.#tables, step.ops);
        break;
      case "load":
        this.#tables = load(step.ruleset);
        // A load replaces any table with the same name.
        this.#foreign = this.#foreign.filter((table) =>
          !this.#tables.has(tableKey(table.family, table.name))
        );
        break;
      case "ip":
        for (const [index, op] of step.ops.entries()) {
          if (fault?.when === index) throw broken();
          this.#setIp(ipStep(this.#ip, op, this.#capabilities));
        }
        break;
      case "forwarding":
        this.#forwarding = step.on;
        break;
    }
    this.#mirror.note(step);
    if (fault !== null) throw broken();
  }

  compare(_thorough: boolean): Promise<readonly Finding[]> {
    const wanted = this.#mirror.ruleset();
    return Promise.resolve(
      wanted === null ? [] : compareModel(wanted, this.ruleset(), this.#isRestrictive),
    );
  }

  flows(addresses: readonly string[]): Promise<readonly Flow[]> {
    const wanted = new Set(addresses);
    return Promise.resolve(
      this.#flows.filter((flow) =>
        [flow.source, flow.destination, flow.replySource, flow.replyDestination]
          .some((end) => wanted.has(end))
      ),
    );
  }

  flushFlows(flows: readonly Flow[]): Promise<void> {
    const gone = new Set(flows.map(flowKey));
    this.#flows = this.#flows.filter((flow) => !gone.has(flowKey(flow)));
    return Promise.resolve();
  }

  routeTo(address: string): Promise<string | null> {
    return Promise.resolve(routeTo(this.#ip, address));
  }

  traffic(flows?: Parameters<Host["traffic"]>[0]): Promise<TrafficReading> {
    return Promise.resolve(flows === undefined ? { ...this.counted, flows: null } : this.counted);
  }

  linkBytes(): ReturnType<Host["linkBytes"]> {
    return Promise.resolve(this.carried);
  }

  liveFlows({ addresses, remotes, limit, before }: LiveFlowsQuery): Promise<LiveFlows> {
    const has = (list: readonly string[] | null, flow: Flow): boolean =>
      list === null || list.includes(flow.source) || list.includes(flow.replySource);
    const counts = [0, 0, 0, 0] as const;
    const found = this.#flows.map((flow, at) => ({ ...flow, id: at + 1, seconds: null, counts }))
      .filter((flow) => has(addresses, flow) && has(remotes, flow)).toReversed();
    const items = found.filter(({ id }) => id < (before ?? Infinity)).slice(0, limit);
    return Promise.resolve({ total: found.length, items });
  }

  block(ranges: BlockedRanges | null): Promise<void> {
    this.#blocked = ranges;
    return Promise.resolve();
  }

  blocked(): Promise<BlockedCounters | null> {
    if (this.#blocked === null) return Promise.resolve(null);
    const none = { packets: 0, bytes: 0 };
    return Promise.resolve(
      Object.fromEntries(this.#blocked.sources.map(({ type, key }) => [`${type} ${key}`, none])),
    );
  }

  countBlocked(): Promise<number> {
    return Promise.resolve(this.#blocked === null ? 0 : countPrefixes(this.#blocked));
  }

  async inspect(what: Inspection): Promise<readonly InspectionEntry[]> {
    if (what.kind === "tables") {
      const { tables } = await this.facts();
      return tables.map(({ family, name }) => ({ table: { family, name } }));
    }
    return await Promise.resolve(
      inspectModel(what, { facts: this.#ip, tables: [...this.#tables.values()] }),
    );
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#listeners.clear();
    return Promise.resolve();
  }

  /** Sluice's tables in the model. */
  ruleset(): Ruleset {
    return { tables: [...this.#tables.values()] };
  }

  /** The conntrack entries. */
  tracked(): readonly Flow[] {
    return this.#flows;
  }

  /** Adds conntrack entries, as traffic would. */
  track(...flows: readonly Flow[]): void {
    this.#flows = [...this.#flows, ...flows];
  }

  /** Changes the model behind the planner's back, as another administrator would. */
  applyForeign(step: KernelStep): void {
    if (step.kind === "ruleset") {
      this.#tables = transact(this.#tables, step.ops);
      this.emit({ kind: "ruleset" });
    } else if (step.kind === "load") {
      this.#tables = load(step.ruleset);
      this.emit({ kind: "ruleset" });
    } else if (step.kind === "ip") {
      for (const op of step.ops) this.#setIp(ipStep(this.#ip, op, this.#capabilities));
    } else {
      this.#forwarding = step.on;
    }
  }

  /** Sends an event to the listeners. */
  emit(event: KernelEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #setIp(next: IpState): void {
    const before = this.#ip;
    this.#ip = next;
    if (before.links === next.links) return;
    const old = new Map(before.links.map((link) => [link.name, link]));
    for (const link of next.links) {
      if (old.get(link.name) !== link) this.emit({ kind: "link", name: link.name });
      old.delete(link.name);
    }
    for (const name of old.keys()) this.emit({ kind: "link", name });
  }

  #requireOurs(
    table: { readonly family: string; readonly name?: string; readonly table?: unknown },
  ) {
    const name = table.name ?? String(table.table);
    const taken = this.#foreign.some((one) => one.family === table.family && one.name === name);
    if (taken) {
      throw new Problem(502, `nftables refused: table ${table.family} ${name} is someone else's`);
    }
  }
}

function asLink(link: string | LinkFact, position: number): LinkFact {
  if (typeof link !== "string") return link;
  const index = position + 2;
  const mac = `02:00:5e:00:53:${(index & 255).toString(16).padStart(2, "0")}`;
  return { name: link, index, mac, up: false, running: false, kind: null };
}

function flowKey(flow: Flow): string {
  return JSON.stringify([
    ...[flow.protocol, flow.source, flow.destination, flow.sport, flow.dport],
    ...[flow.replySource, flow.replyDestination, flow.replySport, flow.replyDport],
  ]);
}
