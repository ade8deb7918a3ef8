import type { Config } from "../config.ts";
import { isRecord } from "../core/config/json.ts";
import type { Bus } from "../core/events/bus.ts";
import type { DiscoveredSenders } from "../multicast/discovered_senders.ts";
import type { LookupClient } from "./client.ts";
import { classify, modelOf, RULES_VERSION, suggestionOf } from "./device_type_rules.ts";
import { isRandomized } from "./lookup_rules.ts";
import type { Classification, ClassificationEvent } from "./schema.ts";

/** What devices are classified by. */
export interface ClassificationDeps {
  readonly engine: { readonly config: Pick<Config, "devices"> };
  readonly discovered: Pick<DiscoveredSenders, "list">;
  readonly lookup: Pick<LookupClient, "vendorMany">;
}

/** Milliseconds in which what becomes known of devices is gathered. */
const GATHER_MS = 1000;

/** Vendor and type of each device with a MAC address that is wanted, sorted by that address. */
export async function classifications(
  { engine, discovered, lookup }: ClassificationDeps,
  isWanted: (identity: string, mac: string) => boolean = () => true,
): Promise<Classification[]> {
  const devices = Object.entries(engine.config.devices)
    .map(([identity, device]) => ({ identity, mac: device.MAC, name: device.Name }))
    .filter(({ identity, mac }) => mac !== "" && isWanted(identity, mac))
    .sort((a, b) => a.mac < b.mac ? -1 : 1);
  const services = new Map<string, string[]>();
  for (const { identity, services: announced } of discovered.list()) {
    if (identity === "") continue;
    services.set(identity, [...services.get(identity) ?? [], ...announced]);
  }
  const vendors = await lookup.vendorMany(devices.map(({ mac }) => mac));
  return devices.map(({ identity, mac, name }, index) =>
    classify({
      mac,
      name,
      vendor: vendors[index] ?? "",
      randomized: isRandomized(mac),
      services: services.get(identity) ?? [],
    })
  );
}

/**
 * Publishes the type of a device when its name or what it announces gives it another one. Returns how
 * to stop.
 */
export function publishClassifications(
  { bus, failed, now, ...deps }: ClassificationDeps & {
    readonly discovered: Pick<DiscoveredSenders, "list" | "txtOf">;
    readonly bus: Pick<Bus, "publish" | "subscribe">;
    /** Unix milliseconds. */
    readonly now: () => number;
    readonly failed: (error: unknown) => void;
  },
): () => void {
  const published = new Map<string, string>();
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    timer = undefined;
    const names = new Set(changed);
    changed.clear();
    const found = await classifications(
      deps,
      (identity, mac) => names.has(identity) || names.has(mac),
    );
    for (const one of found) {
      const { MAC, Category, Confidence } = one;
      const Model = modelOf(deps.discovered.txtOf(MAC));
      const type = `${Category} ${Confidence} ${Model}`;
      if (Category === "unknown" || published.get(MAC) === type) continue;
      published.set(MAC, type);
      const event: ClassificationEvent = {
        ...{ ...one, Model },
        SuggestedGroups: [...suggestionOf(one).SuggestedGroups],
        SuggestedPolicies: [...suggestionOf(one).SuggestedPolicies],
        ...{ DBVersion: RULES_VERSION, UserCorrection: false, Pinned: false },
        LastUpdated: `${new Date(now()).toISOString().slice(0, 19)}Z`,
      };
      bus.publish("classify:result", event);
    }
    for (const mac of published.keys()) {
      if (deps.engine.config.devices[mac] === undefined) published.delete(mac);
    }
  }

  const stop = bus.subscribe(({ data }) => {
    const { MAC, keys } = isRecord(data) ? data : {};
    for (const name of Array.isArray(keys) ? keys : [MAC]) changed.add(String(name));
    timer ??= setTimeout(() => void look().catch(failed), GATHER_MS);
  }, ["devices", "zeroconf:device"]);
  return () => {
    stop();
    clearTimeout(timer);
  };
}
