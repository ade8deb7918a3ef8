import type { ListenerWatch } from "../../system/core/ipc/watched_server.ts";
import { formatListener } from "../../system/core/process/settings.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { Front, type Handler, type Limits, type Pair } from "./front/front.ts";

/** An open listener. */
export interface Listener {
  /** `127.0.0.1:8080`. */
  readonly address: string;
  readonly port: number;
  /** Serves with another certificate from the next connection on. */
  renew(tls: Pair): Promise<void>;
  /** Stops accepting, gives running requests up to a second, then ends. */
  close(): Promise<void>;
}

/**
 * Listens on TCP, over TLS where a certificate is given. Throws Problem when the address is taken or
 * not allowed; `variable` names the setting to change.
 */
export async function listenTcp(options: {
  readonly hostname: string;
  readonly port: number;
  readonly variable: string;
  readonly handler: Handler;
  readonly tls?: Pair;
  /** Where they are not those of every listener. */
  readonly limits?: Partial<Limits>;
  readonly watch: ListenerWatch;
}): Promise<Listener> {
  const { hostname, variable } = options;
  const listener = open(hostname, options.port, variable);
  const { port } = listener.addr;
  const front = new Front(listener, options);
  try {
    await front.serve(options.tls ?? null);
  } catch (error) {
    await front.close();
    throw cannotListen("127.0.0.1", variable, error);
  }
  return {
    address: formatListener({ hostname, port }),
    port,
    renew: (tls) => front.serve(tls),
    close: () => front.close(),
  };
}

/** The setting that chooses a listener's address. */
export function listenerVariable(tls: boolean): "SLUICE_HTTP" | "SLUICE_HTTPS" {
  return tls ? "SLUICE_HTTPS" : "SLUICE_HTTP";
}

/** The start line of a listener: who may reach the page, and how to keep it to this machine. */
export function listeningText(address: string, tls: boolean): string {
  const text = `Listening on ${address}`;
  const scheme = tls ? "https" : "http";
  if (!/^(0\.0\.0\.0|\[::\]):/.test(address)) {
    return `${text}: ${URL.parse(`${scheme}://${address}`)}`;
  }
  const own = URL.parse(`${scheme}://${address.replace(/^.*:/, "127.0.0.1:")}`);
  const here = `127.0.0.1:${tls ? 8443 : 8080}`;
  return `${text}, on every interface: ${own} on this machine; ${
    listenerVariable(tls)
  }=${here} keeps it to this machine`;
}

function open(hostname: string, port: number, variable: string): Deno.TcpListener {
  try {
    return Deno.listen({ hostname, port });
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
