import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { UplinkPath } from "../../core/kernel/desired.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import { afterRound, downtime, type Health, latest, summary, UNKNOWN } from "./health_rules.ts";
import { withoutOwnMtu, withUplink } from "../leases.ts";
import type { ProbeReport } from "../plan_schema.ts";
import { inOrder, percentOf, sharesOf, weightOf } from "../balance_rules.ts";
import { downReason } from "./status_rules.ts";
import type { UplinkHistory } from "./history.ts";
import type { UplinkStatus } from "../status_schema.ts";

/** Kind of the notices, one per uplink. */
const KIND = "uplink-down";

const DAY = 24 * 3600;

/** A clock step of so many milliseconds has the end of a lease rewritten. */
const CLOCK_STEP_MS = 30_000;

/**
 * Seconds for an uplink to come up before it counts as an outage: at first and while the machine
 * boots, and after a restart of the api alone.
 */
const UP_TIMEOUT_S = { first: 30, restart: 5 } as const;

/** Seconds for which a machine boots: its interfaces and providers are slow to come up. */
const BOOT_TIME_S = 120;

/** Dependencies of {@link UplinkHealth}. */
export interface UplinkHealthDeps {
  readonly engine: Pick<
    Engine<Config>,
    "config" | "desired" | "network" | "observed" | "observe" | "endFlows"
  >;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  readonly history: UplinkHistory;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds, by which leases expire. */
  readonly steady: () => number;
  /** Seconds since the machine was started. */
  readonly uptime: () => number;
  /** False while nothing is applied: an uplink that nothing brings up has no outage. */
  readonly isApplied: () => boolean;
  readonly log: (error: unknown) => void;
}

function hostOf(address: string): string {
  return address.split("/")[0] ?? "";
}

/** State of one uplink between two checks. */
interface LastState {
  readonly up: boolean;
  readonly isHealthy: boolean;
  readonly address: string | null;
  /** Unix seconds of its last change; 0 none yet. */
  readonly changed: number;
  /**
   * The first check that counts, in monotonic milliseconds, since the wall clock is set while uplinks
   * come up. Null once it was up.
   */
  readonly pendingSince: number | null;
}

/**
 * Monitors the uplinks: takes the results of health checks, records outages and opens notices, and
 * flushes connections of an uplink that is down, so that they restart on one that is up.
 */
export class UplinkHealth {
  readonly #deps: UplinkHealthDeps;
  #health = new Map<string, Health>();
  #states = new Map<string, LastState>();
  /** When leases end: by wall clock and by monotonic clock. */
  #ends = new Map<string, { readonly until: number; readonly at: number }>();
  #minute: number;
  #thisMinute = new Map<string, (number | null)[]>();
  #turn: Promise<void> = Promise.resolve();
  /** The real kernel, not only its model, was known at the last check. */
  #applied = false;
  readonly #isBooting: boolean;

