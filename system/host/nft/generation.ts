import type { Netlink } from "../netlink/netlink.ts";

/** linux/netfilter/nf_tables.h: each committed transaction raises the generation by one. */
const GET_GENERATION = 10 << 8 | 16;
const NEW_GENERATION = 10 << 8 | 15;
const NLM_F_REQUEST = 1;
const NFTA_GEN_ID = 1;
/** Length of a netlink header and of nfnetlink's, before the attributes. */
const HEADERS = 20;

const POLL_INTERVAL_MS = 1000;

/** The number of the ruleset's generation. Throws Problem 502. */
export function readGeneration(netlink: Netlink): number {
  return netlink.request(generationRequest, generationOf);
}

/** The request for the generation. */
function generationRequest(sequence: number): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(HEADERS);
  const view = new DataView(message.buffer);
  view.setUint32(0, HEADERS, true);
  view.setUint16(4, GET_GENERATION, true);
  view.setUint16(6, NLM_F_REQUEST, true);
  view.setUint32(8, sequence, true);
  return message;
}

/** The generation in an answer; null when it answers another message. */
export function generationOf(answer: Uint8Array, sequence: number): number | null {
  if (answer.length < HEADERS) return null;
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  if (view.getUint16(4, true) !== NEW_GENERATION || view.getUint32(8, true) !== sequence) {
    return null;
  }
  for (let at = HEADERS; at + 8 <= answer.length;) {
    const length = view.getUint16(at, true);
    if (view.getUint16(at + 2, true) === NFTA_GEN_ID) return view.getUint32(at + 4, false);
    if (length < 4) return null;
    at += (length + 3) & ~3;
  }
  return null;
}

/** Detects transactions of other programs by the generation, which each of ours raises by one. */
export class GenerationWatch {
  readonly #read: () => number;
  readonly #onForeign: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #known: number;
  #last: Promise<unknown> = Promise.resolve();
  #busy = false;

  constructor(read: () => number, foreign: () => void) {
    this.#read = read;
    this.#onForeign = foreign;
    this.#known = read();
    this.#timer = setInterval(() => this.check(), POLL_INTERVAL_MS);
  }

  /** Runs a transaction of Sluice, one at a time. */
  during(transaction: () => Promise<void>): Promise<void> {
    const next = this.#last.then(async () => {
      this.check();
      const before = this.#known;
      this.#busy = true;
      try {
        await transaction();
        this.#settle(before, 1);
      } catch (error) {
        // A refused transaction does not raise the generation.
        this.#settle(before, 0);
        throw error;
      } finally {
        this.#busy = false;
      }
    });
    this.#last = next.catch(() => {});
    return next;
  }

  /** Compares the generation with the last one of ours. */
  check(): void {
    if (!this.#busy) this.#settle(this.#known, 0);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #settle(before: number, own: number): void {
    try {
      this.#known = this.#read();
    } catch {
      // The next poll retries.
      return;
    }
    // An unsigned 32-bit counter that may wrap around.
    if (((this.#known - before) >>> 0) > own) this.#onForeign();
  }
}
