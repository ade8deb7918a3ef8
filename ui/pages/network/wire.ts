import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/**
 * A link and what it is for, as `GET /interfacesConfiguration` answers it. The fields are picked by name:
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

/** A link as the kernel has it (`GET /ip/addr`). */
export interface KernelLink {
  readonly ifname: string;
  readonly operstate: string;
  readonly flags: readonly string[];
  readonly address?: string;
  readonly addr_info: readonly {
    readonly family: string;
    readonly local?: string;
    readonly prefixlen: number;
    readonly scope: string;
  }[];
}

/** A neighbour (`GET /arp`). */
export interface Neighbour {
  readonly IP: string;
  readonly MAC: string;
  readonly Flags: string;
  readonly Device: string;
}
