import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { UplinkPath } from "../../core/kernel/host.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import { afterRound, downtime, type Health, latest, summary, UNKNOWN } from "./health_rules.ts";
import { withoutOwnMtu, withUplink } from "../leases.ts";
import type { ProbeReport } from "../plan_schema.ts";
import { inOrder, percentOf, sharesOf, weightOf } from "../balance_rules.ts";
import { reasonOf } from "./status_rules.ts";
import type { UplinkHistory } from "./history.ts";
import type { WanStatus } from "../status_schema.ts";

/** Kind of the notices, one per uplink. */
const KIND = "uplink-down";

const DAY = 24 * 3600;

/** Milliseconds by which the clock must jump for the end of a lease to be rewritten. */
const SET_BY = 30_000;

/**
 * Seconds for an uplink to come up before it counts as an outage: at first and while the machine
 * boots, and after a restart of the api alone.
 */
const UP_TIMEOUT_S = { first: 30, restart: 5 } as const;

/** Seconds for which a machine boots: its links and providers are slow to come up. */
const BOOT_TIME_S = 120;

/** What the health of uplinks needs from outside. */
export interface UplinkHealthDeps {
  readonly engine: Pick<
    Engine<Config>,
    "config" | "desired" | "network" | "observed" | "observe" | "host"
  >;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  readonly past: UplinkHistory;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds, by which leases expire. */
  readonly steady: () => number;
  /** Seconds since the machine was started. */
  readonly uptime: () => number;
  readonly log: (error: unknown) => void;
}

function hostOf(address: string): string {
  return address.split("/")[0] ?? "";
}

/** State of one uplink between two checks. */
interface Seen {
  readonly up: boolean;
  readonly alive: boolean;
  readonly address: string | null;
  /** Unix seconds of its last change; 0 none yet. */
  readonly changed: number;
  /**
   * The first look that counts, in milliseconds of the steady clock: while uplinks come up the wall
   * clock is set. Null once it was up.
   */
  readonly fresh: number | null;
}

/**
 * Monitors the uplinks: takes the results of health checks, records outages and opens notices, and
 * flushes connections of an uplink that is down, so that they restart on one that is up.
 */
export class UplinkHealth {
  readonly #deps: UplinkHealthDeps;
  #health = new Map<string, Health>();
  #seen = new Map<string, Seen>();
  /** When leases end: as they say, and on the steady clock. */
  #ends = new Map<string, { readonly until: number; readonly at: number }>();
  #minute: number;
  #thisMinute = new Map<string, (number | null)[]>();
  #turn: Promise<void> = Promise.resolve();
  /** The kernel was known at the last look, and not only its model. */
  #applied = false;
  readonly #boots: boolean;

  constructor(deps: UplinkHealthDeps) {
    this.#deps = deps;
    this.#boots = deps.uptime() < BOOT_TIME_S;
    this.#minute = this.#seconds() - this.#seconds() % 60;
  }

