import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A device that has an address, as `GET /dhcp/leases` answers it. Times are unix milliseconds. */
export type Lease = Schemas["LeaseItem"];

/** How many devices a network has place for (`GET /dhcp/pools`). */
export interface PoolUse {
  readonly net: string;
  readonly size: number;
  readonly used: number;
}

/** `GET /subnetConfig`. */
export type Subnets = Schemas["SubnetConfig"];

/** Links that are open to unknown devices (`GET /dhcp/admissions`); `Until` in unix seconds. */
export interface OpenLinks {
  readonly Open: readonly { readonly Interface: string; readonly Until: number }[];
}

/** A list under `items`. */
export interface Items<T> {
  readonly items: readonly T[];
}
