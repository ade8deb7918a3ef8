import { BROADCAST, type OutgoingMessage } from "./frame.ts";
import { discoverMessage, macBytes, offeringServer } from "./packet.ts";

/** DISCOVERs that are sent, and the time to wait for an offer to each. */
const MAX_PROBES = 2, OFFER_TIMEOUT_MS = 1000;

/** An interface as a DHCP client uses it. */
export interface ProbeLink {
  /** Sends as a client does, to servers. */
  send(message: OutgoingMessage): boolean;
  /** The next datagram to clients; null when none came in a while. */
  receive(): Promise<Uint8Array | null>;
  readonly clock: () => number;
  /** The router's own MAC address on it. */
  readonly mac: string;
}

/** Looks for another DHCP server on an interface: its address, or null when none answers (RFC 2131 4.4.1). */
export async function probeForServer(link: ProbeLink, signal: AbortSignal): Promise<string | null> {
  const [xid = 0] = crypto.getRandomValues(new Uint32Array(1));
  // Its own MAC address, since switches and servers drop what names another one than it comes from,
  // and a server that gets many requests reserves a single address.
  const message = discoverMessage(xid, Uint8Array.from(macBytes(link.mac)));
  for (let attempt = 0; attempt < MAX_PROBES; attempt++) {
    link.send({ message, source: "0.0.0.0", ...BROADCAST });
    const until = link.clock() + OFFER_TIMEOUT_MS;
    while (link.clock() < until) {
      if (signal.aborted) return null;
      const bytes = await link.receive();
      const server = bytes === null ? null : offeringServer(bytes, xid);
      if (server !== null) return server;
    }
  }
  return null;
}
