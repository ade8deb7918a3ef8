import { MAX_SILENCE_S } from "./life_signs.ts";
import { NOTIFY_SOCKET } from "./machine_paths.ts";

/** Signs within the time that systemd waits for one: a single datagram that is lost ends nothing. */
const SIGNS_PER_TIMEOUT = 4;

/** Options of {@link startWatchdog}. */
export interface WatchdogOptions {
  /** Path of the socket that signs are sent from; a file that a crash left there is removed. */
  readonly own: string;
  /** Seconds without a sign after which systemd ends the process. Default {@link MAX_SILENCE_S}. */
  readonly seconds?: number;
  /** Default: systemd's. */
  readonly to?: string;
}

/**
 * Sets the watchdog of this process's unit and gives it signs of life until the returned function is
 * called. Set here and not by the unit, since a start may take long on a slow machine. Throws when
 * there is no socket to send from.
 */
export function startWatchdog(options: WatchdogOptions): () => void {
  const { own, seconds = MAX_SILENCE_S, to = NOTIFY_SOCKET } = options;
  try {
    Deno.removeSync(own);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const socket = Deno.listenDatagram({ transport: "unixpacket", path: own });
  const give = (lines: string): void => {
    // Without systemd nothing waits for a sign, and no watchdog is set.
    socket.send(new TextEncoder().encode(lines), { transport: "unixpacket", path: to })
      .catch(() => {});
  };
  give(`WATCHDOG_USEC=${seconds * 1_000_000}\nWATCHDOG=1`);
  const timer = setInterval(() => give("WATCHDOG=1"), seconds * 1000 / SIGNS_PER_TIMEOUT);
  Deno.unrefTimer(timer);
  return () => {
    clearInterval(timer);
    socket.close();
  };
}
