import { Problem } from "../../../core/errors/problem.ts";
import {
  LOG_GROUPS,
  type LoggedPacket,
  type PacketReport,
} from "../../../core/kernel/logged_packet.ts";
import { acknowledgementOf, eachMessage, encodeMessage } from "../message.ts";
import { type Netlink, openNetlink } from "../netlink.ts";
import { interfaceName } from "../../sockets/interface_facts.ts";
import { bindRequest, type RawPacket, readPacket } from "./messages.ts";
import { PacketLimiter } from "./packet_limiter.ts";

/** Between two reads. */
const POLL_INTERVAL_MS = 100;
/**
 * Parts of some 4 KiB that one read takes of each group at most, so that a flood leaves the loop to
 * others; the kernel drops what its queue does not hold.
 */
const PARTS_PER_POLL = 48;
/** Milliseconds that the name of an interface is taken to stay. */
const NAME_AGE_MS = 2000;
/** Of asm-generic/errno-base.h: how the kernel refuses a group that another socket has. */
const TAKEN: ReadonlySet<number> = new Set([1, 16]); // EPERM, EBUSY

/** Reads the packets of log groups of this network namespace until it is closed. */
export class PacketLog {
  readonly #sockets: readonly Netlink[];
  readonly #report: (report: PacketReport) => void;
  readonly #limiter = new PacketLimiter();
  readonly #sequences = new Map<number, number>();
  readonly #names = new Map<number, { readonly name: string; readonly at: number }>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isClosed = false;

  /** Throws Problem 409 where another program reads one of the groups, 502 or 503. */
  constructor(report: (report: PacketReport) => void) {
    const sockets: Netlink[] = [];
    try {
      for (const group of Object.values(LOG_GROUPS)) sockets.push(openGroup(group));
    } catch (error) {
      for (const socket of sockets) socket.close();
      throw error;
    }
    this.#sockets = sockets;
    this.#report = report;
    this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS);
  }

  /** Once or more often. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.close();
  }

  #poll(): void {
    const now = performance.now();
    let lost = 0;
    for (const socket of this.#sockets) {
      socket.drain((part) =>
        eachMessage(part, (message) => {
          const raw = readPacket(message);
          if (raw === null) return;
          lost += this.#gap(raw);
          const report = this.#limiter.take(this.#named(raw, now), now);
          if (report === null) return;
          if ("lost" in report) lost += report.lost;
          else this.#report(report);
        }), PARTS_PER_POLL);
    }
    for (const report of this.#limiter.due(now)) this.#report(report);
    if (lost > 0) this.#report({ lost });
  }

  /** Packets of the group that the kernel dropped since the last. */
  #gap({ group, sequence }: RawPacket): number {
    const before = this.#sequences.get(group);
    if (sequence === null) return 0;
    this.#sequences.set(group, sequence);
    return before === undefined ? 0 : Math.max(0, sequence - before - 1);
  }

  #named({ inIndex, outIndex, sequence: _, at, ...packet }: RawPacket, now: number): LoggedPacket {
    return {
      ...packet,
      at: at ?? Date.now(),
      inDev: this.#name(inIndex, now),
      outDev: this.#name(outIndex, now),
    };
  }

  #name(index: number, now: number): string {
    if (index === 0) return "";
    const known = this.#names.get(index);
    if (known !== undefined && now - known.at < NAME_AGE_MS) return known.name;
    // One that has gone meanwhile keeps the name that it had.
    const name = interfaceName(index) ?? known?.name ?? "";
    this.#names.set(index, { name, at: now });
    return name;
  }
}

function openGroup(group: number): Netlink {
  const socket = openNetlink();
  const bind = (conntrack: boolean): number =>
    socket.request<number>(
      (sequence) => encodeMessage(bindRequest(group, conntrack), sequence),
      (answer, wanted) => {
        let error: number | null = null;
        eachMessage(answer, (message) => {
          const acknowledged = acknowledgementOf(message);
          if (acknowledged === null || message.sequence !== wanted) return;
          error = acknowledged.error;
        });
        return error;
      },
    );
  try {
    let error = bind(true);
    // A kernel without connections in its log.
    if (error !== 0 && !TAKEN.has(error)) error = bind(false);
    if (error === 0) return socket;
    throw TAKEN.has(error)
      ? new Problem(409, `Another program reads log group ${group}`)
      : new Problem(502, `The kernel gives no log group ${group} (error ${error})`);
  } catch (error) {
    socket.close();
    throw error;
  }
}
