import { pause } from "../../core/time/pause.ts";
import type { Snapshot } from "../api_schema.ts";
import { arpPacket, REPLY } from "./arp_packet.ts";

/**
 * Milliseconds before each announcement of a move. A frame may be lost while a station changes access
 * points, its interface may appear after its report, and Linux ignores a reply within a second of the
 * last change of an entry (`locktime` of arp(7)).
 */
const ANNOUNCEMENT_DELAYS_MS = [0, 300, 1500] as const;

/** A device whose path leads to another interface than before. */
export interface Move {
  readonly mac: string;
  readonly address: string;
  /** The router's address in the device's network. */
  readonly gateway: string;
  /** The interface where the device is now. */
  readonly link: string;
}

/** An interface that announcements are sent on. */
export interface AnnouncingLink {
  /** The router's own MAC address on the interface. */
  readonly mac: string;
  /** Sends an ARP packet to a MAC address. */
  send(packet: Uint8Array<ArrayBuffer>, mac: string): void;
  close(): void;
}

/** Dependencies of {@link GatewayAnnouncements}. */
export interface GatewayAnnouncementsDeps {
  /** Opens an interface; null for a missing one. Throws when it cannot be used. */
  readonly open: (link: string) => AnnouncingLink | null;
  /** Reports an interface that could not be used. Must not throw. */
  readonly failed: (link: string, error: unknown) => void;
  /** Waits for milliseconds, or until the end. */
  readonly wait?: (milliseconds: number, ending: AbortSignal) => Promise<void>;
  readonly ending: AbortSignal;
}

/** Where the path of each client led when it last led anywhere, by its MAC address; null for never. */
export type LastPaths = ReadonlyMap<string, string | null>;

/** The paths after a snapshot; those of clients that it does not list are forgotten. */
export function lastPaths(
  before: LastPaths,
  { leases }: Pick<Snapshot, "leases">,
): LastPaths {
  return new Map(leases.map(({ mac, path }) => [mac, path ?? before.get(mac) ?? null]));
}

/**
 * Devices whose path leads to another interface than it last did, and those that were not listed:
 * snapshots are coalesced, so that a device may have had its lease on a third interface between them.
 * A first path is no move: until the kernel is loaded, as after a start, no device has one.
 */
export function movedDevices(
  before: LastPaths,
  after: Pick<Snapshot, "leases">,
): readonly Move[] {
  return after.leases.flatMap(({ mac, path, lease }) => {
    const last = before.get(mac);
    return path === null || last === null || last === path
      ? []
      : [{ mac, address: lease.IP, gateway: lease.RouterIP, link: path }];
  });
}

/** An ARP reply for one device that its gateway has this MAC address (RFC 826). */
export function gatewayAnnouncement(mac: string, move: Move): Uint8Array<ArrayBuffer> {
  return arpPacket(REPLY, {
    sender: { mac, address: move.gateway },
    target: { mac: move.mac, address: move.address },
  });
}

/**
 * Announces the gateway to devices that moved. Interfaces have different MAC addresses, and a device that
 * keeps its ARP entry would send to the former one, where no frame is accepted, until the entry expires.
 */
export class GatewayAnnouncements {
  readonly #deps: GatewayAnnouncementsDeps;
  /** Where each device is that is announced to: its last move alone counts. */
  readonly #current = new Map<string, Move>();
  readonly #jobs = new Set<Promise<void>>();

  constructor(deps: GatewayAnnouncementsDeps) {
    this.#deps = deps;
  }

  /** Starts announcing the gateway to devices that moved. */
  announce(moves: readonly Move[]): void {
    if (moves.length === 0) return;
    for (const move of moves) this.#current.set(move.mac, move);
    const job = this.#repeat(moves).finally(() => this.#jobs.delete(job));
    this.#jobs.add(job);
  }

  /** Resolves when nothing is announced any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#jobs);
  }

  async #repeat(moves: readonly Move[]): Promise<void> {
    const { ending, wait = pause } = this.#deps;
    const isCurrent = (move: Move): boolean => this.#current.get(move.mac) === move;
    for (const delay of ANNOUNCEMENT_DELAYS_MS) {
      if (delay > 0) await wait(delay, ending);
      if (ending.aborted) return;
      const byLink = Map.groupBy(moves.filter(isCurrent), ({ link }) => link);
      for (const [link, here] of byLink) this.#send(link, here);
    }
    for (const move of moves) if (isCurrent(move)) this.#current.delete(move.mac);
  }

  #send(link: string, moves: readonly Move[]): void {
    try {
      const at = this.#deps.open(link);
      if (at === null) return;
      try {
        for (const move of moves) at.send(gatewayAnnouncement(at.mac, move), move.mac);
      } finally {
        at.close();
      }
    } catch (error) {
      this.#deps.failed(link, error);
    }
  }
}
