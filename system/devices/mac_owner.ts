import { namesByKey } from "../core/config/member_index.ts";
import type { Config } from "../config.ts";
import type { Device } from "./schema.ts";

const identitiesWith = namesByKey(({ MAC }: Device) => MAC);

/** Identity of the device with this MAC address: its own, or that of a VPN device that has it too. */
export function identityOfMac(config: Pick<Config, "devices">, mac: string): string {
  if (Object.hasOwn(config.devices, mac)) return mac;
  // Of two the first counts.
  return identitiesWith(config.devices, mac)[0] ?? mac;
}
