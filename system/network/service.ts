import type { Host } from "../core/kernel/host.ts";
import { serveUnix } from "../core/ipc/unix_socket.ts";
import { within } from "../core/time/within.ts";
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
  /** Where the last applied ruleset is kept for the next boot. */
  readonly bootFile?: string;
  /** Default: the kernel of this network namespace. */
  readonly host?: Host;
}

/** Milliseconds that calls under way are given when netd stops. */
const PATIENCE = 700;
/** Milliseconds that the monitors and the last file are given to end. */
const CLOSING = 500;

/**
 * Starts netd, the only hand on the kernel's network: a {@link Host} on a unix socket. Stopping leaves
 * the kernel as it is.
 */
export async function startNetd(options: NetdOptions): Promise<{ stop(): Promise<void> }> {
  const { log, bootFile } = options;
  const host = options.host ??
    await linuxHost({ log, ...(bootFile === undefined ? {} : { bootFile }) });
  const app = options.app(host);
  const server = await serveUnix(options.path, (request) => app.fetch(request)).catch(
    async (error) => {
      await host.close();
      throw error;
    },
  );
  return {
    stop: async (): Promise<void> => {
      app.close();
      await within(PATIENCE, server.shutdown());
      await within(CLOSING, host.close());
    },
  };
}
