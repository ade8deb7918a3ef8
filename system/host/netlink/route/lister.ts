import { Problem } from "../../../core/errors/problem.ts";
import type { Netlink } from "../netlink.ts";
import { verdictWords } from "./errors.ts";
import { FLAG } from "./constants.ts";
import {
  eachMessage,
  type Message,
  type Request,
  type Verdict,
  verdictOf,
  written,
} from "../message.ts";

/** A list that changes while it is read is read again. */
const MAX_ATTEMPTS = 8;
/** Parts of one list at most, of up to 32 KiB each: far beyond what a router has. */
const MAX_PARTS = 8192;

/** EOPNOTSUPP and EAFNOSUPPORT: this kernel was built without the family, so that it has none of it. */
const ABSENT_FAMILY: readonly number[] = [95, 97];

/** How a list ended. */
type End = "whole" | "interrupted";

/** Reads lists and single answers from the kernel over a netlink socket, one at a time. */
export class RtLister {
  readonly #netlink: Netlink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(netlink: Netlink) {
    this.#netlink = netlink;
  }

  /**
   * What `read` makes of each entry of a list; those that it gives null for are left out. A list that
   * changes while it is read is read anew. Throws Problem 502.
   */
  list<T>(request: Request, read: (message: Message) => T | null): Promise<readonly T[]> {
    return this.#turn(async () => {
      for (let left = MAX_ATTEMPTS; left > 0; left--) {
        const found: T[] = [];
        const end = await this.#read(request, (message) => {
          const entry = read(message);
          if (entry !== null) found.push(entry);
        });
        if (end === "whole") return found;
      }
      throw new Problem(502, "The kernel's list changes faster than it can be read");
    });
  }

  /** What `read` makes of the answer to a question; the kernel's verdict where it refuses. */
  ask<T>(request: Request, read: (message: Message) => T): Promise<T | Verdict> {
    return this.#turn(() =>
      this.#netlink.askLater((sequence) => written(request, sequence), (part, sequence) => {
        const answers: (T | Verdict)[] = [];
        eachMessage(part, (message) => {
          if (message.sequence === sequence) answers.push(verdictOf(message) ?? read(message));
        });
        return answers[0] ?? null;
      })
    );
  }

  async close(): Promise<void> {
    await this.#last;
    this.#netlink.close();
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }

  async #read(request: Request, take: (message: Message) => void): Promise<End> {
    const number = await this.#netlink.send((sequence) => written(request, sequence));
    let interrupted = false;
    for (let left = MAX_PARTS; left > 0; left--) {
      let verdict: Verdict | null = null;
      const whole = eachMessage(this.#netlink.next(), (message) => {
        if (message.sequence !== number) return false;
        if ((message.flags & FLAG.interrupted) !== 0) interrupted = true;
        verdict = verdictOf(message);
        if (verdict === null) take(message);
        return verdict !== null;
      });
      if (!whole) throw new Problem(502, "The kernel's list is cut short");
      if (verdict !== null) return ended(verdict, interrupted);
    }
    throw new Problem(502, "The kernel's list does not end");
  }
}

function ended(verdict: Verdict, interrupted: boolean): End {
  if (ABSENT_FAMILY.includes(verdict.error)) return "whole";
  if (verdict.error !== 0) {
    throw new Problem(502, `The kernel lists nothing: ${verdictWords(verdict)}`);
  }
  return interrupted ? "interrupted" : "whole";
}
