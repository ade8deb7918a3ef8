import type { Context } from "hono";
import type { FrameWriter, Pace } from "./front/relayed_connection.ts";

/** The two ends of the connection that a request came on. */
export interface Peer {
  /** Address of the other end. */
  readonly source: string;
  readonly port: number;
  /** Our own end; null where the listener is bound to every address and does not know. */
  readonly local: { readonly address: string; readonly port: number } | null;
  readonly tls: boolean;
  /**
   * Takes no more than this many bytes of the client from now on, and no further request, until it is
   * called again: for a connection that speaks another protocol. Absent where nothing counts them.
   */
  readonly allow?: (bytes: number) => void;
  /**
   * Begins to write frames beside the server of the WebSocket that the request asks for; called before
   * its response. Null, or absent, where nothing can.
   */
  readonly writeFrames?: () => FrameWriter | null;
  /** Begins to slow the client down to the reader of its request's body. Absent where nothing can. */
  readonly pace?: (window: number) => Pace;
  /** Ends the connection at once, whatever is on its way. Absent where nothing can. */
  readonly end?: () => void;
}

/** What the server hands to the app beside the request, as `c.env`. */
export interface PeerEnv {
  readonly peer: Peer;
}

/** The peer of a request that came to a listener with this address. */
export function peerOf(
  remote: Deno.Addr,
  listener: {
    readonly hostname: string;
    readonly port: number;
    readonly tls: boolean;
    readonly allow?: (bytes: number) => void;
    readonly writeFrames?: () => FrameWriter | null;
    readonly pace?: (window: number) => Pace;
    readonly end?: () => void;
  },
): Peer {
  const { hostname, port, tls, allow, writeFrames, pace, end } = listener;
  const everywhere = hostname === "0.0.0.0" || hostname === "::";
  const tcp = remote.transport === "tcp" ? remote : { hostname: "", port: 0 };
  return {
    source: tcp.hostname,
    port: tcp.port,
    local: everywhere ? null : { address: hostname, port },
    tls,
    ...(allow === undefined ? {} : { allow }),
    ...(writeFrames === undefined ? {} : { writeFrames }),
    ...(pace === undefined ? {} : { pace }),
    ...(end === undefined ? {} : { end }),
  };
}

/** Takes the peer out of `c.env`. Throws when the server did not put it there. */
export function peerFrom(c: Context): Peer {
  const peer = (c.env as Partial<PeerEnv> | undefined)?.peer;
  if (!peer) throw new Error("The server did not say who the peer is");
  return peer;
}
