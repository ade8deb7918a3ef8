import { devices } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";

/** A choice of a device by its address: the address, and how the device is called. */
export type ClientChoice = readonly [address: string, name: string];

/** The devices that have an address, by name. */
export function clientChoices(): readonly ClientChoice[] {
  return Object.entries(devices.value ?? {})
    .filter(([, { RecentIP }]) => RecentIP !== "")
    .map(([identity, device]): ClientChoice => [device.RecentIP, nameOf(identity, device)])
    .sort(([, a], [, b]) => a.localeCompare(b));
}

/** How the device at an address is called; undefined where there is none. */
export function clientAt(address: string): string | undefined {
  const known = Object.entries(devices.value ?? {})
    .find(([, { RecentIP }]) => RecentIP === address);
  return known && nameOf(...known);
}

/** An address as people know it: the device that has it, else itself. */
export function clientText(address: string): string {
  return clientAt(address) ?? address;
}
