import { Problem } from "../../core/errors/problem.ts";
import { acknowledgementOf, eachMessage } from "../netlink/message.ts";
import { type Netlink, openNetlink } from "../netlink/netlink.ts";
import type { ElementBatch } from "./element_batch.ts";

/** Changes elements of sets over a netlink socket of its own, one transaction after the other. */
export class ElementChanges {
  readonly #netlink: Netlink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(netlink: Netlink = openNetlink()) {
    this.#netlink = netlink;
  }

  /** Runs a batch as one transaction. Throws Problem 502 where the kernel took nothing of it. */
  run(batch: ElementBatch): Promise<void> {
    const next = this.#last.then(() => this.#now(batch));
    this.#last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#netlink.close();
  }

  async #now({ bytes, acknowledged }: ElementBatch): Promise<void> {
    const sequence = await this.#netlink.send(bytes);
    let taken = 0, error = 0;
    // The kernel has committed or refused by the time that the message is sent.
    this.#netlink.drain((part) =>
      void eachMessage(part, (message) => {
        const ack = message.sequence === sequence ? acknowledgementOf(message) : null;
        if (ack?.error === 0) taken++;
        else if (ack !== null) error ||= ack.error;
      })
    );
    if (error === 0 && taken === acknowledged) return;
    throw new Problem(502, `The kernel refused elements of a set (error ${error})`);
  }
}
