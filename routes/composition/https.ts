import type { Listener } from "../http/listen.ts";

/** A certificate and its key as PEM texts. */
type Pair = { readonly cert: string; readonly key: string };

/** The TLS listener, opened, replaced and closed while the process runs. */
export interface TlsListener {
  /** Serves with this pair; null: closes. Throws Problem when it cannot listen. */
  serve(pair: Pair | null): Promise<void>;
  /** Its address; null while closed. */
  readonly address: string | null;
  close(): Promise<void>;
}

/**
 * A TLS listener that is opened by `open` on a port (0: the previous one, or any). Another
 * certificate is served by a second listener on the same port before the first one goes, so that the
 * port is never closed and running requests end; a connection that is being made at that very moment
 * may have to be made again.
 */
export function tlsListener(
  open: (pair: Pair, place: { readonly port: number; readonly beside: boolean }) => Listener,
  port: number,
): TlsListener {
  let current: Listener | null = null;
  let known = port;
  return {
    get address() {
      return current?.address ?? null;
    },
    async serve(pair) {
      const before = current;
      if (pair !== null) {
        current = open(pair, { port: known, beside: before !== null });
        known = current.port;
      } else current = null;
      await before?.close();
    },
    async close() {
      await current?.close();
      current = null;
    },
  };
}
