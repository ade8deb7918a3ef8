import type { PoolUse } from "./pool_use.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { Bound } from "../admission/unknown_devices.ts";

/** Kind of the notice that no address is left. */
const EXHAUSTED = "addresses-exhausted";
/** Kind of the notice that few addresses are left. */
const SCARCE = "addresses-scarce";
/** Shares of the addresses in use from which it is told, and below which it is taken back. */
const FULL_FROM = 0.8, FREE_BELOW = 0.75;
/** Kind of the notices of unknown devices that get no address, one for each link. */
const HELD_BACK = "unknown-devices-held-back";
/** Kind of the notices of cards that ask on two links, one for each device. */
const TWO_PLACES = "card-in-two-places";

/** Milliseconds between two notices of an exhausted pool: a flood of requests is one notice. */
const REPEAT = 60_000;
/** A card that is back on a link within so many milliseconds is taken for two cards: ten minutes. */
const BACK_WITHIN = 10 * 60_000;
/** Most devices whose last move is remembered; the oldest gives way. */
const MOST = 1024;

/** What the notices of leasing need. */
export interface LeaseNoticesDeps {
  readonly notices: NoticeBoard;
  /** Milliseconds of a clock that nobody sets. */
  readonly steady: () => number;
}

/** A device that asked for its address on another link than before. */
export interface LeaseMove {
  readonly identity: string;
  /** What people call it. */
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Tells people what clients that ask for addresses cannot be told. Never throws: a notice that cannot
 * be kept keeps no address back.
 */
export class LeaseNotices {
  readonly #notices: NoticeBoard;
  readonly #now: () => number;
  readonly #left = new Map<string, { readonly link: string; readonly at: number }>();
  /** When it was last told; null when there are addresses, undefined when an earlier run may have told. */
  #toldAt: number | null | undefined;

  /** When it was last told of a link; null when newcomers are let in there, none at first. */
  readonly #heldBack = new Map<string, number | null>();
  #scarce: boolean | undefined;

  constructor({ notices, steady }: LeaseNoticesDeps) {
    this.#notices = notices;
    this.#now = steady;
  }

  /** No address was left for someone who asked. */
  async exhausted(networks: readonly string[]): Promise<void> {
    const now = this.#now();
    if (typeof this.#toldAt === "number" && now - this.#toldAt < REPEAT) return;
    this.#toldAt = now;
    await kept(this.#notices.open(
      EXHAUSTED,
      `New devices get no address, because none is left in ${networks.join(", ")}. Devices that ` +
        "have one keep it. Add a network, or delete devices that are gone",
    ));
  }

  /** An unknown device on a link was refused, by this bound and in these words. */
  async heldBack(
    { MAC: card, Iface: link }: { readonly MAC: string; readonly Iface: string },
    { by, words }: { readonly by: Bound; readonly words: string },
  ): Promise<void> {
    const now = this.#now();
    const before = this.#heldBack.get(link);
    if (typeof before === "number" && now - before < REPEAT) return;
    this.#heldBack.set(link, now);
    await kept(this.#notices.open(HELD_BACK, words, { subject: link, by, card }));
  }

  /** An address was found for a newcomer on a link. */
  async found(link: string): Promise<void> {
    if (this.#heldBack.get(link) !== null) {
      this.#heldBack.set(link, null);
      await kept(this.#notices.settle(HELD_BACK, link));
    }
    if (this.#toldAt === null) return;
    this.#toldAt = null;
    await kept(this.#notices.settle(EXHAUSTED));
  }

  /** So many addresses are in use now. */
  async use(pools: readonly PoolUse[]): Promise<void> {
    const size = pools.reduce((sum, pool) => sum + pool.size, 0);
    const used = pools.reduce((sum, pool) => sum + pool.used, 0);
    const share = used / size;
    const scarce = share >= FULL_FROM || (this.#scarce === true && share >= FREE_BELOW);
    if (scarce === this.#scarce) return;
    this.#scarce = scarce;
    await kept(
      scarce
        ? this.#notices.open(
          SCARCE,
          `${used} of ${size} addresses for devices are in use. Add a network before none is left`,
        )
        : this.#notices.settle(SCARCE),
    );
  }

  /** A device moved. One that comes back at once is two machines with one card, or one that is copied. */
  async moved(move: LeaseMove): Promise<void> {
    const { identity, from, to } = move;
    const at = this.#now();
    const before = this.#left.get(identity);
    this.#left.delete(identity);
    this.#left.set(identity, { link: from, at });
    const oldest = this.#left.keys().next().value;
    if (this.#left.size > MOST && oldest !== undefined) this.#left.delete(oldest);
    if (before === undefined || before.link !== to || at - before.at > BACK_WITHIN) return;
    await this.#twoPlaces(
      move,
      `${move.name} asks for its address on ${to} and on ${from} in turn: either it was plugged ` +
        "from one to the other and back, or another machine uses its card's address and with it " +
        "its policies",
    );
  }

  /** A device that moved answers where it was as well. */
  async stillThere(move: LeaseMove): Promise<void> {
    const { name, from, to } = move;
    await this.#twoPlaces(
      move,
      `${name} got its address on ${to} and still answers on ${from}: either both links are wired ` +
        "together, or another machine uses its card's address and with it its policies",
    );
  }

  async #twoPlaces({ identity, from, to }: LeaseMove, words: string): Promise<void> {
    const data = { subject: identity, links: [from, to].toSorted() };
    await kept(this.#notices.open(TWO_PLACES, words, data));
  }
}

function kept(work: Promise<void>): Promise<void> {
  return work.catch(() => {});
}
