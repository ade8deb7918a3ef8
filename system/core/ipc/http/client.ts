import { type HttpAnswer, HttpConnection } from "./connection.ts";
import { type HttpRequest, type PreparedRequest, prepareRequest } from "./sending.ts";

/** Connections that are kept for the requests to come, and milliseconds that each is. */
const MAX_IDLE_CONNECTIONS = 32, IDLE_MS = 60_000;
/** Methods whose requests ask for nothing to be done (RFC 9110 section 9.2.1). */
const SAFE: readonly string[] = ["GET", "HEAD"];

/** No connection to the program could be made: nothing was sent. */
export class ConnectFault extends Error {}

type Reuse = NonNullable<HttpRequest["reuse"]>;

/** A request on its way. */
interface Sending {
  readonly request: PreparedRequest;
  readonly reuse: Reuse;
  readonly leaving: AbortSignal | undefined;
}

/** Sends requests to the unix socket of a program, over connections that are kept. */
export class HttpClient {
  readonly #path: () => string;
  readonly #idle: { readonly connection: HttpConnection; readonly since: number }[] = [];
  /** Connections in use, and how the request on each may use them. */
  readonly #busy = new Map<HttpConnection, Reuse>();
  #timer: ReturnType<typeof setInterval> | null = null;
  #isOpen = true;

  /** `path` is asked for each new connection. */
  constructor(path: () => string) {
    this.#path = path;
  }

  /**
   * Sends a request and gives its answer, whose body comes as it is read; `leaving` ends it until then.
   * What may change something goes over a connection of its own and is never sent twice: a kept one may
   * have ended without a word, and nobody knows whether the program has seen it (RFC 9110 section 9.2.2).
   * Throws {@link ConnectFault}, what the path, sending and reading throw, and at once for a request whose
   * head is malformed.
   */
  async ask(request: HttpRequest, leaving?: AbortSignal): Promise<HttpAnswer> {
    const reuse = request.reuse ?? (SAFE.includes(request.method) ? "again" : "never");
    const sending = { request: prepareRequest(request), reuse, leaving };
    const kept = reuse === "never" ? undefined : this.#idle.pop()?.connection;
    if (kept !== undefined) {
      try {
        return await this.#exchange(kept, sending);
      } catch (error) {
        if (reuse === "once" || kept.isAnswered || leaving?.aborted || !this.#isOpen) throw error;
      }
    }
    return await this.#exchange(await this.#connect(), sending);
  }

  async #exchange(
    connection: HttpConnection,
    { request, reuse, leaving }: Sending,
  ): Promise<HttpAnswer> {
    this.#busy.set(connection, reuse);
    const leave = (): void => connection.close();
    if (leaving?.aborted) leave();
    leaving?.addEventListener("abort", leave);
    try {
      return await connection.exchange(request);
    } finally {
      leaving?.removeEventListener("abort", leave);
    }
  }

  async #connect(): Promise<HttpConnection> {
    const path = this.#path();
    const conn = await Deno.connect({ transport: "unix", path }).catch((error) => {
      throw new ConnectFault("The program cannot be connected to", { cause: error });
    });
    const connection = new HttpConnection(conn, (one, isReusable) => this.#over(one, isReusable));
    if (this.#isOpen) return connection;
    connection.close();
    throw new ConnectFault("The connections to the program were closed");
  }

  #over(connection: HttpConnection, isReusable: boolean): void {
    const reuse = this.#busy.get(connection);
    if (reuse === undefined) return;
    this.#busy.delete(connection);
    // Requests that take no kept connection would fill the idle ones, which others use one of.
    const limit = reuse === "never" ? 1 : MAX_IDLE_CONNECTIONS;
    if (!isReusable || !this.#isOpen || this.#idle.length >= limit) return connection.close();
    this.#idle.push({ connection, since: performance.now() });
    connection.rest(() => this.#drop(connection));
    this.#timer ??= setInterval(() => this.#dropOld(), IDLE_MS / 2);
  }

  #drop(connection: HttpConnection): void {
    const at = this.#idle.findIndex((one) => one.connection === connection);
    if (at >= 0) this.#idle.splice(at, 1);
    connection.close();
  }

  #dropOld(): void {
    const before = performance.now() - IDLE_MS;
    for (const { connection, since } of [...this.#idle]) if (since < before) this.#drop(connection);
    if (this.#idle.length === 0) this.#stopLooking();
  }

  #stopLooking(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Ends every connection, and what runs over it. */
  close(): void {
    this.#isOpen = false;
    this.#stopLooking();
    for (const { connection } of this.#idle.splice(0)) connection.close();
    for (const connection of this.#busy.keys()) connection.close();
    this.#busy.clear();
  }
}
