import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { hasPlan } from "../network/has_plan.ts";
import { configuredMac } from "../network/interfaces/link_plan.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import type { Dialled, SpeedAsk, UplinkPlan } from "./plan_schema.ts";

/** What the plan is made of. */
export interface UplinkPlanSources {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "network" | "observed">;
  /** A speed test that waits. */
  readonly speed: SpeedAsk | null;
}

/** What uplinkd is to do now: nothing where the network is not applied, once that is decided. */
export function uplinkPlan({ engine, speed }: UplinkPlanSources): UplinkPlan {
  const { config, desired, observed, network } = engine;
  const applied = network.state === "applied";
  const links = desired.facts?.links ?? new Map<string, number>();
  const uplinks = config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled);
  const { wan } = config;
  const paths = desired.facts?.uplinks ?? [];
  const states = new Map(paths.map((path) => [path.name, path]));
  const dhcp = uplinks.filter(({ Name, Subtype, DisableDHCP }) =>
    Subtype !== "pppup" && !DisableDHCP && links.has(Name)
  ).map((one) => ({
    name: one.Name,
    link: one.Name,
    index: links.get(one.Name)!,
    running: states.get(one.Name)?.running ?? false,
    plugs: states.get(one.Name)?.plugs ?? null,
    mac: configuredMac(one),
    last: observed.uplinks?.[one.Name]?.lease?.address.split("/")[0] ?? "",
  }));
  const plan = {
    decided: hasPlan(network),
    dhcp: applied ? dhcp : [],
    ppp: applied ? dialled(config, links) : [],
    probes: applied && wan.Enabled
      ? paths.filter((path) => path.leads && path.running).map(({ name, link, via }) => ({
        name,
        link,
        targets: [
          ...new Set([...(wan.ProbeGateway && via !== null ? [via] : []), ...wan.ProbeTargets]),
        ],
      }))
      : [],
    intervalSeconds: wan.IntervalSeconds,
    speed: applied ? speed : null,
  };
  return { tag: fingerprint(JSON.stringify(plan, withoutLast)), ...plan };
}

/** What a client asks for again tells no plan from another: it changes with each answer. */
function withoutLast(name: string, value: unknown): unknown {
  return name === "last" ? undefined : value;
}

function dialled(config: Config, links: ReadonlyMap<string, number>): Dialled[] {
  return config.ppp.flatMap((one): readonly Dialled[] => {
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
