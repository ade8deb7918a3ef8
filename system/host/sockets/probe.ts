import { echoRequest } from "./ping.ts";
import { openEchoSocket } from "./echo_socket.ts";

/**
 * Sends one ICMP echo to a host through one interface; milliseconds until the reply, null on a
 * timeout. Throws Problem for a missing interface.
 */
export async function probe(
  { link, address, milliseconds }: {
    readonly link: string;
    readonly address: string;
    readonly milliseconds: number;
  },
): Promise<number | null> {
  using socket = openEchoSocket({ link, address });
  const id = crypto.getRandomValues(new Uint16Array(1))[0]!;
  const { bytes, isReply } = echoRequest({ isIpv6: false, id, sequence: 0 });
  const sent = performance.now();
  if (!socket.send(bytes)) return null;
  for (;;) {
    const left = sent + milliseconds - performance.now();
    if (left <= 0) return null;
    const message = await socket.receive(left);
    if (message === null) return null;
    if (isReply(message)) return performance.now() - sent;
  }
}
