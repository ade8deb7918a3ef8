import { print } from "./print.ts";

/**
 * A steady flow of datagrams, one about each millisecond.
 * `send <address> <port>`: sends them until it is ended. `receive <port>`: prints `ready`, then a line
 * with the unix milliseconds of the last arrival whenever none came for a while.
 */
const PAUSE = 1;
/** Milliseconds without an arrival after which the flow has ended. */
const SILENCE = 300;
const [what, ...rest] = Deno.args;
if (what === "send") await send(rest[0]!, Number(rest[1]));
else await receive(Number(rest[0]));

async function send(hostname: string, port: number): Promise<void> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
  const byte = new Uint8Array([46]);
  while (true) {
    // What is refused on the way says nothing here: the receiver tells.
    await socket.send(byte, { transport: "udp", hostname, port }).catch(() => {});
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

async function receive(port: number): Promise<void> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port });
  print("ready");
  let last = 0;
  setInterval(() => {
    const now = performance.timeOrigin + performance.now();
    if (last === 0 || now - last < SILENCE) return;
    print(`last ${last}`);
    last = 0;
  }, SILENCE / 3);
  for await (const _ of socket) last = performance.timeOrigin + performance.now();
}
