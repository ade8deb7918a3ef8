import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { hasPlan } from "../network/has_plan.ts";
import { configuredMac } from "../network/interfaces/link_plan.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import { portalChecks } from "../wifi/supplicant/plan.ts";
import type { PppoeConnection, SpeedTestRequest, UplinkPlan } from "./plan_schema.ts";

/** Inputs of the plan. */
export interface UplinkPlanSources {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "network" | "observed">;
  /** The requested speed test. */
  readonly speed: SpeedTestRequest | null;
}

/** The plan of uplinkd: empty where the network is not applied. */
export function uplinkPlan({ engine, speed }: UplinkPlanSources): UplinkPlan {
  const { config, desired, observed, network } = engine;
  const applied = network.state === "applied";
  const links = desired.facts?.links ?? new Map<string, number>();
  const uplinks = config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled);
  const { wan } = config;
  const paths = desired.facts?.uplinks ?? [];
  const states = new Map(paths.map((path) => [path.name, path]));
  const checks = portalChecks(config);
  const dhcp = uplinks.filter(({ Name, Subtype, DisableDHCP }) =>
    Subtype !== "pppup" && !DisableDHCP && links.has(Name)
  ).map((one) => ({
    name: one.Name,
    link: one.Name,
    index: links.get(one.Name)!,
    running: states.get(one.Name)?.running ?? false,
    carrierUps: states.get(one.Name)?.carrierUps ?? null,
    mac: configuredMac(one),
    lastAddress: observed.uplinks?.[one.Name]?.lease?.address.split("/")[0] ?? "",
  }));
  const plan = {
    decided: hasPlan(network),
    dhcp: applied ? dhcp : [],
    ppp: applied ? pppoeConnections(config, links) : [],
    probes: applied && wan.Enabled
      ? paths.filter((path) => path.hasGateway && path.running).map(({ name, link, via }) => ({
        name,
        link,
        targets: [
          ...new Set([...(wan.ProbeGateway && via !== null ? [via] : []), ...wan.ProbeTargets]),
        ],
      }))
      : [],
    intervalSeconds: wan.IntervalSeconds,
    portals: applied
      ? paths.flatMap(({ name, link, address, running }) => {
        const url = checks.get(name);
        if (url === undefined || !running || address === null) return [];
        return [{ name, link, url, address }];
      })
      : [],
    speed: applied ? speed : null,
  };
  return { tag: fingerprint(JSON.stringify(plan, withoutLastAddress)), ...plan };
}

/** The address to request again changes with each lease, and makes no new plan. */
function withoutLastAddress(name: string, value: unknown): unknown {
  return name === "lastAddress" ? undefined : value;
}

function pppoeConnections(config: Config, links: ReadonlyMap<string, number>): PppoeConnection[] {
  return config.ppp.flatMap((one): readonly PppoeConnection[] => {
    const uplink = config.interfaces.find(({ Name }) => Name === one.Iface);
    const link = one.VLAN === "" ? one.Iface : `${one.Iface}.${one.VLAN}`;
    const wanted = one.Enabled && one.PPPIface !== "" && uplink?.Type === "Uplink" &&
      uplink.Enabled && uplink.Subtype === "pppup";
    if (!wanted || !links.has(link)) return [];
    return [{
      name: one.Iface,
      link,
      pppLink: one.PPPIface,
      username: one.Username,
      secret: one.Secret,
      mtu: one.MTU,
    }];
  });
}
