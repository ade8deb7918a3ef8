/** A device that has an address, as `GET /dhcp/leases` answers it. Times are unix milliseconds. */
export interface Lease {
  readonly identity: string;
  readonly address: string;
  /** Null for a device that was never seen. */
  readonly interface: string | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly name: string;
  readonly online: boolean;
}

/** How many devices a network has place for (`GET /dhcp/pools`). */
export interface PoolUse {
  readonly net: string;
  readonly size: number;
  readonly used: number;
}

/** `GET /subnetConfig`. */
export interface Subnets {
  readonly TinyNets: readonly string[];
  /** `24h0m0s`. */
  readonly LeaseTime: string;
  /** Addresses of the time servers that devices are told of; absent for none. */
  readonly NTPServers?: readonly string[];
}

/** Links that are open to unknown devices (`GET /dhcp/admissions`); `Until` in unix seconds. */
export interface OpenLinks {
  readonly Open: readonly { readonly Interface: string; readonly Until: number }[];
}

/** A list under `items`. */
export interface Items<T> {
  readonly items: readonly T[];
}
