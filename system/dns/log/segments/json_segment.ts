import type { Asked, Entries } from "./segment.ts";
import { addressOf } from "./entry.ts";
import type { LogEntry, Verdict } from "../schema.ts";

/** Entries whose answers are not there any more as they were sent: those of the earlier form of the log. */
export class EntryList implements Entries {
  readonly #list: readonly LogEntry[];

  constructor(list: readonly LogEntry[]) {
    this.#list = list;
  }

  /** Reads the {@link bytes} of one. Throws when they are none. */
  static read(bytes: Uint8Array<ArrayBuffer>): EntryList {
    return new EntryList(JSON.parse(new TextDecoder().decode(bytes)) as LogEntry[]);
  }

  get size(): number {
    return this.#list.length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(JSON.stringify(this.#list));
  }

  id(place: number): number {
    return this.#list[place]!.id;
  }

  client(place: number): string {
    return addressOf(this.#list[place]!.Remote);
  }

  identity(place: number): string {
    return this.#list[place]!.identity;
  }

  verdict(place: number): Verdict {
    return this.#list[place]!.verdict;
  }

  asksFor(place: number, part: string): boolean {
    return (this.#list[place]!.Q[0]?.Name ?? "").toLowerCase().includes(part);
  }

  entry(place: number): LogEntry {
    return this.#list[place]!;
  }

  /** It was told when it happened, and is not told again. */
  rebound(): string {
    return "";
  }

  asked(): readonly Asked[] {
    const clients = new Map<string, Map<string, Record<string, number>>>();
    for (const [place, { identity, verdict }] of this.#list.entries()) {
      const client = this.client(place);
      const devices = clients.get(client) ?? new Map<string, Record<string, number>>();
      const counts = devices.get(identity) ?? {};
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      clients.set(client, devices.set(identity, counts));
    }
    return [...clients].flatMap(([client, devices]) =>
      [...devices].map(([identity, counts]): Asked => [client, identity, counts])
    );
  }

  without(gone: (place: number) => boolean): EntryList | null {
    const kept = this.#list.filter((_, place) => !gone(place));
    return kept.length === 0 ? null : new EntryList(kept);
  }
}