  constructor(deps: UplinkHealthDeps) {
    this.#deps = deps;
    this.#isBooting = deps.uptime() < BOOT_TIME_S;
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
      if ((engine.observed.uplinks?.[name]?.down ?? false) !== health.isDown) {
        await engine.observe((observed) => withUplink(observed, name, { down: health.isDown }));
      }
    }
    await this.check();
  }

  /** Compares the uplinks with the last check. */
  check(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#checkNow()).catch(this.#deps.log);
    return this.#turn;
  }

  async #checkNow(): Promise<void> {
    const { engine, history } = this.#deps;
    const now = this.#seconds();
    await this.#expire();
    const { state } = engine.network;
    if (state === "applied" || state === "model") {
      if (state === "applied" && !this.#applied) this.#startMonitoring();
      await this.#clearUnmonitored();
      await this.#clearRestoredMtus();
      const paths = this.#paths();
      for (const name of this.#names()) await this.#compare(name, paths.get(name), now);
      const names = this.#names();
      // An uplink may have been removed while the api was away.
      const current = history.outages().filter(({ End }) => End === 0).map(({ Iface }) => Iface);
      for (const name of new Set([...this.#states.keys(), ...current])) {
        if (!names.includes(name)) await this.#drop(name, now);
      }
    }
    this.#sample(now);
    await history.flush(now);
  }

  /** Drops what was observed on the model that every start begins with. */
  #startMonitoring(): void {
    this.#applied = true;
    const now = this.#deps.steady();
    for (const [name, one] of this.#states) {
      if (one.pendingSince !== null) this.#states.set(name, { ...one, pendingSince: now });
    }
  }

  /** Seconds for an uplink to come up. */
  #gracePeriod(name: string): number {
    const isFirst = this.#isBooting || !this.#applied || !this.#deps.history.isKnown(name);
    return isFirst ? UP_TIMEOUT_S.first : UP_TIMEOUT_S.restart;
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
      // Setting the clock, as on a machine without an RTC, ends no lease.
      const until = now() + left;
      if (Math.abs(until - lease.until) < CLOCK_STEP_MS) continue;
      this.#ends.set(name, { until, at: end.at });
      await engine.observe((observed) =>
        withUplink(observed, name, { lease: { ...lease, until } })
      );
    }
  }

  /** Without health checks no uplink is known to be down. */
  async #clearUnmonitored(): Promise<void> {
    const { engine } = this.#deps;
    if (engine.config.wan.Enabled) return;
    this.#health = new Map();
    for (const [name, { down }] of Object.entries(engine.observed.uplinks ?? {})) {
      if (down) await engine.observe((observed) => withUplink(observed, name, { down: false }));
    }
  }

  /** Once an interface has its own MTU again, that need not be remembered. */
  async #clearRestoredMtus(): Promise<void> {
    const { engine } = this.#deps;
    const paths = this.#paths();
    for (const [name, { lease, ownMtu }] of Object.entries(engine.observed.uplinks ?? {})) {
      if (ownMtu === undefined || (lease?.mtu ?? null) !== null) continue;
      if (paths.get(name)?.linkMtu !== ownMtu) continue;
      await engine.observe((observed) => withoutOwnMtu(observed, name));
    }
  }

  async #compare(name: string, path: UplinkPath | undefined, now: number): Promise<void> {
    const { engine, history, bus, notices } = this.#deps;
    const reason = this.#reason(name, path);
    const up = reason === "";
    const before = this.#states.get(name);
    const changed = before === undefined || before.up === up ? before?.changed ?? 0 : now;
    const isHealthy = path?.isHealthy === true && path.hasGateway;
    const address = path?.address ?? null;
    const steady = this.#deps.steady();
    const pendingSince = up || before?.pendingSince === null
      ? null
      : before?.pendingSince ?? steady;
    const pendingSeconds = pendingSince === null
      ? null
      : Math.round((steady - pendingSince) / 1000);
    const known = { address: address ?? before?.address ?? null, changed, pendingSince };
    this.#states.set(name, { up, isHealthy, ...known });
    const due = this.#deps.isApplied() &&
      (pendingSeconds === null || pendingSeconds >= this.#gracePeriod(name));
    if (!up && due && history.currentOutage(name) === undefined) {
      history.beginOutage(name, now - (pendingSeconds ?? 0), reason);
      bus.publish("wan:uplink:down", { Iface: name, Reason: reason });
      const text = `The uplink ${name} is down: ${reason}`;
      await notices.open(KIND, text, { subject: name, link: name });
    }
    if (up && history.currentOutage(name) !== undefined) {
      history.endOutage(name, now);
      bus.publish("wan:uplink:up", { Iface: name });
      await notices.settle(KIND, name);
    } else if (up && before?.up !== true) {
      // An earlier run may have ended between the notice and the record.
      await notices.settle(KIND, name);
    }
    if (before?.isHealthy === isHealthy || (before === undefined && isHealthy)) return;
    const others = [...this.#paths().values()].filter((one) =>
      one.name !== name && one.hasGateway && one.isHealthy
    );
    if (others.length === 0 || !engine.config.wan.FailoverEnabled) return;
    if (before !== undefined) {
      bus.publish("wan:failover", { Iface: name, Action: isHealthy ? "restored" : "removed" });
    }
    if (isHealthy && before !== undefined && engine.config.wan.Failback === "all") {
      await this.#flushStandbys();
    }
    // At the first check as well: it may have gone down while the api was away.
    if (isHealthy || known.address === null) return;
    const own = hostOf(known.address);
    // With the same address on two uplinks, connections cannot be distinguished.
    if (others.some((one) => one.address !== null && hostOf(one.address) === own)) return;
    await this.#flushFrom(own, () => this.#states.get(name)?.isHealthy === false);
  }

  /** Ends the outage of an interface that is no longer an uplink. */
  async #drop(name: string, now: number): Promise<void> {
    const address = this.#states.get(name)?.address ?? null;
    if (address !== null) await this.#flushUnused(hostOf(address));
    this.#states.delete(name);
    this.#health.delete(name);
    this.#deps.history.endOutage(name, now);
    await this.#deps.notices.settle(KIND, name);
  }

  /** Flushes connections through uplinks that take no new ones, so that they start over on a better one. */
  async #flushStandbys(): Promise<void> {
    for (const own of this.#standbys()) {
      await this.#flushFrom(own, () => this.#standbys().includes(own));
    }
  }

  /** Addresses of uplinks that take no new connections. */
  #standbys(): readonly string[] {
    const paths = [...this.#paths().values()];
    const shares = sharesOf(paths, this.#deps.engine.config.wan);
    const addresses = (active: boolean): readonly string[] =>
      paths.filter(({ name }) => shares.has(name) === active)
        .flatMap(({ address }) => address === null ? [] : [hostOf(address)]);
    const inUse = addresses(true);
    return addresses(false).filter((own) => !inUse.includes(own));
  }

  /** Flushes connections of devices through an address. `isDue`: still so at a later try. */
  async #flushFrom(own: string, isDue: () => boolean): Promise<void> {
    await this.#deps.engine.endFlows({
      reason: `from ${own}`,
      addresses: [own],
      select: (flows) =>
        isDue() ? flows.filter((flow) => flow.replyDestination === own && flow.source !== own) : [],
    });
  }

  /** Flushes connections of an address that no uplink has any more, forwarded ones included. */
  async #flushUnused(own: string): Promise<void> {
    const { engine } = this.#deps;
    const isUsed = (): boolean =>
      engine.desired.addresses.some(({ address }) => hostOf(address) === own) ||
      engine.desired.facts?.uplinks?.some(({ address }) => hostOf(address ?? "") === own) === true;
    if (isUsed()) return;
    await engine.endFlows({
      reason: `of ${own}`,
      addresses: [own],
      select: (flows) =>
        isUsed()
          ? []
          : flows.filter((flow) =>
            (flow.replyDestination === own && flow.source !== own) ||
            (flow.destination === own && flow.replySource !== own)
          ),
    });
  }

  /** Records the minutes that are over. */
  #sample(now: number): void {
    const minute = now - now % 60;
    // After a large clock step the minute starts over.
    if (minute === this.#minute) return;
    for (const [name, rounds] of this.#thisMinute) {
      const up = this.#states.get(name)?.up ?? false;
      this.#deps.history.addMinute(name, this.#minute, { ...summary(rounds), Up: up });
    }
    this.#thisMinute = new Map(
      [...this.#states].filter(([, { up }]) => !up).map(([name]) => [name, []]),
    );
    this.#minute = minute;
  }

  /** Every enabled uplink, in order of preference. */
  status(): readonly UplinkStatus[] {
    const { engine, history } = this.#deps;
    const now = this.#seconds();
    const paths = this.#paths();
    const { wan } = engine.config;
    const shares = sharesOf([...paths.values()], wan);
    return inOrder(this.#names(), wan, (name) => name).map((name) => {
      const path = paths.get(name);
      const outages = history.outages().filter(({ Iface }) => Iface === name);
      const reason = this.#reason(name, path);
      return {
        Iface: name,
        Up: reason === "",
        Active: shares.has(name),
        Gateway: path?.via ?? "",
        ...latest(this.#health.get(name) ?? UNKNOWN),
        LastChange: this.#states.get(name)?.changed || (outages[0]?.End ?? 0),
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
    const isPresent = this.#deps.engine.desired.facts?.links.has(name) ?? false;
    return downReason(path, { isPresent, isDown: this.#isDown(name) });
  }

  #isDown(name: string): boolean {
    return this.#health.get(name)?.isDown ?? false;
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
