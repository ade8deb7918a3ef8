import type { Planner } from "../../../system/core/engine/change.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import type {
  Finding,
  Flow,
  Host,
  KernelEvent,
  LiveFlows,
  TrafficReading,
} from "../../../system/core/kernel/host.ts";
import type { KernelStep } from "../../../system/core/kernel/plan.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import type { Element, PacketTrace, Ruleset } from "../../../system/core/kernel/ruleset.ts";
import type { ToyConfig } from "./toy_schema.ts";

function ruleset(open: readonly string[], ports: readonly string[]): Ruleset {
  const elements = (keys: readonly string[]): ReadonlyMap<string, Element> =>
    new Map(keys.map((key) => [key, { key: [key] }]));
  return {
    tables: [{
      family: "inet",
      name: "filter",
      chains: [],
      sets: [
        { name: "open", key: ["ipv4_addr"], elements: elements(open) },
        { name: "ports", key: ["inet_service"], elements: elements(ports) },
      ],
    }],
  };
}

function keys(desired: Desired, set: number): readonly string[] {
  return [...desired.ruleset.tables[0]!.sets[set]!.elements.keys()];
}

const where = { family: "inet", table: "filter" } as const;

/** Where connections of devices lead. */
const TOY_INTERNET = "192.0.2.1";

/** Opens what is `Open`, lets ports of rules in, and ties a device to the link that it was seen on. */
export const toyPlanner: Planner<ToyConfig> = {
  desire: (config, observed) => ({
    ruleset: ruleset(
      Object.keys(config.devices).filter((name) => config.devices[name]!.Open),
      config.rules.map((rule) => String(rule.Port)),
    ),
    links: [],
    addresses: [],
    routes: [],
    neighbours: Object.entries(observed.devices).flatMap(([address, { link }]) =>
      link === null ? [] : [{ address, link, mac: "02:00:00:00:00:01" }]
    ),
    forwarding: true,
  }),
  diff: (before, after) => {
    const steps: KernelStep[] = [];
    const recheck: string[] = [];
    ["open", "ports"].forEach((set, index) => {
      const old = new Set(keys(before, index));
      const next = new Set(keys(after, index));
      const gone = [...old].filter((key) => !next.has(key));
      const added = [...next].filter((key) => !old.has(key));
      if (index === 0) recheck.push(...gone);
      const elements = (names: readonly string[]): Element[] =>
        names.map((key) => ({ key: [key] }));
      const ops = [
        { op: "delete-elements" as const, ...where, set, elements: elements(gone) },
        { op: "add-elements" as const, ...where, set, elements: elements(added) },
      ].filter((op) => op.elements.length > 0);
      if (ops.length > 0) steps.push({ kind: "ruleset", ops });
    });
    const moved = after.neighbours.filter((one) =>
      !before.neighbours.some((other) => other.address === one.address && other.link === one.link)
    );
    if (moved.length > 0) {
      steps.push({
        kind: "ip",
        ops: moved.map((neighbour) => ({ op: "replace-neighbour", neighbour })),
      });
    }
    return { steps, recheck };
  },
  reconcile: (desired) => ({
    steps: [{ kind: "load", ruleset: desired.ruleset }, {
      kind: "ip",
      ops: desired.neighbours.map((neighbour) => ({ op: "replace-neighbour", neighbour })),
    }],
    recheck: [TOY_INTERNET],
  }),
  drift: () => [],
  release: () => ({
    steps: [{
      kind: "ruleset",
      ops: [{ op: "delete-table", family: "inet", table: "filter" }],
    }],
    recheck: [],
  }),
  firstPacket: (_desired, query) => ({
    iif: query.iif ?? null,
    oif: null,
    source: query.source,
    destination: query.destination,
    mac: null,
    protocol: query.protocol,
  }),
  trace: (desired, packet): PacketTrace => {
    const verdict = keys(desired, 0).includes(packet.source) ? "accept" : "drop";
    const step = {
      table: "filter",
      chain: "input",
      comment: "only open devices",
      outcome: verdict,
    };
    return { verdict, steps: [step as PacketTrace["steps"][number]] };
  },
  *accessChangeSteps() {
    yield;
    return { allowed: [], denied: [], more: 0 };
  },
  describe: (plan) =>
    plan.steps.flatMap((step) =>
      step.kind === "ruleset"
        ? step.ops.map((op) =>
          `${op.op} ${"elements" in op ? op.elements.map((element) => element.key).join(" ") : ""}`
        )
        : [step.kind]
    ),
};

