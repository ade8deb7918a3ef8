import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import type { Datagram } from "./datagram.ts";
import { addressResponse, parseMessage, probeQuery, TYPE } from "./mdns.ts";
import type { Group, RelayInterface } from "./schema.ts";

/** The mDNS group (RFC 6762 3). */
export const MDNS: Group = { address: "224.0.0.251", port: 5353 };
/** Milliseconds between probes, and between announcements (RFC 6762 8.1, 8.3). */
const PROBE_INTERVAL_MS = 250, ANNOUNCEMENT_INTERVAL_MS = 1000;
const PROBE_COUNT = 3, ANNOUNCEMENT_COUNT = 2;
/** Milliseconds after which a name that another machine had is probed for again: it may be gone. */
const CONFLICT_MS = 5 * 60_000;
/** RFC 6762 11. */
const TTL = 255;

/** mDNS responder for our name on one interface: probes, announces, responds, or yields on a conflict. */
export class Responder {
  readonly #name: string;
  readonly #link: RelayInterface;
  #sent = 0;
  #next: number;
  #hasConflict = false;
  /** When the name is probed for again; null for no conflict, or one that no tick has seen yet. */
  #retryAt: number | null = null;

  /** `name` with `.local`; `now` in milliseconds. */
  constructor(name: string, link: RelayInterface, now: number) {
    this.#name = name;
    this.#link = link;
    this.#next = now;
  }

  /** True when another machine on the interface has the name, so that we do not respond there. */
  get taken(): boolean {
    return this.#hasConflict;
  }

  /** The probe or announcement that is due. */
  tick(now: number): Datagram | null {
    if (this.#hasConflict) this.#retry(now);
    if (this.#hasConflict || this.#link.addresses.length === 0) return null;
    if (now < this.#next || this.#sent >= PROBE_COUNT + ANNOUNCEMENT_COUNT) return null;
    this.#sent++;
    this.#next = now +
      (this.#sent < PROBE_COUNT
        ? PROBE_INTERVAL_MS
        : this.#sent === PROBE_COUNT
        ? PROBE_INTERVAL_MS
        : ANNOUNCEMENT_INTERVAL_MS);
    const addresses = this.#addresses();
    return this.#datagram(
      this.#sent <= PROBE_COUNT
        ? probeQuery(this.#name, addresses)
        : addressResponse(this.#name, addresses),
    );
  }

  /** Starts over some minutes after another machine was found to have the name. */
  #retry(now: number): void {
    this.#retryAt ??= now + CONFLICT_MS;
    if (now < this.#retryAt) return;
    this.#retryAt = null;
    this.#hasConflict = false;
    this.#sent = 0;
    this.#next = now;
  }

  /** Handles a datagram of another machine; returns the response to a query for our name. */
  handle(datagram: Datagram): Datagram | null {
    const message = parseMessage(datagram.payload);
    if (message === null || this.#hasConflict || this.#link.addresses.length === 0) return null;
    const probing = this.#sent <= PROBE_COUNT;
    if (message.isResponse) {
      const ours = this.#addresses();
      const rival = message.records.some(({ name, type, address }) =>
        name === this.#name && type === TYPE.a && address !== undefined && !ours.includes(address)
      );
      if (rival) this.#hasConflict = true;
      return null;
    }
    const isOurs = message.questions.some(({ name, type }) =>
      name === this.#name && (type === TYPE.a || type === TYPE.any)
    );
    if (!isOurs || probing) return null;
    const own = this.#addressNear(datagram.source);
    const others = this.#addresses().filter((address) => address !== own);
    // A legacy resolver queries from another port: unicast response with its id (RFC 6762 6.7).
    const plain = datagram.sourcePort !== MDNS.port;
    const response = addressResponse(this.#name, [own, ...others], {
      flush: !plain,
      id: plain ? message.id : 0,
    });
    return {
      ...this.#datagram(response, own),
      ...(plain ? { destination: datagram.source, port: datagram.sourcePort } : {}),
    };
  }

  #datagram(payload: Uint8Array, source = this.#addresses()[0]!): Datagram {
    return {
      source,
      destination: parseIpv4(MDNS.address)!,
      ttl: TTL,
      sourcePort: MDNS.port,
      port: MDNS.port,
      payload,
    };
  }

  #addresses(): number[] {
    return this.#link.addresses.map((text) => parseIpv4(text)!);
  }

  /** Our address in the device's /30; any of ours when there is none. */
  #addressNear(device: number): number {
    const near = formatIpv4(device - 1);
    return parseIpv4(this.#link.addresses.includes(near) ? near : this.#link.addresses[0]!)!;
  }
}
