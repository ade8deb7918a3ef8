import type { Config } from "../config.ts";

/** Identity of the device with this card: its own, or that of a VPN device that has the card too. */
export function identityOfMac(config: Pick<Config, "devices">, mac: string): string {
  if (Object.hasOwn(config.devices, mac)) return mac;
  return Object.keys(config.devices)
    .find((identity) => config.devices[identity]!.MAC === mac) ?? mac;
}
