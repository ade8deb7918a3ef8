/** A multicast address and port that is repeated between links. */
export interface MulticastAddress {
  /** Such as `224.0.0.251:5353`. */
  readonly Address: string;
  readonly Disabled: boolean;
  /** With tags: only to links with a device that has one. */
  readonly Tags: readonly string[];
  readonly Description: string;
}

/** `GET /multicastSettings`. */
export interface MulticastSettings {
  readonly Disabled: boolean;
  readonly Addresses: readonly MulticastAddress[];
  readonly DisableMDNSAdvertise: boolean;
  /** Without `.local`; empty for the host name. */
  readonly MDNSName: string;
}

/** Who spoke on an address, as `GET /multicast/heard` answers it. */
export interface HeardItem {
  readonly address: string;
  readonly source: string;
  readonly link: string;
  /** Empty when the address is nobody's. */
  readonly identity: string;
  /** The device's own text. */
  readonly services: readonly string[];
  /** Unix milliseconds. */
  readonly lastSeen: number;
}
