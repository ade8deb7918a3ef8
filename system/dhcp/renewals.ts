import { Problem } from "../core/errors/problem.ts";
import type { ClientMessage, LeaseDecision } from "./api_schema.ts";

/** Renewals that are reported at the same time, and those that wait: the oldest is dropped. */
const MAX_REPORTS = 8, MAX_WAITING = 4096;

/** Dependencies of {@link Renewals}. */
export interface RenewalsDeps {
  /** The last lease of a client and the interface where it got it; null for an unknown client. */
  readonly last: (
    mac: string,
  ) => { readonly link: string | null; readonly lease: LeaseDecision } | null;
  /** Passes a message on to the api. Throws Problem when refused, any other error when the api is away. */
  readonly decide: (message: ClientMessage) => Promise<LeaseDecision | null>;
}

/**
 * Renewals that need no decision: the api has granted the very lease on the same interface since that
 * was opened, and has withdrawn nothing since. Such a client is answered from memory, and the api,
 * which may be waiting for the disk, is notified afterwards.
 */
export class Renewals {
  readonly #deps: RenewalsDeps;
  /** What the api granted, by MAC address. */
  readonly #granted = new Map<string, { readonly link: string; readonly lease: LeaseDecision }>();
  /** Renewals that the api has not been notified of, by MAC address. */
  readonly #waiting = new Map<string, ClientMessage>();
  readonly #reports = new Set<Promise<void>>();

  constructor(deps: RenewalsDeps) {
    this.#deps = deps;
  }

  /** Notes what the api granted on a request; an offer is none, and neither is what another server gave. */
  granted({ kind, mac, link, server }: ClientMessage, lease: LeaseDecision): void {
    if (kind !== "request" || (server !== "" && server !== lease.DNSIP)) return;
    this.#granted.set(mac, { link, lease });
  }

  /** An interface was opened or closed: its clients are decided about anew. */
  forget(link: string): void {
    for (const [mac, granted] of this.#granted) {
      if (granted.link === link) this.#granted.delete(mac);
    }
  }

  /** The reply to a message from memory; null where the api must decide. */
  answer(message: ClientMessage): LeaseDecision | null {
    const { kind, mac, link, wanted, server } = message;
    if (kind === "decline" || kind === "release") this.#granted.delete(mac);
    if (kind !== "discover" && kind !== "request") return null;
    const granted = this.#granted.get(mac), last = this.#deps.last(mac);
    if (granted?.link !== link || last?.link !== link) return null;
    const { lease } = granted;
    if (!isSame(lease, last.lease)) return null;
    if (kind === "discover") return lease;
    if (wanted !== lease.IP || (server !== "" && server !== lease.DNSIP)) return null;
    this.#report(message);
    return lease;
  }

  /** Resolves when the reports that are under way have ended. */
  async settled(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#reports);
  }

  #report(message: ClientMessage): void {
    this.#waiting.set(message.mac, message);
    const oldest = this.#waiting.keys().next().value;
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#reportNext();
  }

  #reportNext(): void {
    while (this.#reports.size < MAX_REPORTS) {
      const next = this.#waiting.values().next().value;
      if (next === undefined) return;
      this.#waiting.delete(next.mac);
      const report = this.#tell(next).finally(() => {
        this.#reports.delete(report);
        this.#reportNext();
      });
      this.#reports.add(report);
    }
  }

  /** Tells the api of a renewal; one that it would not have granted was the last from memory. */
  async #tell(message: ClientMessage): Promise<void> {
    const { mac } = message;
    try {
      const decision = await this.#deps.decide(message);
      const granted = this.#granted.get(mac);
      const stays = decision !== null && granted !== undefined && isSame(decision, granted.lease);
      if (!stays) this.#granted.delete(mac);
    } catch (error) {
      // While the api is away, it cannot have withdrawn anything.
      if (error instanceof Problem) this.#granted.delete(mac);
    }
  }
}

function isSame(one: LeaseDecision, other: LeaseDecision): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
