import { onceEach } from "../core/config/memo.ts";
import type { Config } from "../config.ts";

const identitiesByMac = onceEach((devices: Config["devices"]): ReadonlyMap<string, string> => {
  const entries = Object.entries(devices).map(([identity, { MAC }]) => [MAC, identity] as const);
  // Of two the first counts.
  return new Map(entries.reverse());
});

/** Identity of the device with this MAC address: its own, or that of a VPN device that has it too. */
export function identityOfMac(config: Pick<Config, "devices">, mac: string): string {
  if (Object.hasOwn(config.devices, mac)) return mac;
  return identitiesByMac(config.devices).get(mac) ?? mac;
}
