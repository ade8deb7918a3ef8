import type { Flow } from "../../../core/kernel/host.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { acknowledged, deletionMessage } from "./deletion.ts";
import type { Netlink } from "../netlink.ts";

/** Deletions between two breaths of the event loop. */
const BATCH = 500;

/**
 * Ends TCP and UDP connections by the kernel's own messages, a few microseconds each; one that is
 * gone already is no error. Throws Problem 502.
 */
export async function cutByMessage(netlink: Netlink, flows: readonly Flow[]): Promise<void> {
  for (const [position, flow] of flows.entries()) {
    if (position > 0 && position % BATCH === 0) await new Promise((go) => setTimeout(go, 0));
    const error = netlink.ask((sequence) => deletionMessage(flow, sequence), acknowledged);
    if (error !== 0) {
      throw new Problem(502, `The kernel refused to end a connection (error ${error})`);
    }
  }
}
