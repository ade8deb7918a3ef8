import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type {
  ChangeEngine,
  Observations,
  UplinkLease,
  UplinkObservation,
} from "../core/engine/change.ts";
import { inRange4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { overlapping } from "../dhcp/subnet_rules.ts";
import { gatewayPosition, hasOnLinkDefault } from "../network/routing/gateway.ts";
import type { LeaseReport, ProblemReport } from "./plan_schema.ts";
import { MIN_LEASED_MTU } from "./schema.ts";
import { acceptedMtu } from "./settings_rules.ts";

/** Kinds of the notices, one per uplink. */
const PROBLEM = "uplink-problem", LEASE = "uplink-lease", MTU = "uplink-mtu";

/** The observation of an uplink before anything was observed. */
const NOT_OBSERVED: UplinkObservation = { lease: null, down: false };

/** The observations with a changed uplink; the same object where nothing differs. */
export function withUplink(
  observed: Observations,
  name: string,
  change: Partial<UplinkObservation>,
): Observations {
  const { uplinks = {} } = observed;
  // An interface may be named like a property of Object.prototype.
  const before = Object.hasOwn(uplinks, name) ? uplinks[name]! : NOT_OBSERVED;
  const after = { ...before, ...change };
  if (JSON.stringify(before) === JSON.stringify(after)) return observed;
  return { ...observed, uplinks: { ...observed.uplinks, [name]: after } };
}

/** The observations without the remembered MTU of an uplink's interface. */
export function withoutOwnMtu(observed: Observations, name: string): Observations {
  const before = observed.uplinks?.[name];
  if (before?.ownMtu === undefined) return observed;
  const { ownMtu: _, ...rest } = before;
  return { ...observed, uplinks: { ...observed.uplinks, [name]: rest } };
}

/**
 * The networks that providers gave the router's uplinks, by its addresses there; what was leased before
 * an address was decided, or a PPPoE account connected, is none any more.
 */
export function leasedNetworks(
  { uplinks = {} }: Observations,
  { interfaces }: Pick<Config, "interfaces">,
): readonly string[] {
  const names = interfaces.filter(({ Type, Subtype, DisableDHCP }) =>
    Type === "Uplink" && Subtype !== "pppup" && !DisableDHCP
  ).map(({ Name }) => Name);
  return names.flatMap((name) => {
    const lease = Object.hasOwn(uplinks, name) ? uplinks[name]!.lease : null;
    return lease === null ? [] : [lease.address];
  });
}

/** Dependencies of {@link createUplinkLeases}. */
export interface UplinkLeasesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "observed" | "observe">;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The leases of uplinks. */
export interface UplinkLeases {
  take(report: LeaseReport): Promise<void>;
  reportProblem(report: ProblemReport): Promise<void>;
  /** Resolves notices of uplinks that no longer use DHCP or PPPoE. */
  settle(): Promise<void>;
}

/** Records leases, from which the network is planned, and opens notices about problems. */
export function createUplinkLeases(deps: UplinkLeasesDeps): UplinkLeases {
  const { engine, bus, notices, now } = deps;
  const isUplink = (name: string): boolean =>
    engine.config.interfaces.some((one) => one.Name === name && one.Type === "Uplink");
  let lastChecked: Pick<Config, "interfaces" | "wan"> | null = null;
  /** Reports an MTU that is too small to be set. */
  const checkMtu = async (name: string): Promise<void> => {
    const { config, observed } = engine;
    const mtu = isLeased(config, name) ? observed.uplinks?.[name]?.lease?.mtu ?? null : null;
    if (mtu === null || acceptedMtu(mtu, config.wan) === mtu) {
      return await notices.settle(MTU, name);
    }
    await notices.open(
      MTU,
      `${name}: the ISP assigned an MTU of ${mtu} bytes, less than ${MIN_LEASED_MTU}, which is not ` +
        "used: it slows everything down, and tunnels need more. If the line really carries no " +
        "more, turn on \u201cAccept a small MTU\u201d",
      { subject: name, link: name, mtu },
    );
  };
  return {
    async take({ name, lease: reported }) {
      if (!isUplink(name)) return;
      const lease: UplinkLease | null = reported === null ? null : {
        address: reported.address,
        router: reported.router,
        dns: reported.dns,
        ...(reported.search.length === 0 ? {} : { search: reported.search }),
        ...(reported.routes.length === 0 ? {} : { routes: reported.routes }),
        mtu: reported.mtu,
        until: reported.seconds === null ? null : now() + reported.seconds * 1000,
      };
      const before = engine.observed.uplinks?.[name]?.lease ?? null;
      const changed = before?.address !== lease?.address || before?.router !== lease?.router;
      const carries = engine.desired.facts?.uplinks?.find((one) => one.name === name)?.linkMtu;
      await engine.observe((observed) => {
        const own = ownMtu(observed.uplinks?.[name], lease, carries ?? null);
        return withUplink(observed, name, { lease, ...own });
      });
      if (changed) {
        bus.publish("uplink:lease", {
          Iface: name,
          IP: lease?.address ?? "",
          Router: lease?.router ?? "",
        });
      }
      const problem = lease === null || !isLeased(engine.config, name)
        ? null
        : leaseFault(lease, engine.config);
      if (problem === null) await notices.settle(LEASE, name);
      else await notices.open(LEASE, `${name}: ${problem}`, { subject: name, link: name });
      await checkMtu(name);
    },
    async reportProblem({ name, detail }) {
      if (detail === "" || !isServed(engine.config, name)) {
        return await notices.settle(PROBLEM, name);
      }
      await notices.open(PROBLEM, `${name}: ${detail}`, { subject: name, link: name });
    },
    async settle() {
      const { config } = engine;
      const { interfaces, wan } = config;
      if (lastChecked?.interfaces === interfaces && lastChecked.wan === wan) return;
      const names = [...lastChecked?.interfaces ?? [], ...interfaces].map(({ Name }) => Name);
      lastChecked = { interfaces, wan };
      for (const name of new Set(names)) {
        if (!isServed(config, name)) await notices.settle(PROBLEM, name);
        if (!isLeased(config, name)) await notices.settle(LEASE, name);
        await checkMtu(name);
      }
    },
  };
}

/** True for an uplink whose address a provider gives: by DHCP, or to a PPPoE account. */
function isServed({ interfaces }: Pick<Config, "interfaces">, name: string): boolean {
  const one = interfaces.find(({ Name }) => Name === name);
  return one !== undefined && one.Type === "Uplink" && one.Enabled &&
    (one.Subtype === "pppup" || !one.DisableDHCP);
}

/** True for an uplink whose address a provider gives by DHCP. */
function isLeased(config: Pick<Config, "interfaces">, name: string): boolean {
  return isServed(config, name) &&
    config.interfaces.find(({ Name }) => Name === name)?.Subtype !== "pppup";
}

/** The MTU of the interface before the first lease that sets another. */
function ownMtu(
  before: UplinkObservation | undefined,
  lease: UplinkLease | null,
  linkMtu: number | null,
): Pick<UplinkObservation, "ownMtu"> {
  const wanted = lease?.mtu ?? null;
  if (before?.ownMtu !== undefined || wanted === null || linkMtu === null) return {};
  return wanted === linkMtu ? {} : { ownMtu: linkMtu };
}

/** Why a lease cannot be used; null for a valid one. */
function leaseFault(lease: UplinkLease, config: Config): string | null {
  const { address, router } = lease;
  const home = overlapping(address, config.dhcp.TinyNets);
  if (home !== undefined) {
    return `The ISP assigned ${address}, which overlaps the LAN subnet ${home}. ` +
      "Choose another LAN subnet";
  }
  if (hasOnLinkDefault(lease)) return null;
  if (router === null) return `The ISP assigned ${address} without a gateway`;
  const position = gatewayPosition(lease);
  if (position === "inside") return null;
  const text = `The ISP assigned ${address} with the gateway ${router}`;
  if (position === "apart") {
    const taken = overlapping(`${router}/32`, config.dhcp.TinyNets);
    return taken === undefined ? null : `${text}, which is in the LAN subnet ${taken}`;
  }
  const range = parseRange4(address), value = parseIpv4(router);
  return range !== null && value !== null && inRange4(range, value)
    ? `${text}, which is not the address of another host`
    : `${text}, which is outside its network`;
}
