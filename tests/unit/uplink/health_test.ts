import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import type { Observations } from "../../../system/core/engine/change.ts";
import type { UplinkPath } from "../../../system/core/kernel/desired.ts";
import type { FlowsToEnd } from "../../../system/core/engine/kernel/running_flows.ts";
import type { Flow } from "../../../system/core/kernel/host.ts";
import { UplinkHealth, type UplinkHealthDeps } from "../../../system/uplink/health/health.ts";
import { MemoryKeeper } from "../../kit/fakes/history_keeper.ts";
import { UplinkHistory } from "../../../system/uplink/health/history.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { leasedNetworks } from "../../../system/uplink/leases.ts";
import { link, network } from "../../kit/builders/small_network.ts";
import { lease, seen, two } from "../../kit/lab/leased_uplinks.ts";

/** An uplink that leads out. */
function path(name: string, address: string, more: Partial<UplinkPath> = {}): UplinkPath {
  return {
    ...{ name, link: name, table: 200, address, via: "203.0.113.1", hasGateway: true },
    ...{
      running: true,
      carrierUps: null,
      isHealthy: true,
      weight: 1,
      mtu: null,
      linkMtu: 1500,
      ...more,
    },
  };
}

const UNPLUGGED = { running: false, isHealthy: false };

/** Uplinks that are looked at, of a kernel that the test makes. */
class Looked {
  now = 1_000_000;
  /** Seconds by which the wall clock was set ahead. */
  ahead = 0;
  state: "applied" | "model" | "broken" = "applied";
  applied = true;
  paths: readonly UplinkPath[] = [];
  readonly notices = new Set<string>();
  readonly cut: string[] = [];
  readonly keeper = new MemoryKeeper();
  #uptime = 10_000;
  #config: Config = two();
  past!: UplinkHistory;
  health!: UplinkHealth;

  /** Another api over what the last one wrote. */
  async start({ uptime = 10_000, config = two() } = {}): Promise<void> {
    this.#uptime = uptime;
    this.#config = config;
    this.past = await UplinkHistory.open(this.keeper, this.now);
    this.health = new UplinkHealth(this.#deps());
  }

  /** People decide. */
  decide(config: Config): void {
    this.#config = config;
  }

  async look(seconds = 0): Promise<void> {
    this.now += seconds;
    await this.health.check();
  }

  /** The wall clock is set ahead by so many seconds. */
  setAhead(seconds: number): void {
    this.ahead += seconds;
    this.now += seconds;
  }

  get outages(): readonly unknown[] {
    return this.past.outages().map(({ Iface, Start, End }) => [Iface, Start, End]);
  }

  #deps(): UplinkHealthDeps {
    const flow: Flow = {
      ...{ protocol: "tcp", source: "192.168.2.6", destination: "198.51.100.7" },
      ...{ replySource: "198.51.100.7", replyDestination: "" },
    };
    const observed: Observations = { devices: {} };
    const engine = {
      config: this.#config,
      observed,
      observe: () => Promise.resolve(),
      network: { state: this.state, detail: null },
      endFlows: ({ addresses: [own], select }: FlowsToEnd) => {
        const flows = select([
          { ...flow, replyDestination: own! },
          { ...flow, source: "198.51.100.7", destination: own!, replySource: "192.168.2.6" },
          // The router's own, by it and to it.
          { ...flow, source: own!, replyDestination: own! },
          { ...flow, source: "198.51.100.7", destination: own!, replySource: own! },
        ]);
        this.cut.push(
          ...flows.map(({ destination, replyDestination }) =>
            replyDestination === "" ? `to ${destination}` : replyDestination
          ),
        );
        return Promise.resolve();
      },
      desired: {},
    };
    Object.defineProperties(engine, {
      network: { get: () => ({ state: this.state, detail: null }) },
      desired: {
        get: () => ({
          addresses: this.paths.map(({ link, address }) => ({ link, address })),
          facts: { links: new Map(), addresses: [], uplinks: this.paths },
        }),
      },
      config: { get: () => this.#config },
    });
    return {
      engine: engine as unknown as UplinkHealthDeps["engine"],
      bus: new Bus(() => this.now * 1000),
      notices: {
        open: (kind: string, _detail: string, more?: { readonly subject?: string }) => {
          this.notices.add(`${kind} ${more?.subject}`);
          return Promise.resolve();
        },
        settle: (kind: string, subject?: string) => {
          this.notices.delete(`${kind} ${subject}`);
          return Promise.resolve();
        },
      } as unknown as UplinkHealthDeps["notices"],
      history: this.past,
      now: () => this.now * 1000,
      steady: () => (this.now - this.ahead) * 1000,
      uptime: () => this.#uptime,
      isApplied: () => this.applied,
      log: (error) => {
        throw error;
      },
    };
  }
}

async function looking(work: (looked: Looked) => Promise<void>): Promise<void> {
  await work(new Looked());
}

const BOTH = [path("eth0", "203.0.113.2/24"), path("eth2", "100.64.5.9/24")];
const SECOND_OUT = [BOTH[0]!, path("eth2", "100.64.5.9/24", UNPLUGGED)];

Deno.test("a new uplink has thirty seconds to come up without an outage", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = SECOND_OUT;
    await looked.look();
    await looked.look(29);
    looked.paths = BOTH;
    await looked.look(1);
    assert.deepEqual(looked.outages, []);
  }));

