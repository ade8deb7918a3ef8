import type { Log } from "../../core/log/log.ts";
import {
  type DatagramHandler,
  type DatagramSocket,
  MAX_DATAGRAM_BYTES,
  type Sender,
} from "../../core/net/transport.ts";
import type { ByteStream, UpstreamNetwork } from "../../core/net/transport.ts";
import { BatchedDatagrams } from "./batched_datagrams.ts";
import { byteStream, plainUpstreamNetwork } from "./upstream_sockets.ts";

/** Delay after a transient error, such as too many open files. */
const ERROR_DELAY_MS = 100;

/** Plain datagrams of one address and port. Throws when it cannot be bound. */
export function plainDatagramSocket(address: string, port: number): DatagramSocket {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: address, port });
  let open = true;
  const send = (bytes: Uint8Array<ArrayBuffer>, to: Sender): void => {
    const target = { transport: "udp", hostname: to.address, port: to.port } as const;
    // The client is gone.
    socket.send(bytes, target).catch(() => {});
  };
  return {
    async receive(take: DatagramHandler): Promise<void> {
      const query = new Uint8Array(MAX_DATAGRAM_BYTES);
      const answer = new Uint8Array(MAX_DATAGRAM_BYTES);
      while (open) {
        try {
          const [bytes, from] = await socket.receive(query);
          if (from.transport !== "udp") continue;
          const sender = { address: from.hostname, port: from.port, local: address };
          const length = take(bytes, answer, sender);
          // The kernel may take the bytes only after this turn.
          if (length > 0) send(answer.slice(0, length), sender);
        } catch (error) {
          if (!open) return;
          if (error instanceof Deno.errors.BadResource) return;
          await new Promise((resolve) => setTimeout(resolve, ERROR_DELAY_MS));
        }
      }
    },
    send: (bytes, to) => send(bytes.slice(), to),
    close() {
      if (open) socket.close();
      open = false;
    },
  };
}

/** Opens the datagrams of an address and port; throws when it cannot be bound. */
export type OpenDatagrams = (address: string, port: number) => DatagramSocket;

/** Opens a listener for TCP connections; throws when the address cannot be bound. */
export type OpenStreams = (address: string, port: number) => StreamListener;

/** The sockets of a DNS server: for its clients, and towards upstream resolvers. */
export interface DnsSockets {
  readonly datagrams: OpenDatagrams;
  readonly streams: OpenStreams;
  readonly upstream: UpstreamNetwork;
}

/** Batched datagrams where the C library is usable, else plain ones. */
export function dnsSockets(log: Pick<Log, "info">): DnsSockets {
  try {
    const batched = new BatchedDatagrams();
    const used = (): void => batched.connectionUsed();
    const plain = plainUpstreamNetwork(used);
    return {
      datagrams: (address, port) =>
        address.includes(":") ? plainDatagramSocket(address, port) : batched.open(address, port),
      streams: (address, port) => streamListener(address, port, used),
      upstream: {
        ...plain,
        udp: (address, port) =>
          batched.sourcePorts.senderTo(address, port) ?? plain.udp(address, port),
      },
    };
  } catch (error) {
    log.info(
      "dns.batching_unavailable",
      "Datagrams are received one by one: the C library cannot batch them",
      { error },
    );
    return {
      datagrams: plainDatagramSocket,
      streams: streamListener,
      upstream: plainUpstreamNetwork(),
    };
  }
}

/** Connections to one address and port. */
export interface StreamListener {
  /** Accepts connections until closed. */
  accept(take: (stream: ByteStream, from: Sender) => void): Promise<void>;
  close(): void;
}

/** Listens for TCP connections. `used` runs whenever bytes arrive on one. Throws when the address cannot be bound. */
export function streamListener(
  address: string,
  port: number,
  used: () => void = () => {},
): StreamListener {
  const listener = Deno.listen({ transport: "tcp", hostname: address, port });
  let open = true;
  return {
    async accept(take) {
      while (open) {
        try {
          const connection = await listener.accept();
          connection.setNoDelay();
          const { hostname, port } = connection.remoteAddr;
          take(byteStream(connection, used), { address: hostname, port, local: address });
        } catch (error) {
          if (!open || error instanceof Deno.errors.BadResource) return;
          await new Promise((resolve) => setTimeout(resolve, ERROR_DELAY_MS));
        }
      }
    },
    close() {
      if (open) listener.close();
      open = false;
    },
  };
}
