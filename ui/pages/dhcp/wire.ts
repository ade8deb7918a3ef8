import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A device that has an address, as `GET /dhcp/leases` answers it. Times are unix milliseconds. */
export type Lease = Schemas["LeaseItem"];

/** Size and use of a DHCP pool, in devices. */
export type PoolUse = Schemas["PoolUse"];

/** `GET /subnetConfig`. */
export type Subnets = Schemas["SubnetConfig"];

/** Interfaces that admit unknown devices without limit; `Until` in unix seconds. */
export type OpenLinks = Schemas["Admissions"];

/** A list under `items`. */
export interface Items<T> {
  readonly items: readonly T[];
}
