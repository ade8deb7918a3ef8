import type { Config } from "../../../system/config.ts";
import { documents } from "../../../system/documents.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { blankDevice } from "../../../system/devices/device.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";

/** A card's address by number: `mac(1)` is 02:00:00:00:00:01. */
export function mac(n: number): string {
  return `02:00:00:00:${[n >> 8, n & 255].map((b) => b.toString(16).padStart(2, "0")).join(":")}`;
}

/** WireGuard public keys of nobody. */
export const KEY = "p0jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVHs=";
export const OTHER_KEY = "QEsTCV3GkVQHnBqb3BPJCzwdrvB4GIz/Jzh4M5hsLlA=";

/** A device with these fields decided. */
export function device(identity: string, fields: Partial<Device> = {}): Device {
  return { ...blankDevice(identity), ...fields };
}

const DEFAULTS = Object.fromEntries(
  Object.entries(documents).map(([name, { fallback }]) => [name, fallback]),
) as unknown as Config;

/**
 * A whole configuration: the defaults of all documents, without open ports and multicast groups, with
 * uplink `wan0`, downlink `lan0` and access point `wlan0`.
 */
export function configWith(parts: Partial<Config> = {}): Config {
  const link = (Name: string, Type: Interface["Type"]) =>
    Interface.parse({ Name, Type, Enabled: true });
  return {
    ...DEFAULTS,
    interfaces: [link("wan0", "Uplink"), link("lan0", "Downlink"), link("wlan0", "AP")],
    firewall: { ...DEFAULT_FIREWALL, ServicePorts: [] },
    multicast: { ...DEFAULTS.multicast, Addresses: [] },
    ...parts,
  };
}
