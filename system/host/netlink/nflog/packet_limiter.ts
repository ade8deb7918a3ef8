import type { LoggedPacket, PacketReport } from "../../../core/kernel/logged_packet.ts";

/** How many packets are reported. */
export interface Limits {
  /** Packets of one rule and source in each window. */
  readonly perSource: number;
  readonly windowMs: number;
  /** Rules and sources that are told apart; those beyond are counted for their rule alone. */
  readonly sources: number;
  /** Rules that are told apart. */
  readonly rules: number;
  /** Packets of everyone in a second; those beyond are counted. */
  readonly perSecond: number;
}

export const LIMITS: Limits = {
  perSource: 5,
  windowMs: 10_000,
  sources: 256,
  rules: 64,
  perSecond: 50,
};

interface Window {
  readonly from: number;
  passed: number;
  held: number;
  /** The latest of those that were held back. */
  last: LoggedPacket | null;
}

const SECOND_MS = 1000;

/**
 * Lets the first packets of each rule and source through and counts the others, which the last of
 * them stands for when its window ends. Every packet is in one report or counted in one.
 */
export class PacketLimiter {
  readonly #limits: Limits;
  readonly #windows = new Map<string, Window>();
  #second = -Infinity;
  #inSecond = 0;

  constructor(limits: Limits = LIMITS) {
    this.#limits = limits;
  }

  /** The report of a packet at this time in milliseconds; null where it is counted instead. */
  take(packet: LoggedPacket, now: number): PacketReport | null {
    const { perSource, perSecond } = this.#limits;
    const window = this.#window(packet, now);
    if (window === null) return { lost: 1 };
    if (now - this.#second >= SECOND_MS) [this.#second, this.#inSecond] = [now, 0];
    if (window.passed < perSource && this.#inSecond < perSecond) {
      window.passed++;
      this.#inSecond++;
      return { packet, more: 0 };
    }
    window.held++;
    window.last = packet;
    return null;
  }

  /** The reports of windows that have ended by now. */
  due(now: number): readonly PacketReport[] {
    const reports: PacketReport[] = [];
    for (const [key, { from, held, last }] of this.#windows) {
      if (now - from < this.#limits.windowMs && now >= from) continue;
      this.#windows.delete(key);
      if (last !== null) reports.push({ packet: last, more: held - 1 });
    }
    return reports;
  }

  #window(packet: LoggedPacket, now: number): Window | null {
    const { sources, rules } = this.#limits;
    const rule = `${packet.group} ${packet.prefix}`;
    const source = packet.IP?.SrcIP ?? packet.Ethernet?.SrcMAC ?? "";
    const known = this.#windows.get(`${rule} ${source}`);
    if (known !== undefined) return known;
    const isFull = this.#windows.size >= sources;
    const key = isFull ? rule : `${rule} ${source}`;
    const shared = this.#windows.get(key);
    if (shared !== undefined) return shared;
    if (this.#windows.size >= sources + rules) return null;
    const window: Window = { from: now, passed: 0, held: 0, last: null };
    this.#windows.set(key, window);
    return window;
  }
}
