/**
 * Run by a test, as a program of its own is: gives back datagrams, which are taken in batches, and the
 * bytes of one TCP connection. Prints the port of both, `begun` after a hundred datagrams, and at the end
 * how many there were.
 */
import { dnsSockets } from "../../../system/host/datagrams/dns_sockets.ts";

const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};
const free = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
const { port } = free.addr as Deno.NetAddr;
free.close();
let count = 0;
const sockets = dnsSockets({
  info: (event) => {
    throw new Error(event);
  },
});
const socket = sockets.datagrams("127.0.0.1", port);
const received = socket.receive((query, answer) => {
  if (++count === 100) say("begun");
  answer.set(query);
  return query.length;
});
const listener = sockets.streams("127.0.0.1", port);
say(`${port}`);
await listener.accept(async (stream) => {
  const buffer = new Uint8Array(1);
  while (await stream.read(buffer) !== null) await stream.write(buffer);
  say(String(count));
  stream.close();
  listener.close();
  socket.close();
});
await received;
