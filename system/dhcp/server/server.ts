import type { LogMethod } from "../../core/log/log.ts";
import { isGroupMac } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { chosenServer, dhcpReply, messageKind, outgoing, requestedAddress } from "./reply_rules.ts";
import type { ClientMessage, LeaseDecision } from "../api_schema.ts";
import { TokenBucket } from "../../core/time/token_bucket.ts";
import { sentIdentifier, sentName } from "./client_names.ts";
import type { OutgoingMessage } from "./frame.ts";
import { decodeDhcp, type DhcpMessage, namedMac, OPTION } from "./packet.ts";

/**
 * Pending messages of one interface, for known and for unknown clients each, and for DISCOVERs and all
 * others each: clients that come at once must not keep each other from taking what they were offered.
 */
const MAX_PENDING = 1024;
/** Token bucket of unknown clients: messages per second, and a burst after a power cut. */
const UNKNOWN_CLIENTS = { rate: 200, burst: 2048 };
/** Milliseconds between two log lines about clients that got no address. */
const LOG_INTERVAL_MS = 10_000;

/** Dependencies of {@link DhcpServer}. */
export interface DhcpServerDeps {
  /** Decides the reply to a client; null for none. Throws Problem, or any other error when the api is away. */
  readonly decide: (message: ClientMessage) => Promise<LeaseDecision | null>;
  /** The last lease of a client on this interface; null for an unknown client. */
  readonly cachedLease: (mac: string) => LeaseDecision | null;
  /** Largest packet of the interface in bytes; null when it is not known. */
  readonly mtu: () => number | null;
  /** A message named this MAC address and came from another one. */
  readonly foreignSender?: (mac: string) => void;
  readonly log: LogMethod;
  /** Milliseconds; default the process's own clock. */
  readonly clock?: () => number;
}

/** Sends a reply; false when it failed. */
export type Send = (answer: OutgoingMessage) => boolean;

/** What happened to the messages of an interface. */
export interface DhcpCounts {
  readonly answered: number;
  /** Malformed, not for us, over a limit, or sent again before it was answered. */
  readonly dropped: number;
  /** No reply could be decided or sent. */
  readonly failed: number;
}

/** Serves the clients of one interface. Never throws, whatever a client sends. */
export class DhcpServer {
  readonly #link: string;
  readonly #deps: DhcpServerDeps;
  readonly #unknownClients: TokenBucket;
  readonly #clock: () => number;
  /** Messages that wait for a decision, by class. */
  readonly #pending = new Map<string, number>();
  /** The same by MAC address, kind and number: a client sends each again until it is answered. */
  readonly #deciding = new Set<string>();
  #quietUntil = -Infinity;
  /** Failures since the last log line. */
  #suppressed = 0;
  #counts = { answered: 0, dropped: 0, failed: 0 };

  constructor(link: string, deps: DhcpServerDeps) {
    this.#link = link;
    this.#deps = deps;
    this.#clock = deps.clock ?? performance.now.bind(performance);
    this.#unknownClients = new TokenBucket(
      UNKNOWN_CLIENTS.rate,
      UNKNOWN_CLIENTS.burst,
      this.#clock,
    );
  }

  get counts(): DhcpCounts {
    return { ...this.#counts };
  }

  /** Handles one datagram and sends the reply. */
  async take(bytes: Uint8Array, send: Send): Promise<void> {
    const message = decodeDhcp(bytes);
    const kind = message === null ? null : messageKind(message);
    if (message === null || kind === null || isGroupMac(message.mac)) return this.#drop();
    const exchange = `${message.mac} ${kind} ${message.xid}`;
    if (this.#deciding.has(exchange)) return this.#drop();
    const isUnknown = this.#deps.cachedLease(message.mac) === null;
    const group = `${isUnknown ? "unknown" : "known"} ${
      kind === "discover" ? "discover" : "other"
    }`;
    const pending = this.#pending.get(group) ?? 0;
    if (pending >= MAX_PENDING) return this.#drop();
    if (isUnknown && !this.#unknownClients.take()) return this.#drop();
    this.#pending.set(group, pending + 1);
    this.#deciding.add(exchange);
    try {
      const lease = await this.#decide(message, kind);
      if (lease === null) return;
      const reply = dhcpReply(message, { lease: lease, mtu: this.#deps.mtu() });
      if (reply === null) return;
      const sent = send(outgoing(reply, lease));
      this.#counts[sent ? "answered" : "failed"]++;
    } catch (error) {
      this.#counts.failed++;
      this.#logFailure(message.mac, error);
    } finally {
      this.#pending.set(group, this.#pending.get(group)! - 1);
      this.#deciding.delete(exchange);
    }
  }

  /**
   * Handles the start of a message that named another MAC address than it came from: the sender of it
   * is not obeyed, and gets no reply.
   */
  takeForeign(bytes: Uint8Array): void {
    this.#drop();
    const mac = namedMac(bytes);
    if (mac !== null && !isGroupMac(mac)) this.#deps.foreignSender?.(mac);
  }

  /** The api's decision; while the api is away, the cached lease. */
  async #decide(message: DhcpMessage, kind: ClientMessage["kind"]): Promise<LeaseDecision | null> {
    try {
      // Only the api can tell whether the client chose another server: after a renumbering the cached
      // lease names the router by its old address for a while.
      return await this.#deps.decide(clientMessage(message, { kind, link: this.#link }));
    } catch (error) {
      const cached = this.#deps.cachedLease(message.mac);
      if (error instanceof Problem || cached === null) throw error;
      return cached;
    }
  }

  #drop(): void {
    this.#counts.dropped++;
  }

  /** Logs the first of many failures: no client may fill the disk. */
  #logFailure(mac: string, error: unknown): void {
    const now = this.#clock();
    if (now < this.#quietUntil) {
      this.#suppressed++;
      return;
    }
    const detail = error instanceof Problem ? error.message : String(error);
    const more = this.#suppressed > 0 ? { suppressed: this.#suppressed } : {};
    this.#deps.log("dhcp.request_failed", "A client got no address", {
      link: this.#link,
      mac,
      detail,
      ...more,
    });
    this.#quietUntil = now + LOG_INTERVAL_MS;
    this.#suppressed = 0;
  }
}

function clientMessage(
  message: DhcpMessage,
  about: Pick<ClientMessage, "kind" | "link">,
): ClientMessage {
  const vendor = message.options.get(OPTION.vendorClass) ?? new Uint8Array();
  return {
    ...about,
    mac: message.mac,
    name: sentName(message),
    clientId: sentIdentifier(message),
    wanted: requestedAddress(message),
    server: chosenServer(message) ?? "",
    parameters: [...message.options.get(OPTION.parameterList) ?? []].join(","),
    vendorClass: new TextDecoder("latin1").decode(vendor),
  };
}
