/**
 * Run inside a lab client: sends a UDP datagram each millisecond until it is asked to end, and then
 * prints how many it sent. `fresh`: each from a port of its own, so that none belongs to a connection.
 */
const [source = "0.0.0.0", target = "", port = "", how = ""] = Deno.args;

const to = { transport: "udp", hostname: target, port: Number(port) } as const;
const open = (): Deno.DatagramConn =>
  Deno.listenDatagram({ transport: "udp", hostname: source, port: 0 });
const payload = new Uint8Array(8);
let socket = open();
let sent = 0;
let ending = false;
Deno.addSignalListener("SIGTERM", () => ending = true);
Deno.stdout.writeSync(new TextEncoder().encode("ready\n"));
while (!ending) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (how === "fresh") {
    socket.close();
    socket = open();
  }
  // Without a route nothing is sent, which is no datagram either.
  if (await socket.send(payload, to).catch(() => 0) > 0) sent++;
}
Deno.stdout.writeSync(new TextEncoder().encode(`sent ${sent}\n`));
Deno.exit(0);
