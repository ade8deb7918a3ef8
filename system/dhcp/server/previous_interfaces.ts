import type { Neighbour } from "./arp_probe.ts";

/** Milliseconds for which a device that was found, or not, counts as being there, or not. */
const KNOWN_MS = 5000;
/** Milliseconds between two reports about one device. */
const REPORT_INTERVAL_MS = 60_000;
/** Probes at the same time because of claims from one interface; further claims are refused. */
const MAX_PROBES = 4;
/** Devices whose result is remembered; the oldest is dropped. */
const MAX_RESULTS = 256;

/** A client's message from another interface than the device was last seen on. */
export interface Claim {
  readonly neighbour: Neighbour;
  /** Where the device was last seen. */
  readonly from: string;
  /** Where the message came in. */
  readonly to: string;
}

/** Dependencies of {@link PreviousInterfaces}. */
export interface PreviousInterfacesDeps {
  /** True when the device answers on an interface. Throws when the interface cannot be used. */
  readonly answers: (link: string, neighbour: Neighbour) => Promise<boolean>;
  /** Reports a refused claim. Must not throw. */
  readonly report: (claim: Claim) => void;
  /** Milliseconds. */
  readonly clock: () => number;
}

/**
 * Whether a device may be served on another interface than before. As long as it answers on its previous
 * one, a client that uses its name elsewhere is another one, or both interfaces are one network.
 */
export class PreviousInterfaces {
  readonly #deps: PreviousInterfacesDeps;
  readonly #results = new Map<
    string,
    { readonly at: number; readonly gone: Promise<boolean>; reportedAt: number }
  >();
  readonly #probing = new Map<string, number>();
  readonly #jobs = new Set<Promise<unknown>>();

  constructor(deps: PreviousInterfacesDeps) {
    this.#deps = deps;
  }

  /** True when the device is gone from its previous interface. */
  async isGone(claim: Claim): Promise<boolean> {
    const { neighbour: { mac }, from, to } = claim;
    const key = `${mac} ${from} ${to}`;
    const now = this.#deps.clock();
    let known = this.#results.get(key);
    if (known === undefined || now - known.at >= KNOWN_MS) {
      if ((this.#probing.get(to) ?? 0) >= MAX_PROBES) return false;
      const reportedAt = known?.reportedAt ?? -Infinity;
      this.#results.delete(key);
      this.#results.set(key, known = { at: now, gone: this.#probe(claim), reportedAt });
      const oldest = this.#results.keys().next().value;
      if (this.#results.size > MAX_RESULTS && oldest !== undefined) this.#results.delete(oldest);
    }
    if (await known.gone) return true;
    if (now - known.reportedAt >= REPORT_INTERVAL_MS) {
      known.reportedAt = now;
      this.#deps.report(claim);
    }
    return false;
  }

  /** Resolves when no probe runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#jobs);
  }

  #probe({ neighbour, from, to }: Claim): Promise<boolean> {
    this.#probing.set(to, (this.#probing.get(to) ?? 0) + 1);
    const job = this.#deps.answers(from, neighbour)
      // An interface that cannot be used any more has nobody on it.
      .then((answers) => !answers, () => true)
      .finally(() => {
        this.#jobs.delete(job);
        const left = this.#probing.get(to)! - 1;
        if (left > 0) this.#probing.set(to, left);
        else this.#probing.delete(to);
      });
    this.#jobs.add(job);
    return job;
  }
}