/** A kernel that holds what it was told, and refuses what a test asks it to. */
export class ToyHost implements Host {
  kind: "linux" | "memory" = "linux";
  readonly open = new Set<string>();
  readonly ports = new Set<string>();
  readonly neighbours = new Map<string, string>();
  tables: Facts["tables"] = [];
  connections: Flow[] = [];
  readonly cuts: Flow[] = [];
  readonly steps: KernelStep[] = [];
  /** Asked before each step; what it throws refuses the step. */
  refuse: (step: KernelStep) => void = () => {};
  failFacts = false;
  failCuts = 0;
  #listener: (event: KernelEvent) => void = () => {};

  facts(): Promise<Facts> {
    if (this.failFacts) return Promise.reject(new Problem(502, "ip: no answer"));
    return Promise.resolve({
      links: [],
      addresses: [],
      routes: [],
      neighbours: [],
      forwarding: true,
      tables: this.tables,
      capabilities: {
        dummy: false,
        bridge: true,
        vlan: false,
        vxlan: false,
        wireguard: false,
        flowtable: false,
      },
    });
  }

  block(): Promise<void> {
    return Promise.resolve();
  }

  blocked(): Promise<null> {
    return Promise.resolve(null);
  }

  countBlocked(): Promise<number> {
    return Promise.resolve(0);
  }

  async apply(step: KernelStep): Promise<void> {
    await Promise.resolve();
    this.refuse(step);
    this.steps.push(step);
    if (step.kind === "load") {
      this.tables = [{ family: "inet", name: "filter", comment: "sluice" }];
      [this.open, this.ports].forEach((set, index) => {
        set.clear();
        for (const key of step.ruleset.tables[0]!.sets[index]!.elements.keys()) set.add(key);
      });
    }
    if (step.kind === "ruleset") {
      for (const op of step.ops) {
        if (op.op === "delete-table") {
          this.tables = [];
          this.open.clear();
          this.ports.clear();
        }
        if (op.op !== "add-elements" && op.op !== "delete-elements") continue;
        const set = op.set === "open" ? this.open : this.ports;
        for (const { key } of op.elements) {
          if (op.op === "add-elements") set.add(key[0]!);
          else if (!set.delete(key[0]!)) throw new Problem(502, "nft: no such element");
        }
      }
    }
    if (step.kind === "ip") {
      for (const op of step.ops) {
        if (op.op === "replace-neighbour") {
          this.neighbours.set(op.neighbour.address, op.neighbour.link);
        }
      }
    }
  }

  traffic(): Promise<TrafficReading> {
    return Promise.resolve({ counters: {}, flows: null });
  }
  linkBytes(): Promise<Record<string, never>> {
    return Promise.resolve({});
  }

  liveFlows(): Promise<LiveFlows> {
    return Promise.resolve({ total: 0, items: [] });
  }
  inspect(): Promise<[]> {
    return Promise.resolve([]);
  }

  flows(addresses: readonly string[]): Promise<readonly Flow[]> {
    return Promise.resolve(
      this.connections.filter((flow) =>
        addresses.includes(flow.source) || addresses.includes(flow.destination)
      ),
    );
  }

  flushFlows(flows: readonly Flow[]): Promise<void> {
    if (this.failCuts-- > 0) return Promise.reject(new Problem(502, "conntrack: busy"));
    this.cuts.push(...flows);
    this.connections = this.connections.filter((flow) => !flows.includes(flow));
    return Promise.resolve();
  }

  /** What {@link compare} answers. */
  findings: readonly Finding[] = [];

  compare(): Promise<readonly Finding[]> {
    return Promise.resolve(this.findings);
  }

  routeTo(): Promise<string | null> {
    return Promise.resolve("lan0");
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.#listener = listener;
    return () => this.#listener = () => {};
  }

  emit(event: KernelEvent): void {
    this.#listener(event);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A connection of a device through the router. */
export function flowOf(source: string, destination = TOY_INTERNET): Flow {
  return {
    protocol: "tcp",
    source,
    destination,
    sport: 40000,
    dport: 443,
    replySource: destination,
    replyDestination: "198.51.100.1",
    replySport: 443,
    replyDport: 40000,
  };
}
