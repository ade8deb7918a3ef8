import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/**
 * A configured interface. The fields are picked by name:
 * the entry is open to others, and `Omit` would lose the type of every field.
 */
export type Link =
  & Pick<
    Schemas["InterfaceEntry"],
    "Name" | "Subtype" | "Enabled" | "DisableDHCP" | "IP" | "Router"
  >
  & {
    /** Any word: a form holds what is chosen in it. */
    readonly Type: string;
  };

/** An interface as the kernel has it. */
export type KernelLink = Pick<
  Schemas["KernelInterface"],
  "ifname" | "operstate" | "flags" | "address" | "addr_info"
>;

/** An entry of the ARP table. */
export type Neighbour = Pick<Schemas["ArpEntry"], "IP" | "MAC" | "Flags" | "Device">;
