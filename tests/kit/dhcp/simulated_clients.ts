import { bindSocket } from "../sockets/bound_socket.ts";
import { clientFrames, namedIn } from "../sockets/client_frames.ts";
import { clientMessage, MESSAGE, serverAnswer } from "./dhcp_client.ts";

/** How long an answer is waited for, in milliseconds, and how often it is asked for. */
export interface Patience {
  readonly milliseconds: number;
  readonly tries: number;
}

/**
 * Cards that do not exist and ask for an address to the end, all from the machine's own port of DHCP
 * on one link. Returns the address that a client was given, null for none; `xid` and the number after it
 * are used by that client alone.
 */
export function simulateClients(
  link: string,
  { milliseconds, tries }: Patience,
): (mac: string, xid: number) => Promise<string | null> {
  const socket = bindSocket(link, 68);
  const send = clientFrames(link);
  const waiting = new Map<number, (bytes: Uint8Array) => void>();
  void listen();
  return async (mac, xid) => {
    const common = { mac, broadcast: true };
    const offer = await ask(clientMessage({ ...common, type: MESSAGE.discover, xid }), xid);
    if (offer === null) return null;
    const id = offer.options[54] ?? "";
    const request = clientMessage({
      ...common,
      type: MESSAGE.request,
      xid: xid + 1,
      requested: offer.yiaddr,
      server: [0, 2, 4, 6].map((at) => parseInt(id.slice(at, at + 2), 16)).join("."),
    });
    const ack = await ask(request, xid + 1);
    return ack?.type === MESSAGE.ack ? ack.yiaddr : null;
  };

  async function listen(): Promise<void> {
    for (let bytes = await socket.receive(); bytes !== null; bytes = await socket.receive()) {
      waiting.get(new DataView(bytes.buffer, bytes.byteOffset).getUint32(4))?.(bytes);
    }
  }

  async function ask(message: Uint8Array<ArrayBuffer>, xid: number) {
    for (let turn = 0; turn < tries; turn++) {
      const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
      const timer = setTimeout(() => resolve(null), milliseconds);
      waiting.set(xid, resolve);
      send(message, namedIn(message));
      const answer = await promise;
      clearTimeout(timer);
      waiting.delete(xid);
      if (answer !== null) return serverAnswer(answer);
    }
    return null;
  }
}