  /** Takes the results of one round of health checks. */
  async probed(report: ProbeReport): Promise<void> {
    const { engine } = this.#deps;
    const { wan } = engine.config;
    const names = new Set(this.#names());
    for (const { name, latency } of report.items.filter((one) => names.has(one.name))) {
      const health = afterRound(this.#health.get(name) ?? UNKNOWN, latency, wan);
      this.#health.set(name, health);
      const minute = this.#thisMinute.get(name) ?? [];
      this.#thisMinute.set(name, [...minute, latency]);
      if ((engine.observed.uplinks?.[name]?.down ?? false) !== health.dead) {
        await engine.observe((observed) => withUplink(observed, name, { down: health.dead }));
      }
    }
    await this.look();
  }

  /** Compares the uplinks with the last check. */
  look(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#look()).catch(this.#deps.log);
    return this.#turn;
  }

  async #look(): Promise<void> {
    const { engine, past } = this.#deps;
    const now = this.#seconds();
    await this.#expire();
    const { state } = engine.network;
    if (state === "applied" || state === "model") {
      if (state === "applied" && !this.#applied) this.#begin();
      await this.#forgetSilent();
      await this.#forgetMtus();
      const paths = this.#paths();
      for (const name of this.#names()) await this.#compare(name, paths.get(name), now);
      const names = this.#names();
      // One may also have ended to be an uplink while we were away.
      const lasting = past.outages().filter(({ End }) => End === 0).map(({ Iface }) => Iface);
      for (const name of new Set([...this.#seen.keys(), ...lasting])) {
        if (!names.includes(name)) await this.#drop(name, now);
      }
    }
    this.#sample(now);
    await past.flush(now);
  }

  /** Forgets what was observed on the model that every start begins with. */
  #begin(): void {
    this.#applied = true;
    const now = this.#deps.steady();
    for (const [name, one] of this.#seen) {
      if (one.fresh !== null) this.#seen.set(name, { ...one, fresh: now });
    }
  }

  /** Seconds for an uplink to come up. */
  #patience(name: string): number {
    const anew = this.#boots || !this.#applied || !this.#deps.past.knows(name);
    return anew ? UP_TIMEOUT_S.first : UP_TIMEOUT_S.restart;
  }

  /** Removes expired leases, even when uplinkd is not running to report it. */
  async #expire(): Promise<void> {
    const { engine, now, steady } = this.#deps;
    const uplinks = engine.observed.uplinks ?? {};
    for (const name of this.#ends.keys()) if (!uplinks[name]) this.#ends.delete(name);
    for (const [name, { lease }] of Object.entries(uplinks)) {
      if (lease === null || lease.until === null) {
        this.#ends.delete(name);
        continue;
      }
      const known = this.#ends.get(name);
      const end = known?.until === lease.until
        ? known
        : { until: lease.until, at: steady() + lease.until - now() };
      this.#ends.set(name, end);
      const left = end.at - steady();
      if (left <= 0) {
        await engine.observe((observed) => withUplink(observed, name, { lease: null }));
        continue;
      }
      // A clock that is set, as on a machine without one that first has to ask, ends no lease.
      const until = now() + left;
      if (Math.abs(until - lease.until) < SET_BY) continue;
      this.#ends.set(name, { until, at: end.at });
      await engine.observe((observed) =>
        withUplink(observed, name, { lease: { ...lease, until } })
      );
    }
  }

  /** Without health checks no uplink is known to be down. */
  async #forgetSilent(): Promise<void> {
    const { engine } = this.#deps;
    if (engine.config.wan.Enabled) return;
    this.#health = new Map();
    for (const [name, { down }] of Object.entries(engine.observed.uplinks ?? {})) {
      if (down) await engine.observe((observed) => withUplink(observed, name, { down: false }));
    }
  }

  /** Once a link carries what it did before any lease, its packets are nobody's business again. */
  async #forgetMtus(): Promise<void> {
    const { engine } = this.#deps;
    const paths = this.#paths();
    for (const [name, { lease, ownMtu }] of Object.entries(engine.observed.uplinks ?? {})) {
      if (ownMtu === undefined || (lease?.mtu ?? null) !== null) continue;
      if (paths.get(name)?.carries !== ownMtu) continue;
      await engine.observe((observed) => withoutOwnMtu(observed, name));
    }
  }

  async #compare(name: string, path: UplinkPath | undefined, now: number): Promise<void> {
    const { engine, past, bus, notices } = this.#deps;
    const reason = this.#reason(name, path);
    const up = reason === "";
    const before = this.#seen.get(name);
    const changed = before === undefined || before.up === up ? before?.changed ?? 0 : now;
    const alive = path?.alive === true && path.leads;
    const address = path?.address ?? null;
    const steady = this.#deps.steady();
    const fresh = up || before?.fresh === null ? null : before?.fresh ?? steady;
    const coming = fresh === null ? null : Math.round((steady - fresh) / 1000);
    const known = { address: address ?? before?.address ?? null, changed, fresh };
    this.#seen.set(name, { up, alive, ...known });
    const due = coming === null || coming >= this.#patience(name);
    if (!up && due && past.lasting(name) === undefined) {
      past.begin(name, now - (coming ?? 0), reason);
      bus.publish("wan:uplink:down", { Iface: name, Reason: reason });
      const words = `The uplink ${name} is down: ${reason}`;
      await notices.open(KIND, words, { subject: name, link: name });
    }
    if (up && past.lasting(name) !== undefined) {
      past.end(name, now);
      bus.publish("wan:uplink:up", { Iface: name });
      await notices.settle(KIND, name);
    } else if (up && before?.up !== true) {
      // Whoever looked before us may have ended between the notice and the record.
      await notices.settle(KIND, name);
    }
    if (before?.alive === alive || (before === undefined && alive)) return;
    const others = [...this.#paths().values()].filter((one) =>
      one.name !== name && one.leads && one.alive
    );
    if (others.length === 0 || !engine.config.wan.FailoverEnabled) return;
    if (before !== undefined) {
      bus.publish("wan:failover", { Iface: name, Action: alive ? "restored" : "removed" });
    }
    // At the first look as well: it may have died with nobody there to cut what was open on it.
    if (alive || known.address === null) return;
    const own = hostOf(known.address);
    // Where providers give one address twice, nothing tells what is open on which uplink.
    if (others.some((one) => one.address !== null && hostOf(one.address) === own)) return;
    await this.#cutFrom(own);
  }

