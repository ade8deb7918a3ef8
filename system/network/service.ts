import type { Host } from "../core/kernel/host.ts";
import { serveUnix } from "../core/ipc/unix_socket.ts";
import type { ListenerWatch } from "../core/ipc/watched_server.ts";
import { within } from "../core/time/timeouts.ts";
import { isRestrictive } from "../firewall/sets/transition.ts";
import { linuxHost } from "../host/kernel/linux.ts";

/** An HTTP application over a host, with the streams that it holds open. */
export interface HostApp {
  fetch(request: Request): Promise<Response>;
  /** Ends the open streams, which would keep the server from stopping. */
  close(): void;
}

/** What netd is started with. */
export interface NetdOptions {
  /** Path of the unix socket; its folder must be there. */
  readonly path: string;
  readonly app: (host: Host) => HostApp;
  readonly log: (message: string) => void;
  /** Told what becomes of the socket. */
  readonly watch?: ListenerWatch;
  /** Where the last applied ruleset is stored for the next boot. */
  readonly bootFile?: string;
  /** File that exists while our rules may be in the kernel. */
  readonly appliedMark?: string;
  /** File that exists once they were taken out of it. */
  readonly releasedMark?: string;
  /** Default: the kernel of this network namespace. */
  readonly host?: Host;
}

/** Milliseconds for running calls to finish when netd stops. */
const SHUTDOWN_TIMEOUT_MS = 700;
/** Milliseconds for the monitors and the last file write to finish. */
const CLOSE_TIMEOUT_MS = 500;

/**
 * Starts netd, the only process that changes the kernel's network: a {@link Host} on a unix socket.
 * Stopping it leaves the kernel unchanged.
 */
export async function startNetd(options: NetdOptions): Promise<{ stop(): Promise<void> }> {
  const { log, bootFile, appliedMark, releasedMark } = options;
  const host = options.host ??
    await linuxHost({
      log,
      isRestrictive,
      ...(bootFile === undefined ? {} : { bootFile }),
      ...(appliedMark === undefined ? {} : { appliedMark }),
      ...(releasedMark === undefined ? {} : { releasedMark }),
    });
  const app = options.app(host);
  const server = await serveUnix(options.path, (request) => app.fetch(request), options.watch)
    .catch(
      async (error) => {
        await host.close();
        throw error;
      },
    );
  return {
    stop: async (): Promise<void> => {
      app.close();
      await within(SHUTDOWN_TIMEOUT_MS, server.shutdown());
      await within(CLOSE_TIMEOUT_MS, host.close());
    },
  };
}
