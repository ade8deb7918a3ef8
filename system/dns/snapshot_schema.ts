import { z } from "zod";
import type { BlockConfig } from "./block/schema.ts";
import type { DnsClient } from "./client.ts";
import type { LogConfig } from "./log/schema.ts";
import type { DnsSettings } from "./schema.ts";

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
  readonly version: string;
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
  /** Networks that may ask, as CIDRs. */
  readonly networks: readonly string[];
  /** Address of a resolver that takes the place of the upstream; "" for none. */
  readonly override: string;
  /** Certificates (PEM) that are trusted for an upstream beside the usual ones. */
  readonly trusted: readonly string[];
}

/** The frame of a snapshot as it travels and lies on disk; its writer is our own api. */
export const SnapshotFrame: z.ZodType<DnsSnapshot> = z.looseObject({
  version: z.string(),
  settings: z.looseObject({}),
  clients: z.array(z.looseObject({ address: z.string(), identity: z.string() })),
  names: z.array(z.object({ name: z.string(), address: z.string() })),
  block: z.looseObject({}),
  log: z.looseObject({}),
  listen: z.array(z.string()).nullable(),
  networks: z.array(z.string()),
  override: z.string(),
  trusted: z.array(z.string()),
}) as unknown as z.ZodType<DnsSnapshot>;
