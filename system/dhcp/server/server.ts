import type { LogMethod } from "../../core/log/log.ts";
import { isGroupMac } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { askKind, chosenServer, dhcpReply, outgoing, wantedAddress } from "./answer_rules.ts";
import type { Ask, Told } from "../ask_schema.ts";
import { Bucket } from "./bucket.ts";
import { sentIdentifier, sentName } from "./client_names.ts";
import type { Outgoing } from "./frame.ts";
import { decodeDhcp, type DhcpMessage, OPTION } from "./packet.ts";

/** Messages of one link that may wait for the api at once, for each of known and unknown cards. */
const AT_ONCE = 256;
/** Messages of unknown cards that are passed on: each second, and at once when all come home. */
const STRANGERS = { rate: 200, burst: 2048 };
/** Milliseconds between two lines of the log about clients that got no address. */
const LOG_PAUSE = 10_000;

/** What the server stands on. */
export interface DhcpServerDeps {
  /** Decides what a client is told; null for nothing. Throws Problem; anything else means: away. */
  readonly ask: (ask: Ask) => Promise<Told | null>;
  /** What a client of this link was told last; null for a stranger. */
  readonly remembered: (mac: string) => Told | null;
  /** Largest packet of the link in bytes; null when it is not known. */
  readonly mtu: () => number | null;
  readonly log: LogMethod;
  /** Milliseconds; default the process's own clock. */
  readonly clock?: () => number;
}

/** How a link is spoken to; false when it went wrong. */
export type Send = (answer: Outgoing) => boolean;

/** What happened to the messages of a link. */
export interface DhcpCounts {
  readonly answered: number;
  /** Malformed, not for us, or more than can be worked on. */
  readonly dropped: number;
  /** The router had no answer. */
  readonly failed: number;
}

/** Answers the clients of one link. Never throws: what a stranger sends ends no process. */
export class DhcpServer {
  readonly #link: string;
  readonly #deps: DhcpServerDeps;
  readonly #strangers: Bucket;
  readonly #clock: () => number;
  readonly #waiting = { known: 0, unknown: 0 };
  #quietUntil = -Infinity;
  /** Clients without an address that the log was not told of. */
  #untold = 0;
  #counts = { answered: 0, dropped: 0, failed: 0 };

  constructor(link: string, deps: DhcpServerDeps) {
    this.#link = link;
    this.#deps = deps;
    this.#clock = deps.clock ?? performance.now.bind(performance);
    this.#strangers = new Bucket(STRANGERS.rate, STRANGERS.burst, this.#clock);
  }

  get counts(): DhcpCounts {
    return { ...this.#counts };
  }

  /** Takes one datagram and sends what is to be answered. */
  async take(bytes: Uint8Array, send: Send): Promise<void> {
    const message = decodeDhcp(bytes);
    const kind = message === null ? null : askKind(message);
    if (message === null || kind === null || isGroupMac(message.mac)) return this.#drop();
    const who = this.#deps.remembered(message.mac) === null ? "unknown" : "known";
    if (this.#waiting[who] >= AT_ONCE) return this.#drop();
    if (who === "unknown" && !this.#strangers.take()) return this.#drop();
    this.#waiting[who]++;
    try {
      const told = await this.#told(message, kind);
      if (told === null) return;
      const reply = dhcpReply(message, { lease: told, mtu: this.#deps.mtu() });
      if (reply === null) return;
      const sent = send(outgoing(reply, told));
      this.#counts[sent ? "answered" : "failed"]++;
    } catch (error) {
      this.#counts.failed++;
      this.#tell(message.mac, error);
    } finally {
      this.#waiting[who]--;
    }
  }

  /** The api's word; while it is away, what the client was told before. */
  async #told(message: DhcpMessage, kind: Ask["kind"]): Promise<Told | null> {
    try {
      // Whether it chose another server is the api's to say: after a renumbering what is remembered
      // here names the router by its old address for a while.
      return await this.#deps.ask(question(message, { kind, link: this.#link }));
    } catch (error) {
      const before = this.#deps.remembered(message.mac);
      if (error instanceof Problem || before === null) throw error;
      return before;
    }
  }

  #drop(): void {
    this.#counts.dropped++;
  }

  /** A line of the log for the first of many: a stranger must not fill the disk. */
  #tell(mac: string, error: unknown): void {
    const now = this.#clock();
    if (now < this.#quietUntil) {
      this.#untold++;
      return;
    }
    const detail = error instanceof Problem ? error.message : String(error);
    const more = this.#untold > 0 ? { untold: this.#untold } : {};
    this.#deps.log("dhcp.request_failed", "A client got no address", {
      link: this.#link,
      mac,
      detail,
      ...more,
    });
    this.#quietUntil = now + LOG_PAUSE;
    this.#untold = 0;
  }
}

function question(message: DhcpMessage, about: Pick<Ask, "kind" | "link">): Ask {
  const vendor = message.options.get(OPTION.vendorClass) ?? new Uint8Array();
  return {
    ...about,
    mac: message.mac,
    name: sentName(message),
    clientId: sentIdentifier(message),
    wanted: wantedAddress(message),
    server: chosenServer(message) ?? "",
    parameters: [...message.options.get(OPTION.parameterList) ?? []].join(","),
    vendorClass: new TextDecoder("latin1").decode(vendor),
  };
}
