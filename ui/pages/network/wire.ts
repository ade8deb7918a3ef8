import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/**
 * A configured interface. The fields are picked by name:
 * the entry is open to others, and `Omit` would lose the type of every field.
 */
export type Link =
  & Pick<
    Schemas["InterfaceEntry"],
    | "Name"
    | "Subtype"
    | "Enabled"
    | "DisableDHCP"
    | "IP"
    | "Router"
    | "MACOverride"
    | "MACRandomize"
    | "MACCloak"
    | "AdditionalIPs"
  >
  & {
    /** Any word: a form holds what is chosen in it. */
    readonly Type: string;
  };

/** All that is set of an interface at once. */
export type InterfaceSettings = Schemas["InterfaceSettings"];

/** A PPPoE account; its password is never shown. */
export type Account = Schemas["PppEntry"];

/** An interface as the kernel has it. */
export type KernelLink = Pick<
  Schemas["KernelInterface"],
  "ifname" | "operstate" | "flags" | "address" | "addr_info"
>;

/** An entry of the ARP table. */
export type Neighbour = Pick<Schemas["ArpEntry"], "IP" | "MAC" | "Flags" | "Device">;
