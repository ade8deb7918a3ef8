import { request } from "node:http";
import { connect, type TLSSocket } from "node:tls";

/** Bytes of a response, unless the request says otherwise. */
const MAX_RESPONSE_BYTES = 4 << 20;

/** One request to a server that is trusted by its certificate, whatever it is called. */
export interface PinnedRequest {
  readonly address: string;
  readonly port: number;
  /** Certificates that it is trusted by, as PEM; null: it is not verified, so send no secret. */
  readonly pin: string | null;
  /** Called with the server's certificate (DER) before anything is sent; false refuses it. */
  readonly accepts: (certificate: Uint8Array) => Promise<boolean>;
  readonly method: "GET" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a function that is given this machine's address of the connection, its result. */
  readonly body?: string | ((localAddress: string) => string);
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  /** Milliseconds for the TCP connection; default all of {@link timeoutMs}. */
  readonly connectTimeoutMs?: number;
  readonly maxBytes?: number;
  readonly ending: AbortSignal;
}

/** What came back. */
export interface PinnedResponse {
  readonly status: number;
  header(name: string): string | null;
  readonly body: Uint8Array;
  /** This machine's address of the connection. */
  readonly localAddress: string;
}

/** The server is reached and not the one that is trusted: its certificate is another. */
export class UntrustedServer extends Error {}

/**
 * Sends one request over TLS. The handshake proves that the server has the key of its certificate, and
 * that the pin covers it; names are not compared. Throws {@link UntrustedServer}, or Error with a
 * sentence where it cannot be reached.
 */
export async function pinnedRequest(options: PinnedRequest): Promise<PinnedResponse> {
  const { timeoutMs, ending } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([ending, late]);
  const socket = await handshake(options, signal).catch((error) => {
    throw late.aborted ? notInTime() : error;
  });
  try {
    if (options.pin !== null) {
      const { raw } = socket.getPeerCertificate(true);
      if (raw === undefined || !await options.accepts(new Uint8Array(raw))) {
        throw new UntrustedServer("Its certificate is not the one that it is trusted by");
      }
    }
    return await exchange(socket, options, signal);
  } catch (error) {
    throw late.aborted ? notInTime() : error;
  } finally {
    socket.destroy();
  }
}

function notInTime(): Error {
  return new Error("It did not respond in time");
}

function handshake(
  { address, port, pin, timeoutMs, connectTimeoutMs = timeoutMs }: PinnedRequest,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  let reached = false;
  const socket = connect({
    host: address,
    port,
    ...(pin === null ? { rejectUnauthorized: false } : { ca: [pin] }),
    checkServerIdentity: () => undefined,
  });
  const give = (): void => {
    socket.destroy();
    reject(signal.reason);
  };
  signal.addEventListener("abort", give, { once: true });
  const unreached = setTimeout(() => {
    socket.destroy();
    reject(notInTime());
  }, connectTimeoutMs);
  socket.once("connect", () => {
    reached = true;
    clearTimeout(unreached);
  });
  socket.once("secureConnect", () => {
    signal.removeEventListener("abort", give);
    resolve(socket);
  });
  socket.on("error", (error: Error & { code?: string }) => {
    signal.removeEventListener("abort", give);
    const isNetwork = !reached || /^E[A-Z]+$/.test(error.code ?? "");
    reject(
      isNetwork ? error : new UntrustedServer(`Its certificate is not trusted: ${error.message}`),
    );
  });
  if (signal.aborted) give();
  return promise.finally(() => clearTimeout(unreached));
}

function exchange(
  socket: TLSSocket,
  { address, method, path, headers = {}, body, maxBytes = MAX_RESPONSE_BYTES }: PinnedRequest,
  signal: AbortSignal,
): Promise<PinnedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<PinnedResponse>();
  const localAddress = (socket.localAddress ?? "").replace(/^::ffff:/, "");
  const text = typeof body === "function" ? body(localAddress) : body;
  const bytes = text === undefined ? null : new TextEncoder().encode(text);
  const sent = request({
    createConnection: () => socket,
    method,
    path,
    signal,
    headers: {
      host: address.includes(":") ? `[${address}]` : address,
      connection: "close",
      ...(bytes === null ? {} : {
        "content-type": "application/json",
        "content-length": String(bytes.length),
      }),
      ...headers,
    },
  }, (response) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    response.on("data", (part: Uint8Array) => {
      size += part.length;
      if (size > maxBytes) {
        reject(new Error(`Its response has more than ${maxBytes} bytes`));
        socket.destroy();
      } else parts.push(part);
    });
    response.once("error", reject);
    response.once("end", () => {
      const whole = new Uint8Array(size);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      resolve({
        status: response.statusCode ?? 0,
        header: (name) => {
          const value = response.headers[name.toLowerCase()];
          return typeof value === "string" ? value : null;
        },
        body: whole,
        localAddress,
      });
    });
  });
  sent.on("error", reject);
  // On a connection that ended before the request, nothing else is ever heard.
  const give = (): void => reject(signal.reason);
  signal.addEventListener("abort", give, { once: true });
  if (socket.destroyed) reject(new Error("It ended the connection"));
  else sent.end(bytes ?? undefined);
  return promise.finally(() => signal.removeEventListener("abort", give));
}
