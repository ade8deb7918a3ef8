import type { Bus } from "../core/events/bus.ts";
import { isRecord } from "../core/config/json.ts";

/** Names that are kept; those that were not resolved for the longest time give way. */
const MAX_NAMES = 20_000;
const TOPIC = "dns:serve:";

/**
 * The names by which devices know addresses: what the resolver answered each of them. Clients whose
 * queries are not logged have none.
 */
export class DestinationNames {
  readonly #names = new Map<string, string>();
  readonly #unsubscribe: () => void;

  constructor(bus: Pick<Bus, "subscribe">) {
    this.#unsubscribe = bus.subscribe(
      ({ topic, data }) => this.#take(topic.slice(TOPIC.length), data),
      [TOPIC],
    );
  }

  /** The name that a device resolved to an address last; "" for none. */
  nameOf(device: string, address: string): string {
    return this.#names.get(`${device} ${address}`) ?? "";
  }

  /** Addresses that some device resolved such a name to: part of it, in lower case. */
  addressesOf(part: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [key, name] of this.#names) {
      if (name.includes(part)) found.add(key.slice(key.indexOf(" ") + 1));
    }
    return found;
  }

  close(): void {
    this.#unsubscribe();
  }

  #take(client: string, data: unknown): void {
    if (!isRecord(data) || !Array.isArray(data["A"]) || !Array.isArray(data["Q"])) return;
    const [question] = data["Q"];
    const queried = isRecord(question) ? question["Name"] : undefined;
    if (typeof queried !== "string" || queried === "") return;
    const name = queried.replace(/\.$/, "").toLowerCase();
    for (const record of data["A"]) {
      const address = isRecord(record) ? record["A"] ?? record["AAAA"] : undefined;
      if (typeof address !== "string") continue;
      const key = `${client} ${address}`;
      this.#names.delete(key);
      this.#names.set(key, name);
    }
    for (const key of this.#names.keys()) {
      if (this.#names.size <= MAX_NAMES) break;
      this.#names.delete(key);
    }
  }
}
