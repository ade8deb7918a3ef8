import type { LogEntry, Verdict } from "../schema.ts";

/** Queries that are kept in one piece, in the order of their ids; each is known by its place. */
export interface Entries {
  readonly size: number;
  id(place: number): number;
  /** Address that asked. */
  client(place: number): string;
  /** Identity of the device that asked; "" for nobody's. */
  identity(place: number): string;
  verdict(place: number): Verdict;
  /** True when the name that was asked for has this part, which is in lower case. */
  asksFor(place: number, part: string): boolean;
  entry(place: number): LogEntry;
  /** The address at home that an outside name pointed to; "" for none. */
  rebound(place: number): string;
  /** Who asked it: what finds it again. */
  asked(): readonly Asked[];
  /** As it is kept. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same without some; null when none is left. What is left out is not in its bytes. */
  without(gone: (place: number) => boolean): Entries | null;
}

/** Who asked, and how often what became of it. */
export type Asked = readonly [client: string, identity: string, Readonly<Record<string, number>>];
