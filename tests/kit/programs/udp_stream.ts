/** Run by a test: sends a datagram to a port of 127.0.0.1 about every half millisecond until it is ended. Argument: the port. */
const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
const to = { transport: "udp", hostname: "127.0.0.1", port: Number(Deno.args[0]) } as const;
const nothing = new Int32Array(new SharedArrayBuffer(4));
for (let i = 0;; i++) {
  await socket.send(Uint8Array.of(i & 255), to);
  // A timer of the runtime waits longer.
  Atomics.wait(nothing, 0, 0, 0.4);
}
