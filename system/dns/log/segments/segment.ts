import type { LogEntry, LogVerdict } from "../schema.ts";

/** Logged queries that are stored together, in the order of their ids; each is addressed by its index. */
export interface Segment {
  readonly size: number;
  id(index: number): number;
  /** Address of the client. */
  client(index: number): string;
  /** Identity of the device; "" for an address without a device. */
  identity(index: number): string;
  verdict(index: number): LogVerdict;
  /** True when the query name contains `part`, which is in lower case. */
  nameIncludes(index: number, part: string): boolean;
  entry(index: number): LogEntry;
  /** The local address that DNS rebinding protection blocked; "" for none. */
  rebindAddress(index: number): string;
  /** Queries by client and verdict: the index that a search skips segments by. */
  clientCounts(): readonly ClientCounts[];
  /** The stored form. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** A segment without some entries, of which no byte is left; null when it would be empty. */
  without(isRemoved: (index: number) => boolean): Segment | null;
}

/** A client and its number of queries by verdict. */
export type ClientCounts = readonly [
  client: string,
  identity: string,
  Readonly<Record<string, number>>,
];
