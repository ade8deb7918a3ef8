import { echoQuestion } from "./echo.ts";
import { openEchoSocket } from "./echo_socket.ts";

/**
 * Asks a machine by one ICMP echo through one link; milliseconds until it answered, null where it did
 * not in time. Throws Problem for a link that is not there.
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
  const { bytes, isAnswer } = echoQuestion({ six: false, id, sequence: 0 });
  const sent = performance.now();
  if (!socket.send(bytes)) return null;
  for (;;) {
    const left = sent + milliseconds - performance.now();
    if (left <= 0) return null;
    const message = await socket.receive(left);
    if (message === null) return null;
    if (isAnswer(message)) return performance.now() - sent;
  }
}
