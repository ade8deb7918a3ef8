import { z } from "zod";
import { Ipv4 } from "../../core/net/grammar.ts";
import { BlockConfig } from "../block/schema.ts";
import type { DnsClient } from "../resolver/client.ts";
import { LogConfig } from "../log/schema.ts";
import { DnsSettings } from "./schema.ts";

/** A name of home and its address. */
export interface LocalName {
  /** Lower case, no final dot: `printer.lan`. */
  readonly name: string;
  /** Canonical text of an IPv4 or IPv6 address. */
  readonly address: string;
}

/** Everything that dnsd works from, as the api hands it over. */
export interface DnsSnapshot {
  /** Another for every other content. */
  readonly tag: string;
  readonly settings: DnsSettings;
  /** Devices that have an address. */
  readonly clients: readonly DnsClient[];
  /** Names of devices, of the host names' document, and of the router itself. */
  readonly names: readonly LocalName[];
  readonly block: BlockConfig;
  readonly log: LogConfig;
  /**
   * The router's own addresses at home, on which it listens; none while nothing is applied. Null while
   * the api does not know yet, as after its start: what was so remains.
   */
  readonly listen: readonly string[] | null;
  /** All addresses of the router, those on uplinks among them. */
  readonly own?: readonly string[];
  /** Resolvers that came with the leases of uplinks, those of the uplink that is taken first. */
  readonly leased?: readonly string[];
  /** Networks that may ask, as CIDRs. */
  readonly networks: readonly string[];
  /** Address of a resolver that takes the place of the upstream; "" for none. */
  readonly override: string;
  /** Certificates (PEM) that are trusted for an upstream beside the usual ones. */
  readonly trusted: readonly string[];
}

/**
 * A snapshot as it travels and lies on disk. What an older version left there may lack something that
 * is needed now, so all of it is looked at.
 */
export const SnapshotShape: z.ZodType<DnsSnapshot> = z.object({
  tag: z.string(),
  settings: DnsSettings,
  clients: z.array(z.object({
    address: z.string(),
    identity: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    policies: z.array(z.string()),
    custom: z.string(),
  })),
  names: z.array(z.object({ name: z.string(), address: z.string() })),
  block: BlockConfig,
  log: LogConfig,
  listen: z.array(Ipv4).nullable(),
  own: z.array(z.string()).default([]),
  leased: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  override: z.string(),
  trusted: z.array(z.string()),
});