  /** Ends the outage of an interface that is no uplink any more. */
  async #drop(name: string, now: number): Promise<void> {
    const address = this.#seen.get(name)?.address ?? null;
    if (address !== null) await this.#cutLeft(hostOf(address));
    this.#seen.delete(name);
    this.#health.delete(name);
    this.#deps.past.end(name, now);
    await this.#deps.notices.settle(KIND, name);
  }

  /** Flushes connections of devices through an address that is down. */
  async #cutFrom(own: string): Promise<void> {
    const { host } = this.#deps.engine;
    const flows = await host.flows([own]);
    await host.flushFlows(
      flows.filter((flow) => flow.replyDestination === own && flow.source !== own),
    );
  }

  /** Flushes connections at an address that no uplink has any more, forwarded ones as well. */
  async #cutLeft(own: string): Promise<void> {
    const { host, desired } = this.#deps.engine;
    if (desired.addresses.some(({ address }) => hostOf(address) === own)) return;
    if (desired.facts?.uplinks?.some(({ address }) => hostOf(address ?? "") === own)) return;
    const flows = await host.flows([own]);
    await host.flushFlows(
      flows.filter((flow) =>
        (flow.replyDestination === own && flow.source !== own) ||
        (flow.destination === own && flow.replySource !== own)
      ),
    );
  }

  /** Closes the minutes that are over. */
  #sample(now: number): void {
    const minute = now - now % 60;
    // A clock that was set far ahead or back begins anew.
    if (minute === this.#minute) return;
    for (const [name, rounds] of this.#thisMinute) {
      const up = this.#seen.get(name)?.up ?? false;
      this.#deps.past.minute(name, this.#minute, { ...summary(rounds), Up: up });
    }
    this.#thisMinute = new Map(
      [...this.#seen].filter(([, { up }]) => !up).map(([name]) => [name, []]),
    );
    this.#minute = minute;
  }

  /** Every enabled uplink, in order of preference. */
  status(): readonly WanStatus[] {
    const { engine, past } = this.#deps;
    const now = this.#seconds();
    const paths = this.#paths();
    const { wan } = engine.config;
    const shares = sharesOf([...paths.values()], wan);
    return inOrder(this.#names(), wan, (name) => name).map((name) => {
      const path = paths.get(name);
      const outages = past.outages().filter(({ Iface }) => Iface === name);
      const reason = this.#reason(name, path);
      return {
        Iface: name,
        Up: reason === "",
        Active: shares.has(name),
        Gateway: path?.via ?? "",
        ...latest(this.#health.get(name) ?? UNKNOWN),
        LastChange: this.#seen.get(name)?.changed || (outages[0]?.End ?? 0),
        TotalOutages: outages.length,
        Downtime24h: downtime(outages, { since: now - DAY, now }),
        Reason: reason,
        IP: path?.address ?? "",
        Weight: weightOf(wan, name),
        SharePct: percentOf(shares, name),
        DNS: [...engine.observed.uplinks?.[name]?.lease?.dns ?? []],
        Search: [...engine.observed.uplinks?.[name]?.lease?.search ?? []],
      };
    });
  }

  #reason(name: string, path: UplinkPath | undefined): string {
    const isThere = this.#deps.engine.desired.facts?.links.has(name) ?? false;
    return reasonOf(path, { isThere, isDead: this.#isDead(name) });
  }

  #isDead(name: string): boolean {
    return this.#health.get(name)?.dead ?? false;
  }

  #names(): readonly string[] {
    return this.#deps.engine.config.interfaces
      .filter(({ Type, Enabled }) => Type === "Uplink" && Enabled).map(({ Name }) => Name);
  }

  #paths(): ReadonlyMap<string, UplinkPath> {
    const { desired } = this.#deps.engine;
    return new Map((desired.facts?.uplinks ?? []).map((path) => [path.name, path]));
  }

  #seconds(): number {
    return Math.floor(this.#deps.now() / 1000);
  }
}