Deno.test("where nothing is applied yet no uplink has an outage", () =>
  looking(async (looked) => {
    looked.applied = false;
    looked.state = "model";
    await looked.start();
    looked.paths = SECOND_OUT;
    await looked.look();
    await looked.look(60);
    assert.deepEqual([looked.outages, [...looked.notices]], [[], []]);
    looked.applied = true;
    looked.state = "applied";
    await looked.look();
    await looked.look(31);
    assert.deepEqual([...looked.notices], ["uplink-down eth2"]);
  }));

Deno.test("setting the clock while an uplink comes up neither causes nor extends an outage", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = SECOND_OUT;
    await looked.look();
    looked.setAhead(365 * 24 * 3600);
    await looked.look(29);
    assert.deepEqual(looked.outages, []);
    await looked.look(1);
    assert.deepEqual(looked.outages, [["eth2", looked.now - 30, 0]]);
  }));

Deno.test("a leased network conflicts with no LAN subnet once the uplink uses no DHCP", () => {
  const observed = seen({
    eth2: lease("192.168.2.7/24", null),
    eth1: lease("192.168.9.7/24", null),
  });
  const networks = (more: Parameters<typeof link>[2]): readonly string[] =>
    leasedNetworks(observed, { interfaces: [link("eth2", "Uplink", more), link("eth1", "Other")] });
  assert.deepEqual(networks({}), ["192.168.2.7/24"]);
  assert.deepEqual(networks({ Enabled: false }), ["192.168.2.7/24"], "it may be used again");
  assert.deepEqual(networks({ DisableDHCP: true }), []);
  assert.deepEqual(networks({ Subtype: "pppup" }), []);
});

Deno.test("an outage that begins between runs is recorded from its detection", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = BOTH;
    await looked.look();
    looked.paths = SECOND_OUT;
    await looked.look(5);
    looked.paths = BOTH;
    await looked.look(5);
    const first = ["eth2", 1_000_005, 1_000_010];
    assert.deepEqual(looked.outages, [first]);
    await looked.start();
    looked.state = "model";
    looked.paths = [];
    await looked.look();
    await looked.look(20);
    assert.deepEqual(looked.outages, [first], "the model says nothing of the kernel");
    looked.state = "applied";
    looked.paths = SECOND_OUT;
    await looked.look();
    await looked.look(4);
    assert.deepEqual(looked.outages, [first]);
    await looked.look(1);
    assert.deepEqual(looked.outages, [["eth2", 1_000_030, 0], first]);
    await looked.start();
    await looked.look(60);
    assert.deepEqual(looked.outages, [["eth2", 1_000_030, 0], first], "it lasts, and is one");
    looked.paths = BOTH;
    await looked.look(1);
    assert.deepEqual(looked.outages, [["eth2", 1_000_030, 1_000_096], first]);
  }));

Deno.test("at boot, uplinks have the grace period of new ones", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = BOTH;
    await looked.look();
    looked.paths = SECOND_OUT;
    await looked.look();
    looked.paths = BOTH;
    await looked.look(1);
    assert.equal(looked.outages.length, 1);
    await looked.start({ uptime: 15 });
    looked.paths = SECOND_OUT;
    await looked.look();
    await looked.look(29);
    assert.equal(looked.outages.length, 1);
    await looked.look(1);
    assert.equal(looked.outages.length, 2);
  }));

