import type {
  ByteStream,
  QuerySender,
  SentQuery,
  TlsVerification,
  UpstreamNetwork,
} from "../../core/net/transport.ts";

/** Milliseconds for opening a connection, TLS included. */
const CONNECT_TIMEOUT_MS = 4000;

/** A sender to one resolver with a socket of Deno for each query. */
export function plainQuerySender(address: string, port: number): QuerySender {
  const hostname = address.includes(":") ? "::" : "0.0.0.0";
  return {
    send(message, hear): SentQuery {
      // Port 0: the kernel takes a free one at random.
      const socket = Deno.listenDatagram({ transport: "udp", hostname, port: 0 });
      let open = true;
      const listen = async (): Promise<void> => {
        while (open) {
          const [bytes, from] = await socket.receive();
          if (!open || from.transport !== "udp") return;
          if (from.hostname === address && from.port === port) hear(bytes);
        }
      };
      // The resolver is unreachable, or the socket closed, which ends pending reads.
      listen().catch(() => {});
      socket.send(message, { transport: "udp", hostname: address, port }).catch(() => {});
      return {
        cancel() {
          if (open) socket.close();
          open = false;
        },
      };
    },
  };
}

/** Upstream resolvers over Deno's own sockets. `used` runs whenever bytes arrive on a connection. */
export function plainUpstreamNetwork(used: () => void = () => {}): UpstreamNetwork {
  return {
    udp: plainQuerySender,
    connect: (address, port, tls) => connect({ address, port, tls, used }),
  };
}

async function connect({ address, port, tls, used }: {
  readonly address: string;
  readonly port: number;
  readonly tls: TlsVerification | null;
  readonly used: () => void;
}): Promise<ByteStream> {
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const plain = await Deno.connect({ hostname: address, port, signal });
  // A query must not wait until the previous one is acknowledged.
  plain.setNoDelay();
  if (tls === null) return byteStream(plain, used);
  let connection: Deno.Conn = plain;
  // A server that accepts and then stays silent must not block.
  const giveUp = (): void => closeQuietly(connection);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    const secure = await Deno.startTls(plain, {
      hostname: tls.serverName,
      caCerts: [...tls.trusted],
    });
    connection = secure;
    await secure.handshake();
    return byteStream(secure, used);
  } catch (error) {
    closeQuietly(connection);
    throw signal.aborted ? new Error("The TLS connection was not there in time") : error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** A connection of Deno as a stream of bytes. `used` runs whenever some arrive. */
export function byteStream(
  connection: Deno.TcpConn | Deno.TlsConn,
  used: () => void,
): ByteStream {
  let open = true;
  return {
    async read(into) {
      const count = await connection.read(into);
      used();
      return count;
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    },
    close() {
      if (open) closeQuietly(connection);
      open = false;
    },
  };
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
