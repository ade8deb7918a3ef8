import type { Config } from "../config.ts";

// Devices are immutable: who has which card is found out once.
const cards = new WeakMap<object, ReadonlyMap<string, string>>();

/** Identity of the device with this card: its own, or that of a VPN device that has the card too. */
export function identityOfMac(config: Pick<Config, "devices">, mac: string): string {
  if (Object.hasOwn(config.devices, mac)) return mac;
  let known = cards.get(config.devices);
  if (known === undefined) {
    const entries = Object.entries(config.devices).map(([identity, { MAC }]) =>
      [MAC, identity] as const
    );
    // Of two the first counts.
    cards.set(config.devices, known = new Map(entries.reverse()));
  }
  return known.get(mac) ?? mac;
}
