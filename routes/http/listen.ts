import { Problem } from "../../system/core/errors/problem.ts";
import { within } from "../../system/core/time/within.ts";

/** An open listener. */
export interface Listener {
  /** `127.0.0.1:8080`. */
  readonly address: string;
  readonly port: number;
  /** Stops accepting, gives running requests up to a second, then ends. */
  close(): Promise<void>;
}

/** What answers requests; `info` tells the peer. */
export type Handler = (
  request: Request,
  info: Deno.ServeHandlerInfo,
) => Response | Promise<Response>;

/** Milliseconds that running requests get when a server closes. */
const DRAIN = 1000;
/** Milliseconds before listening again after the accept loop died, as it does when descriptors run out. */
const RELISTEN = 200;

/**
 * Listens on TCP, over TLS where a certificate is given. Deno's accept loop ends for good when the
 * process runs out of descriptors, so it is started again. Throws Problem when the address is taken
 * or not allowed; `variable` names the setting to change.
 */
export function listenTcp(options: {
  readonly hostname: string;
  readonly port: number;
  readonly variable: string;
  readonly handler: Handler;
  /** Another listener of ours may take its place on the same port while it runs. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** True for the one that takes another's place. */
  readonly beside?: boolean;
  readonly log: (error: unknown) => void;
}): Listener {
  const { hostname, tls, variable } = options;
  const place = tls === undefined ? {} : { ...tls, reusePort: true };
  const start = (port: number) => {
    try {
      return Deno.serve({ hostname, port, ...place, onListen() {} }, options.handler);
    } catch (error) {
      throw cannotListen(`${hostname}:${port}`, variable, error);
    }
  };
  if (tls !== undefined && !options.beside) requireFree(hostname, options.port, variable);
  let server = start(options.port);
  const { port } = server.addr as Deno.NetAddr;
  return keep({ hostname, port }, () => server, () => server = start(port), options.log);
}

/** A shared port could be shared with another program as well. Throws Problem. */
function requireFree(hostname: string, port: number, variable: string): void {
  if (port === 0) return;
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    throw cannotListen(`${hostname}:${port}`, variable, error);
  }
}

function cannotListen(address: string, variable: string, error: unknown): Error {
  if (error instanceof Deno.errors.AddrInUse) {
    return new Problem(
      503,
      `Another program listens on ${address}; set ${variable} to another address or port`,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new Problem(
      503,
      `This user may not listen on ${address}; set ${variable}, for example ${variable}=127.0.0.1:8080`,
    );
  }
  return new Problem(503, `Cannot listen on ${address} (${variable}): ${(error as Error).message}`);
}

function keep(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  current: () => Deno.HttpServer,
  restart: () => unknown,
  log: (error: unknown) => void,
): Listener {
  let open = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const revive = (error: unknown) => {
    if (!open) return;
    log(error);
    timer = setTimeout(() => {
      try {
        restart();
        current().finished.catch(revive);
      } catch (again) {
        revive(again);
      }
    }, RELISTEN);
  };
  current().finished.catch(revive);
  return {
    address: `${hostname}:${port}`,
    port,
    async close() {
      open = false;
      clearTimeout(timer);
      await drain(current());
    },
  };
}

/** Stops accepting, gives running requests up to a second, then waits no longer. Never throws. */
export async function drain(server: Deno.HttpServer): Promise<void> {
  await within(DRAIN, server.shutdown().catch(() => {}));
}
