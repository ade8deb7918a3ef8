import type { Pair } from "../http/front/front.ts";
import type { Listener } from "../http/listen.ts";

/** The TLS listener, opened, replaced and closed while the process runs. */
export interface TlsListener {
  /** Serves with this pair; null: closes. Throws Problem when it cannot listen. */
  serve(pair: Pair | null): Promise<void>;
  /** Its address; null while closed. */
  readonly address: string | null;
  close(): Promise<void>;
}

/**
 * A TLS listener that is opened by `open` on a port (0: the previous one, or any). Another certificate
 * is served without closing the port.
 */
export function tlsListener(
  open: (pair: Pair, where: { readonly port: number }) => Promise<Listener>,
  port: number,
): TlsListener {
  let current: Listener | null = null;
  let known = port;
  const close = async (): Promise<void> => {
    const before = current;
    current = null;
    await before?.close();
  };
  return {
    get address() {
      return current?.address ?? null;
    },
    async serve(pair) {
      if (pair === null) return await close();
      if (current !== null) return await current.renew(pair);
      current = await open(pair, { port: known });
      known = current.port;
    },
    close,
  };
}
