import type { PoolUse } from "./pool_use.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { AdmissionLimit } from "../admission/unknown_devices.ts";

/** Kind of the notice that no pool has a free address. */
const POOL_EXHAUSTED = "dhcp-pool-exhausted";
/** Kind of the notice that few addresses are free. */
const POOL_LOW = "dhcp-pool-low";
/** Shares of addresses in use from which that notice is opened, and below which it is resolved. */
const LOW_FROM = 0.8, LOW_CLEARED_BELOW = 0.75;
/** Kind of the notices of unknown devices that get no address, one per interface. */
const DEVICES_LIMITED = "unknown-devices-limited";
/** Kind of the notices of a MAC address seen on two interfaces, one per device. */
const DUPLICATE_MAC = "mac-on-two-interfaces";
/** Kind of the notices of clients whose messages come from another MAC address, one per interface. */
const FOREIGN_SENDER = "dhcp-foreign-sender";

/** Milliseconds between two notices of one kind: a flood of requests is one notice. */
const NOTICE_INTERVAL_MS = 60_000;
/** A MAC address that moves back within so many milliseconds is taken for two machines. */
const MOVE_BACK_WINDOW_MS = 10 * 60_000;
/** Devices whose last move is remembered; the oldest is dropped. */
const MAX_MOVES = 1024;

/** What the notices of leasing need. */
export interface LeaseNoticesDeps {
  readonly notices: NoticeBoard;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

/** A device that got its address on another interface than before. */
export interface LeaseMove {
  readonly identity: string;
  /** Its display name. */
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Opens and resolves the notices about leasing. Never throws: a notice that cannot be stored must not
 * keep a client from its address.
 */
export class LeaseNotices {
  readonly #notices: NoticeBoard;
  readonly #now: () => number;
  readonly #lastMoves = new Map<string, { readonly link: string; readonly at: number }>();
  /** When the notice was last opened; null when resolved, undefined when an earlier run may have opened it. */
  #exhaustedAt: number | null | undefined;

  /** When the notice of an interface was last opened; null when resolved. */
  readonly #limitedAt = new Map<string, number | null>();
  /** The last client of each interface whose messages came from another MAC address. */
  readonly #foreignSenders = new Map<string, string>();
  #poolLow: boolean | undefined;

  constructor({ notices, steady }: LeaseNoticesDeps) {
    this.#notices = notices;
    this.#now = steady;
  }

  /** No address was left for a client. */
  async exhausted(networks: readonly string[]): Promise<void> {
    const now = this.#now();
    if (typeof this.#exhaustedAt === "number" && now - this.#exhaustedAt < NOTICE_INTERVAL_MS) {
      return;
    }
    this.#exhaustedAt = now;
    await ignoreFailure(this.#notices.open(
      POOL_EXHAUSTED,
      `New devices get no address: no address is free in ${
        networks.join(", ")
      }. Devices that have ` +
        "one keep it. Add a subnet, or delete devices that are gone",
    ));
  }

  /** An unknown device on an interface was refused by a limit. */
  async deviceLimited(
    { MAC: mac, Iface: link }: { readonly MAC: string; readonly Iface: string },
    { limit, message }: { readonly limit: AdmissionLimit; readonly message: string },
  ): Promise<void> {
    const now = this.#now();
    const before = this.#limitedAt.get(link);
    if (typeof before === "number" && now - before < NOTICE_INTERVAL_MS) return;
    this.#limitedAt.set(link, now);
    await ignoreFailure(
      this.#notices.open(DEVICES_LIMITED, message, { subject: link, limit, mac }),
    );
  }

  /** An unknown device on an interface got an address. */
  async deviceAdded(link: string): Promise<void> {
    if (this.#limitedAt.get(link) !== null) {
      this.#limitedAt.set(link, null);
      await ignoreFailure(this.#notices.settle(DEVICES_LIMITED, link));
    }
    if (this.#exhaustedAt === null) return;
    this.#exhaustedAt = null;
    await ignoreFailure(this.#notices.settle(POOL_EXHAUSTED));
  }

  /** The use of the pools changed. */
  async poolUse(pools: readonly PoolUse[]): Promise<void> {
    const size = pools.reduce((sum, pool) => sum + pool.size, 0);
    const used = pools.reduce((sum, pool) => sum + pool.used, 0);
    const share = used / size;
    const low = share >= LOW_FROM || (this.#poolLow === true && share >= LOW_CLEARED_BELOW);
    if (low === this.#poolLow) return;
    this.#poolLow = low;
    await ignoreFailure(
      low
        ? this.#notices.open(
          POOL_LOW,
          `${used} of ${size} DHCP addresses are in use. Add a subnet before none is free`,
        )
        : this.#notices.settle(POOL_LOW),
    );
  }

  /** A device moved. One that moves back at once is two machines with the same MAC address. */
  async moved(move: LeaseMove): Promise<void> {
    const { identity, from, to } = move;
    const at = this.#now();
    const before = this.#lastMoves.get(identity);
    this.#lastMoves.delete(identity);
    this.#lastMoves.set(identity, { link: from, at });
    const oldest = this.#lastMoves.keys().next().value;
    if (this.#lastMoves.size > MAX_MOVES && oldest !== undefined) this.#lastMoves.delete(oldest);
    if (before === undefined || before.link !== to || at - before.at > MOVE_BACK_WINDOW_MS) return;
    await this.#openDuplicateMac(
      move,
      `${move.name} requests its address on ${to} and on ${from} in turn: either it was moved ` +
        "back and forth, or another machine uses its MAC address and with it " +
        "its policies",
    );
  }

  /** A client was refused on an interface since the device still answers ARP on its previous one. */
  async refusedMove(move: LeaseMove): Promise<void> {
    const { name, from, to } = move;
    await this.#openDuplicateMac(
      move,
      `A client on ${to} requested the address of ${name}, which still answers on ${from}, and was ` +
        "refused: either both interfaces are bridged together, or another machine uses its MAC " +
        "address and would have got its policies with it",
    );
  }

  /** Messages on an interface name a MAC address and come from another one. */
  async foreignSender(
    { mac, link, name }: { readonly mac: string; readonly link: string; readonly name: string },
  ): Promise<void> {
    this.#foreignSenders.set(link, mac);
    await ignoreFailure(this.#notices.open(
      FOREIGN_SENDER,
      `${name} gets no address on ${link}: its requests come from another MAC address. If it is ` +
        "behind a Wi-Fi repeater or extender, switch that to access point (bridge) mode, or use " +
        "another one: Sluice knows devices by their MAC addresses. Else another machine there " +
        "pretends to be it",
      { subject: link, interface: link, mac },
    ));
  }

  /** A client got its address, which it requested itself. */
  async served(mac: string): Promise<void> {
    for (const [link, missing] of this.#foreignSenders) {
      if (missing !== mac) continue;
      this.#foreignSenders.delete(link);
      await ignoreFailure(this.#notices.settle(FOREIGN_SENDER, link));
    }
  }

  async #openDuplicateMac({ identity, from, to }: LeaseMove, message: string): Promise<void> {
    const data = { subject: identity, interfaces: [from, to].toSorted() };
    await ignoreFailure(this.#notices.open(DUPLICATE_MAC, message, data));
  }
}

function ignoreFailure(work: Promise<void>): Promise<void> {
  return work.catch(() => {});
}
