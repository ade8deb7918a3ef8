/**
 * Run inside a lab client: asks a server for new names as fast as it can, without waiting for answers,
 * until it is told to end. Arguments: the server's address, and the first label of the names, which a
 * number follows. Prints `flooding` after the first thousand, and how many it sent at the end.
 */
import { wireQuery } from "../../dns/wire.ts";

const [hostname = "", label = "n"] = Deno.args;
const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};
const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
let count = 0, over = false;
Deno.addSignalListener("SIGTERM", () => over = true);
while (!over) {
  const bytes = wireQuery(`${label}.n${count}.test`, 1, { id: count & 0xffff });
  await socket.send(bytes, { transport: "udp", hostname, port: 53 }).catch(() => {});
  if (++count === 1000) say("flooding");
  if (count % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
}
say(`sent ${count}`);
Deno.exit(0);
