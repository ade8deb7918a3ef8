import * as z from "zod";
import { InterfaceName, Mac } from "../core/net/grammar.ts";
import type { LinkFact } from "../core/kernel/facts.ts";
import { hardwareMac, isAdapter } from "../network/interfaces/adapters.ts";
import { LAN_LINK } from "../network/lan_subnets.ts";
import type { MachineInterface } from "./schema.ts";

/** Where a backup has the interfaces of the machine that it was made on, below `configs/`. */
export const MACHINE_INTERFACES = "base/machine_interfaces.json";

const Inventory = z.array(z.object({ Name: InterfaceName, MAC: Mac })).max(1000);

/** Kinds of links that the router, or another program, makes of others. */
const MADE: readonly (string | null)[] = ["vlan", "wireguard", "ppp", "tun"];

/** The interfaces of this machine that a backup's settings could be for. `radios`: those known as such. */
export function machineInterfaces(
  links: readonly LinkFact[],
  radios: readonly string[],
): readonly MachineInterface[] {
  return links.filter(({ name, kind }) =>
    InterfaceName.safeParse(name).success && name !== "lo" && name !== LAN_LINK &&
    !MADE.includes(kind) && !/\.ap\d$/.test(name)
  ).map((link) => ({
    name: link.name,
    mac: hardwareMac(link),
    hardware: isAdapter(link),
    // The kernel and udev name radios like this.
    radio: radios.includes(link.name) || /^(wl|ath|ra)/.test(link.name),
  }));
}

/** What a backup stores of the interfaces of the machine. */
export function inventoryOf(links: readonly LinkFact[]): z.input<typeof Inventory> {
  return links.flatMap((link) => {
    const mac = hardwareMac(link);
    return mac === "" || !isAdapter(link) ? [] : [{ Name: link.name, MAC: mac }];
  });
}

/** The hardware addresses that a backup knows, by interface; none where it has no list of them. */
export function readInventory(text: string | undefined): ReadonlyMap<string, string> {
  let raw: unknown;
  try {
    raw = JSON.parse(text ?? "[]");
  } catch {
    raw = [];
  }
  const read = Inventory.safeParse(raw);
  return new Map(read.success ? read.data.map(({ Name, MAC }) => [Name, MAC]) : []);
}
