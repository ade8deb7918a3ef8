import type { Netlink } from "../netlink/netlink.ts";

/** linux/netfilter/nf_tables.h: each transaction that stands raises the generation by one. */
const GET_GENERATION = 10 << 8 | 16;
const NEW_GENERATION = 10 << 8 | 15;
const NLM_F_REQUEST = 1;
const NFTA_GEN_ID = 1;
/** Length of a netlink header and of nfnetlink's, before the attributes. */
const HEADERS = 20;

/** Milliseconds between two looks at the generation. */
const LOOK = 1000;

/** The number of the ruleset's generation. Throws Problem 502. */
export function readGeneration(netlink: Netlink): number {
  return netlink.ask(generationRequest, generationOf);
}

/** The message that asks for the generation. */
export function generationRequest(sequence: number): Uint8Array<ArrayBuffer> {
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

/** Notices transactions of others by the generation, which ours raise by one each. */
export class GenerationWatch {
  readonly #read: () => number;
  readonly #foreign: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #known: number;
  #last: Promise<unknown> = Promise.resolve();
  #busy = false;

  constructor(read: () => number, foreign: () => void) {
    this.#read = read;
    this.#foreign = foreign;
    this.#known = read();
    this.#timer = setInterval(() => this.look(), LOOK);
  }

  /** Runs a transaction of ours after those before it. */
  during(transaction: () => Promise<void>): Promise<void> {
    const next = this.#last.then(async () => {
      this.look();
      const before = this.#known;
      this.#busy = true;
      try {
        await transaction();
        this.#settle(before, 1);
      } catch (error) {
        // What is refused makes no generation.
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
  look(): void {
    if (!this.#busy) this.#settle(this.#known, 0);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #settle(before: number, own: number): void {
    try {
      this.#known = this.#read();
    } catch {
      // The next look tells.
      return;
    }
    // An unsigned counter of 32 bits that may start anew.
    if (((this.#known - before) >>> 0) > own) this.#foreign();
  }
}
