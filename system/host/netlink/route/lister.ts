import { Problem } from "../../../core/errors/problem.ts";
import type { Netlink } from "../netlink.ts";
import { errorText } from "./errors.ts";
import { FLAG } from "./constants.ts";
import {
  type Acknowledgement,
  acknowledgementOf,
  eachMessage,
  encodeMessage,
  type Message,
  type Request,
} from "../message.ts";

/** A list that changes while it is read is read again. */
const MAX_ATTEMPTS = 8;
/** Of up to 32 KiB each: far more than a router has. */
const MAX_PARTS = 8192;

/** EOPNOTSUPP and EAFNOSUPPORT: this kernel was built without the family, so it has no entries. */
const ABSENT_FAMILY: readonly number[] = [95, 97];

/** How a list ended. */
type End = "whole" | "interrupted";

/** Reads lists and single objects from the kernel over a netlink socket, one request at a time. */
export class RtLister {
  readonly #netlink: Netlink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(netlink: Netlink) {
    this.#netlink = netlink;
  }

  /**
   * The entries of a list, decoded by `read`, which returns null for those to skip. A list that changes
   * while it is read is read again. `follows`: another list was read for the same purpose before, so that
   * nothing is known to keep the kernel from answering at once; a list that is read again shows that others
   * change it, and each further request is sent off the event loop. Throws Problem 502.
   */
  list<T>(
    request: Request,
    read: (message: Message) => T | null,
    { follows = false }: { readonly follows?: boolean } = {},
  ): Promise<readonly T[]> {
    return this.#enqueue(async () => {
      for (let left = MAX_ATTEMPTS; left > 0; left--) {
        const found: T[] = [];
        const message = (sequence: number) => encodeMessage(request, sequence);
        const isAtOnce = follows && left === MAX_ATTEMPTS;
        const number = isAtOnce
          ? this.#netlink.sendNow(message)
          : await this.#netlink.send(message);
        const end = this.#read(number, (message) => {
          const entry = read(message);
          if (entry !== null) found.push(entry);
        });
        if (end === "whole") return found;
      }
      throw new Problem(502, "The kernel's list changes faster than it can be read");
    });
  }

  /** The answer to a request, decoded by `read`; the kernel's acknowledgement where it refuses. */
  query<T>(request: Request, read: (message: Message) => T): Promise<T | Acknowledgement> {
    return this.#enqueue(() =>
      this.#netlink.requestAsync(
        (sequence) => encodeMessage(request, sequence),
        (part, sequence) => {
          const answers: (T | Acknowledgement)[] = [];
          eachMessage(part, (message) => {
            if (message.sequence === sequence) {
              answers.push(acknowledgementOf(message) ?? read(message));
            }
          });
          return answers[0] ?? null;
        },
      )
    );
  }

  async close(): Promise<void> {
    await this.#last;
    this.#netlink.close();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Reads the parts of the answer to the request of this number. */
  #read(number: number, take: (message: Message) => void): End {
    let interrupted = false;
    for (let left = MAX_PARTS; left > 0; left--) {
      let ack: Acknowledgement | null = null;
      const whole = eachMessage(this.#netlink.next(), (message) => {
        if (message.sequence !== number) return false;
        if ((message.flags & FLAG.interrupted) !== 0) interrupted = true;
        ack = acknowledgementOf(message);
        if (ack === null) take(message);
        return ack !== null;
      });
      if (!whole) throw new Problem(502, "The kernel's list is cut short");
      if (ack !== null) return ended(ack, interrupted);
    }
    throw new Problem(502, "The kernel's list does not end");
  }
}

function ended(ack: Acknowledgement, interrupted: boolean): End {
  if (ABSENT_FAMILY.includes(ack.error)) return "whole";
  if (ack.error !== 0) {
    throw new Problem(502, `The kernel lists nothing: ${errorText(ack)}`);
  }
  return interrupted ? "interrupted" : "whole";
}
