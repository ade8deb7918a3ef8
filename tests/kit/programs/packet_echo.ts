/**
 * Run by a test, as a program of its own is: gives back datagrams, which are taken in batches, and the
 * bytes of one TCP connection. Prints the ports of both, `begun` after a hundred datagrams, and at the end
 * how many there were.
 */
import { BatchedDatagrams } from "../../../system/host/datagrams/batched_datagrams.ts";

const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};
const free = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
const { port } = free.addr as Deno.NetAddr;
free.close();
let count = 0;
const place = new BatchedDatagrams().open("127.0.0.1", port);
const heard = place.receive((query, answer) => {
  if (++count === 100) say("begun");
  answer.set(query);
  return query.length;
});
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
say(`${port} ${listener.addr.port}`);
const one = await listener.accept();
one.setNoDelay();
const buffer = new Uint8Array(1);
while (await one.read(buffer) !== null) await one.write(buffer);
say(String(count));
one.close();
listener.close();
place.close();
await heard;
