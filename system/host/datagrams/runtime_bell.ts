import type { PacketCalls } from "./packet_calls.ts";

/** Descriptors that are looked at: those of a thread's start are low. */
const LOOKED_AT = 256;
/** Milliseconds in which a knock is heard; it is heard at once. */
const HEARD = 5;

/**
 * Finds the descriptor by which the runtime of this thread waits for its files and connections
 * (epoll(7)); -1 when none shows itself to be that, as another release of Deno may have none. `knock`
 * sends a datagram to a port of 127.0.0.1.
 */
export function runtimeBell(calls: PacketCalls, knock: (port: number) => void): number {
  const waiters = Array.from({ length: LOOKED_AT }, (_, descriptor) => descriptor)
    .filter((descriptor) => calls.isWaiter(descriptor));
  const busy = new Set(calls.readable(waiters, 0));
  const quiet = waiters.filter((descriptor) => !busy.has(descriptor));
  if (quiet.length === 0) return -1;
  const door = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  try {
    knock((door.addr as Deno.NetAddr).port);
    return calls.readable(quiet, HEARD)[0] ?? -1;
  } finally {
    door.close();
  }
}
