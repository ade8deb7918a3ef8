/** Time, so that tests can pass their own. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once after so many milliseconds; the answer takes that back. */
  after(milliseconds: number, run: () => void): () => void;
}

/** Is told a datagram that may be the answer; its bytes are lent for the time of the call. */
export type Hear = (bytes: Uint8Array) => void;

/** A question that was sent, and is listened for. */
export interface Hearing {
  /** Nothing more is heard. */
  end(): void;
}

/** The way to one resolver over UDP. */
export interface QuestionSender {
  /**
   * Sends a question, whose first two bytes are its id, from a port that nobody can guess. Heard is
   * what comes back to that port from the very address and port that was asked. Throws when the kernel
   * gives no socket.
   */
  ask(message: Uint8Array, hear: Hear): Hearing;
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
  questions(address: string, port: number): QuestionSender;
  /** Throws when it cannot be opened, or its certificate is not right. */
  stream(address: string, port: number, tls: TlsCheck | null): Promise<ByteStream>;
}
