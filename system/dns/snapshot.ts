export type { DnsClient } from "./client.ts";
export type { DnsSnapshot, LocalName } from "./snapshot_schema.ts";
