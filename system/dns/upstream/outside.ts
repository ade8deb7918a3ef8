/** Time, so that tests can pass their own. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once after so many milliseconds; the answer takes that back. */
  after(milliseconds: number, run: () => void): () => void;
}

/** A UDP socket on a port that nobody can guess, used for one question. */
export interface DatagramPort {
  send(bytes: Uint8Array): void;
  /** The next datagram of that address and port, others are not heard; null once closed. */
  receive(): Promise<Uint8Array | null>;
  close(): void;
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
export interface TlsCheck {
  /** Name that the certificate must hold. */
  readonly host: string;
  /** Certificates (PEM) that are trusted beside the usual ones. */
  readonly trusted: readonly string[];
}

/** The way to resolvers outside. */
export interface Outside {
  /** Throws when the kernel gives no socket. */
  datagrams(address: string, port: number): DatagramPort;
  /** Throws when it cannot be opened, or its certificate is not right. */
  stream(address: string, port: number, tls: TlsCheck | null): Promise<ByteStream>;
}
