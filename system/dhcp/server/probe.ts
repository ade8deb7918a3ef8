import { EVERYONE, type Outgoing } from "./frame.ts";
import { discoverMessage, offeringServer } from "./packet.ts";

/** How often it is asked, and for how many milliseconds an answer is waited for each time. */
const TRIES = 2, PATIENCE = 1000;

/** How a link is spoken to and listened to. */
export interface ProbeLink {
  /** Sends as a client does, to servers. */
  send(message: Outgoing): boolean;
  /** The next datagram to clients; null when none came in a while. */
  receive(): Promise<Uint8Array | null>;
  readonly clock: () => number;
}

/** Looks for another DHCP server on a link: its address, or null when none answers (RFC 2131 4.4.1). */
export async function probe(link: ProbeLink, signal: AbortSignal): Promise<string | null> {
  const random = crypto.getRandomValues(new Uint8Array(9));
  const xid = new DataView(random.buffer).getUint32(0);
  // A locally administered card that nobody has.
  const message = discoverMessage(xid, Uint8Array.of(2, ...random.subarray(4)));
  for (let turn = 0; turn < TRIES; turn++) {
    link.send({ message, source: "0.0.0.0", ...EVERYONE });
    const until = link.clock() + PATIENCE;
    while (link.clock() < until) {
      if (signal.aborted) return null;
      const bytes = await link.receive();
      const server = bytes === null ? null : offeringServer(bytes, xid);
      if (server !== null) return server;
    }
  }
  return null;
}