Deno.test("a notice without a recorded outage is resolved once the uplink is up", () =>
  looking(async (looked) => {
    looked.notices.add("uplink-down eth2");
    await looked.start();
    looked.paths = BOTH;
    await looked.look();
    assert.deepEqual([...looked.notices], []);
  }));

Deno.test("connections of an uplink that went down between runs are flushed at the first check", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = BOTH;
    await looked.look();
    assert.deepEqual(looked.cut, []);
    await looked.start();
    looked.paths = SECOND_OUT;
    await looked.look();
    await looked.look(1);
    assert.deepEqual(looked.cut, ["100.64.5.9"]);
    await looked.start();
    looked.paths = BOTH.map((one) => ({ ...one, ...UNPLUGGED }));
    await looked.look();
    assert.deepEqual(looked.cut, ["100.64.5.9"]);
  }));

Deno.test("connections stay on a standby once the better uplink is back, unless they are to move", () =>
  looking(async (looked) => {
    for (const Failback of ["new", "all"] as const) {
      await looked.start({
        config: two({ wan: { ...DEFAULT_UPLINK_SETTINGS, Balance: "pair", Failback } }),
      });
      const [first, standby] = [BOTH[0]!, { ...BOTH[1]!, weight: 0 }];
      looked.paths = [{ ...first, ...UNPLUGGED }, standby];
      await looked.look();
      looked.cut.length = 0;
      looked.paths = [first, standby];
      await looked.look(1);
      assert.deepEqual(looked.cut, Failback === "all" ? ["100.64.5.9"] : [], Failback);
      await looked.look(1);
      assert.equal(looked.cut.length, Failback === "all" ? 1 : 0, "once");
      // An uplink that takes new connections as well is no standby.
      looked.cut.length = 0;
      looked.paths = [{ ...first, ...UNPLUGGED }, BOTH[1]!];
      await looked.look(1);
      looked.cut.length = 0;
      looked.paths = BOTH;
      await looked.look(1);
      assert.deepEqual(looked.cut, []);
    }
  }));

Deno.test("with one address on two uplinks, no connections are flushed", () =>
  looking(async (looked) => {
    const twins = [path("eth0", "192.168.1.2/24"), path("eth2", "192.168.1.2/24")];
    await looked.start();
    looked.paths = twins;
    await looked.look();
    looked.paths = [twins[0]!, { ...twins[1]!, ...UNPLUGGED }];
    await looked.look(1);
    assert.deepEqual(looked.cut, []);
    looked.paths = [path("eth0", "203.0.113.2/24"), twins[1]!];
    await looked.look(1);
    looked.paths = [looked.paths[0]!, { ...twins[1]!, ...UNPLUGGED }];
    await looked.look(1);
    assert.deepEqual(looked.cut, ["192.168.1.2"]);
  }));

Deno.test("connections of a removed uplink are flushed, forwarded ones as well", () =>
  looking(async (looked) => {
    await looked.start();
    looked.paths = BOTH;
    await looked.look();
    const [first, second, home] = two().interfaces;
    looked.decide(two({ interfaces: [first!, { ...second!, Type: "Downlink" }, home!] }));
    looked.paths = [BOTH[0]!];
    await looked.look(1);
    assert.deepEqual(looked.cut, ["100.64.5.9", "to 100.64.5.9"]);
    looked.decide(two({ interfaces: [{ ...first!, Name: "eth9" }, home!] }));
    looked.paths = [path("eth9", "203.0.113.2/24")];
    await looked.look(1);
    assert.deepEqual(looked.cut.length, 2, "another uplink has its address now");
  }));

Deno.test("uplinks named like Object.prototype properties are monitored", () =>
  looking(async (looked) => {
    const names = ["constructor", "toString"];
    const interfaces = names.map((Name) => ({ ...two().interfaces[0]!, Name }));
    await looked.start({ config: network({}, { interfaces }) });
    looked.paths = names.map((name, at) => path(name, `203.0.113.${2 + at}/24`));
    await looked.look();
    const items = names.map((name) => ({ name, latency: 3 }));
    await looked.health.probed({ items });
    await looked.look(60);
    await looked.health.probed({ items });
    await looked.look(60);
    for (const name of names) {
      assert.equal(looked.past.samples(name, "minutes", 9).length, 2, name);
      assert.equal(looked.past.samples(name, "hours", 9).length, 1, name);
    }
    assert.deepEqual(looked.past.samples("valueOf", "minutes", 9), []);
  }));
