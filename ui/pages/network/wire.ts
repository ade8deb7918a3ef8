/** A link and what it is for, as `GET /interfacesConfiguration` answers it. */
export interface Link {
  readonly Name: string;
  readonly Type: string;
  readonly Subtype: string;
  readonly Enabled: boolean;
  readonly DisableDHCP?: boolean;
  readonly IP?: string;
  readonly Router?: string;
}

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
