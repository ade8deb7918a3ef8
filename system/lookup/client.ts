import * as z from "zod";
import { type SocketClient, socketClient } from "../core/ipc/socket_client.ts";
import { AsnFound, MAX_LOOKUPS } from "./schema.ts";

/** Network and country of an address. */
export interface AddressInfo {
  /** Number of the autonomous system; 0: not known, as for private addresses. */
  readonly asn: number;
  /** Name of the network; empty where not known. */
  readonly name: string;
  /** ISO 3166-1 alpha-2; empty where not known. */
  readonly country: string;
}

/** Networks of many addresses, as the lookup service answers them over its socket. */
export const AddressInfos = z.object({
  /** Tells these tables from others. */
  tag: z.string(),
  items: z.array(z.object({
    asn: z.int().min(0),
    name: z.string(),
    country: z.string(),
  })),
});

/** Vendors of many MAC addresses, as the lookup service answers them over its socket. */
export const Vendors = z.object({ tag: z.string(), items: z.array(z.string()) });

const UNKNOWN: AddressInfo = { asn: 0, name: "", country: "" };

/** Answers that are kept, of addresses and of MAC addresses each; the oldest go first. */
const MAX_CACHED = 20_000;
/** Milliseconds after which a call is given up, with answers that are not known. */
const PATIENCE_MS = 5000;
/** Milliseconds before a service that did not answer is called again. */
const AWAY_MS = 2000;

/**
 * The lookup service as the api calls it. Answers are kept; while the service is away, addresses are not
 * known rather than an error.
 */
export class LookupClient {
  readonly #client: SocketClient;
  readonly #now: () => number;
  readonly #addresses = new Map<string, AddressInfo>();
  readonly #vendors = new Map<string, string>();
  #tag = "";
  /** Monotonic milliseconds until which the service counts as away. */
  #awayUntil = -Infinity;

  constructor(options: {
    readonly socket: string;
    readonly ending: AbortSignal;
    /** Monotonic milliseconds. */
    readonly now?: () => number;
  }) {
    this.#now = options.now ?? (() => performance.now());
    this.#client = socketClient({
      name: "The lookup service",
      socket: options.socket,
      ending: options.ending,
      patience: PATIENCE_MS,
    });
  }

  /** Network and country of each address, in their order; one that is not known has the number 0. */
  async lookupMany(addresses: readonly string[]): Promise<readonly AddressInfo[]> {
    const found = await this.#many(addresses, this.#addresses, async (list) => {
      const text = await this.#client.call("/addresses", { list });
      return AddressInfos.parse(JSON.parse(text));
    });
    return found.map((info) => info ?? UNKNOWN);
  }

  /** Vendor of each MAC address, in their order; empty where it is not known or randomized. */
  async vendorMany(macs: readonly string[]): Promise<readonly string[]> {
    const found = await this.#many(macs, this.#vendors, async (list) => {
      const text = await this.#client.call("/vendors", { list });
      return Vendors.parse(JSON.parse(text));
    });
    return found.map((vendor) => vendor ?? "");
  }

  /** Name of a network by its number; empty where it is not known. */
  async networkName(asn: number): Promise<string> {
    try {
      const text = await this.#client.call(`/asn_search/AS${asn}`);
      return z.array(AsnFound).parse(JSON.parse(text))[0]?.Name ?? "";
    } catch {
      return "";
    }
  }

  /** Drops the answers that are kept, since a table was replaced. */
  forget(): void {
    this.#addresses.clear();
    this.#vendors.clear();
  }

  close(): void {
    this.#client.close();
  }

  async #many<T>(
    keys: readonly string[],
    cache: Map<string, T>,
    ask: (keys: readonly string[]) => Promise<
      { readonly tag: string; readonly items: readonly T[] }
    >,
  ): Promise<readonly (T | undefined)[]> {
    const found = new Map<string, T>();
    const missing = new Set<string>();
    for (const key of keys) {
      const known = cache.get(key);
      if (known === undefined) missing.add(key);
      else found.set(key, known);
    }
    const list = [...missing];
    for (let from = 0; from < list.length && this.#now() >= this.#awayUntil; from += MAX_LOOKUPS) {
      const part = list.slice(from, from + MAX_LOOKUPS);
      try {
        const { tag, items } = await ask(part);
        if (tag !== this.#tag) this.forget();
        this.#tag = tag;
        for (const [index, key] of part.entries()) {
          const item = items[index];
          if (item === undefined) continue;
          found.set(key, item);
          keep(cache, key, item);
        }
      } catch {
        this.#awayUntil = this.#now() + AWAY_MS;
      }
    }
    return keys.map((key) => found.get(key));
  }
}

function keep<T>(cache: Map<string, T>, key: string, item: T): void {
  if (cache.size >= MAX_CACHED) {
    const [oldest] = cache.keys();
    cache.delete(oldest!);
  }
  cache.set(key, item);
}
