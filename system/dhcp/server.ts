import { isGroupMac } from "../core/net.ts";
import { Problem } from "../core/problem.ts";
import { dhcpReply, needsLease, replyAddress, sentName } from "./answer_rules.ts";
import { decodeDhcp, type DhcpMessage, encodeDhcp, OPTION } from "./packet.ts";
import type { DhcpAnswer } from "./schema.ts";

/** Port of clients (RFC 2131 4.1). */
const CLIENT_PORT = 68;
/** Requests of one link that may wait for the api at once; more are dropped, and clients ask again. */
const AT_ONCE = 64;

/** Milliseconds between two lines of the log about clients that got no address. */
const LOG_PAUSE = 10_000;

/** What the DHCP server asks of the router for a client. */
export interface LeaseQuestion {
  readonly MAC: string;
  readonly Iface: string;
  readonly Name: string;
  readonly ParamReqList: string;
  readonly VendorClass: string;
}

/** What the server stands on. */
export interface DhcpServerDeps {
  /** Decides the address of a client; throws Problem. */
  readonly lease: (question: LeaseQuestion) => Promise<DhcpAnswer>;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Milliseconds; default the process's own clock. */
  readonly clock?: () => number;
}

/** How a link is spoken to. */
export type Send = (bytes: Uint8Array<ArrayBuffer>, address: string, port: number) => boolean;

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
  #waiting = 0;
  #quietUntil = -Infinity;
  /** Clients without an address that the log was not told of. */
  #untold = 0;
  #counts = { answered: 0, dropped: 0, failed: 0 };

  constructor(link: string, deps: DhcpServerDeps) {
    this.#link = link;
    this.#deps = deps;
  }

  get counts(): DhcpCounts {
    return { ...this.#counts };
  }

  /** Takes one datagram and sends what is to be answered. */
  async take(bytes: Uint8Array, send: Send): Promise<void> {
    const message = decodeDhcp(bytes);
    const usable = message !== null && needsLease(message) && !isGroupMac(message.mac);
    if (!usable || this.#waiting >= AT_ONCE) {
      this.#counts.dropped++;
      return;
    }
    this.#waiting++;
    try {
      const reply = dhcpReply(message, await this.#deps.lease(question(message, this.#link)));
      if (reply === null) return;
      const sent = send(encodeDhcp(reply), replyAddress(reply), CLIENT_PORT);
      this.#counts[sent ? "answered" : "failed"]++;
    } catch (error) {
      this.#counts.failed++;
      this.#tell(message.mac, error);
    } finally {
      this.#waiting--;
    }
  }

  /** A line of the log for the first of many: a stranger must not fill the disk. */
  #tell(mac: string, error: unknown): void {
    const now = (this.#deps.clock ?? performance.now.bind(performance))();
    if (now < this.#quietUntil) {
      this.#untold++;
      return;
    }
    const detail = error instanceof Problem ? error.message : String(error);
    const more = this.#untold > 0 ? { untold: this.#untold } : {};
    this.#deps.log("A client got no address", { link: this.#link, mac, detail, ...more });
    this.#quietUntil = now + LOG_PAUSE;
    this.#untold = 0;
  }
}

function question(message: DhcpMessage, link: string): LeaseQuestion {
  const vendor = message.options.get(OPTION.vendorClass) ?? new Uint8Array();
  return {
    MAC: message.mac,
    Iface: link,
    Name: sentName(message),
    ParamReqList: [...message.options.get(OPTION.parameterList) ?? []].join(","),
    VendorClass: new TextDecoder("latin1").decode(vendor),
  };
}
