/** When something came: unix milliseconds, and those of the machine's clock. */
export interface ArrivalTime {
  readonly unix: number;
  readonly monotonic: number;
}

/** Where a datagram came from, and where its answer goes. */
export interface Sender {
  /** Canonical text; equal addresses may be one string. */
  readonly address: string;
  readonly port: number;
  /** The router's own address that received it. */
  readonly local: string;
  /** Set where many come at once, so that no clock need be looked at for each. */
  readonly arrival?: ArrivalTime;
}

/**
 * Takes one datagram. Writes what is to be said at once into `answer` and returns its length; 0 when
 * nothing is said now. `query` and `answer` are lent for the time of the call and may share memory
 * with the next; `from` may be kept.
 */
export type DatagramHandler = (query: Uint8Array, answer: Uint8Array, from: Sender) => number;

/** Datagrams in and out of one port: plain sockets, or many packets with each call of the kernel. */
export interface DatagramSocket {
  /** Hands every datagram to `take` until closed. */
  receive(take: DatagramHandler): Promise<void>;
  /** Says what could not be said at once. Bytes are taken over before it returns. */
  send(bytes: Uint8Array, to: Sender): void;
  close(): void;
}

/** Longest datagram that is read or written: more than any answer over UDP may have. */
export const MAX_DATAGRAM_BYTES = 4096;

/** Receives a datagram that may be the response; its bytes are valid during the call only. */
export type ResponseHandler = (bytes: Uint8Array) => void;

/** A question that was sent, and is listened for. */
export interface SentQuery {
  /** Receives nothing more. */
  cancel(): void;
}

/** The way to one resolver over UDP. */
export interface QuerySender {
  /**
   * Sends a query, whose first two bytes are its ID, from an unpredictable port. Received is
   * what comes back to that port from exactly the queried address and port. Throws when the kernel
   * gives no socket.
   */
  send(message: Uint8Array, hear: ResponseHandler): SentQuery;
}

/** A TCP or TLS connection. */
export interface ByteStream {
  /** Bytes that came, or null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Ends when all is handed over. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** How a TLS connection is checked. */
export interface TlsVerification {
  /** Name that the certificate must hold. */
  readonly serverName: string;
  /** Certificates (PEM) that are trusted beside the usual ones. */
  readonly trusted: readonly string[];
}

/** The network path to upstream resolvers. */
export interface UpstreamNetwork {
  udp(address: string, port: number): QuerySender;
  /** Throws when it cannot be opened, or its certificate is not right. */
  connect(address: string, port: number, tls: TlsVerification | null): Promise<ByteStream>;
}
