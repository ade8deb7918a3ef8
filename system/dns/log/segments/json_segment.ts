import type { ClientCounts, Segment } from "./segment.ts";
import { addressOf } from "./entry.ts";
import type { LogEntry, LogVerdict } from "../schema.ts";

/** A segment of entries that were migrated from the legacy format, where responses were not stored. */
export class JsonSegment implements Segment {
  readonly #entries: readonly LogEntry[];

  constructor(entries: readonly LogEntry[]) {
    this.#entries = entries;
  }

  /** Parses {@link bytes}. Throws on invalid JSON. */
  static read(bytes: Uint8Array<ArrayBuffer>): JsonSegment {
    return new JsonSegment(JSON.parse(new TextDecoder().decode(bytes)) as LogEntry[]);
  }

  get size(): number {
    return this.#entries.length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(JSON.stringify(this.#entries));
  }

  id(index: number): number {
    return this.#entries[index]!.id;
  }

  client(index: number): string {
    return addressOf(this.#entries[index]!.Remote);
  }

  identity(index: number): string {
    return this.#entries[index]!.identity;
  }

  verdict(index: number): LogVerdict {
    return this.#entries[index]!.verdict;
  }

  nameIncludes(index: number, part: string): boolean {
    return (this.#entries[index]!.Q[0]?.Name ?? "").toLowerCase().includes(part);
  }

  entry(index: number): LogEntry {
    return this.#entries[index]!;
  }

  /** Only needed for live events, which these entries no longer cause. */
  rebindAddress(): string {
    return "";
  }

  clientCounts(): readonly ClientCounts[] {
    const clients = new Map<string, Map<string, Record<string, number>>>();
    for (const [index, { identity, verdict }] of this.#entries.entries()) {
      const client = this.client(index);
      const devices = clients.get(client) ?? new Map<string, Record<string, number>>();
      const counts = devices.get(identity) ?? {};
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      clients.set(client, devices.set(identity, counts));
    }
    return [...clients].flatMap(([client, devices]) =>
      [...devices].map(([identity, counts]): ClientCounts => [client, identity, counts])
    );
  }

  without(isRemoved: (index: number) => boolean): JsonSegment | null {
    const rest = this.#entries.filter((_, index) => !isRemoved(index));
    return rest.length === 0 ? null : new JsonSegment(rest);
  }
}
