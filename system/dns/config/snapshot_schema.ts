import * as z from "zod";
import { Ipv4 } from "../../core/net/grammar.ts";
import { BlockConfig } from "../block/schema.ts";
import type { DnsClient } from "../resolver/client.ts";
import { LogConfig } from "../log/schema.ts";
import { DnsSettings } from "./schema.ts";

/** A local name and its address. */
export interface LocalName {
  /** Lower case, no final dot: `printer.lan`. */
  readonly name: string;
  /** Canonical text of an IPv4 or IPv6 address. */
  readonly address: string;
}

/** Everything that dnsd works from, as the api sends it. */
export interface DnsSnapshot {
  /** Changes with the content. */
  readonly tag: string;
  readonly settings: DnsSettings;
  /** Devices that have an address. */
  readonly clients: readonly DnsClient[];
  /** Names of devices, local DNS records, and names of the router itself. */
  readonly names: readonly LocalName[];
  readonly block: BlockConfig;
  readonly log: LogConfig;
  /**
   * The router's LAN addresses to listen on; none while the network is not applied. Null while that is
   * unknown, as after a start of the api: the listeners stay as they are.
   */
  readonly listen: readonly string[] | null;
  /** All addresses of the router, also those on uplinks. */
  readonly routerAddresses?: readonly string[];
  /** ISP resolvers: those of the uplinks' leases, of the preferred uplink first. */
  readonly ispResolvers?: readonly string[];
  /** Networks whose clients get responses, as CIDRs. */
  readonly networks: readonly string[];
  /** Address of a resolver that replaces the default upstream resolvers; "" for none. */
  readonly override: string;
  /** Additional CA certificates (PEM) for upstream resolvers. */
  readonly trusted: readonly string[];
}

/** The schema of a snapshot, also of a saved one, which an older version may have written. */
export const SnapshotShape: z.ZodType<DnsSnapshot> = z.object({
  tag: z.string(),
  settings: DnsSettings,
  clients: z.array(z.object({
    address: z.string(),
    identity: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    groups: z.array(z.string()).default([]),
    policies: z.array(z.string()),
    custom: z.string(),
  })),
  names: z.array(z.object({ name: z.string(), address: z.string() })),
  block: BlockConfig,
  log: LogConfig,
  listen: z.array(Ipv4).nullable(),
  routerAddresses: z.array(z.string()).default([]),
  ispResolvers: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  override: z.string(),
  trusted: z.array(z.string()),
});
