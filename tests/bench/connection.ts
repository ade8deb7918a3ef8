const END = new TextEncoder().encode("\r\n\r\n");

/** An answer, as far as a benchmark looks at it. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Uint8Array;
}

/**
 * One kept HTTP/1.1 connection that asks one thing after the other, with as little work of its own
 * as can be. Reads only answers that tell their length.
 */
export class Connection implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #host: string;
  #buffer = new Uint8Array(1 << 21);
  #filled = 0;

  private constructor(conn: Deno.Conn, host: string) {
    this.#conn = conn;
    this.#host = host;
  }

  /** Connects to a host and port, `127.0.0.1:80`. */
  static async open(host: string): Promise<Connection> {
    const [hostname = "", port] = host.split(":");
    const conn = await Deno.connect({ hostname, port: Number(port) });
    conn.setNoDelay(true);
    return new Connection(conn, host);
  }

  /** Connects to a unix socket. */
  static async openUnix(path: string): Promise<Connection> {
    return new Connection(await Deno.connect({ transport: "unix", path }), "localhost");
  }

  /** The bytes of a request, made once where it is sent often. */
  request(
    method: string,
    path: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
  ): Uint8Array {
    const body = options.body === undefined ? "" : JSON.stringify(options.body);
    const headers = {
      host: this.#host,
      ...(body === "" ? {} : { "content-type": "application/json" }),
      ...(method === "GET" ? {} : { "content-length": String(body.length) }),
      ...options.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }

  /** Sends a request and reads its answer whole. Throws when the connection ends before. */
  async ask(request: Uint8Array): Promise<Answer> {
    for (let sent = 0; sent < request.length;) {
      sent += await this.#conn.write(request.subarray(sent));
    }
    let end = -1;
    while ((end = this.#endOfHead()) < 0) await this.#more();
    const head = new TextDecoder().decode(this.#buffer.subarray(0, end));
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`An answer without a length: ${head}`);
    const whole = end + END.length + Number(length);
    while (this.#filled < whole) await this.#more();
    const body = this.#buffer.slice(end + END.length, whole);
    this.#buffer.copyWithin(0, whole, this.#filled);
    this.#filled -= whole;
    return { status: Number(head.slice(9, 12)), head, body };
  }

  /** Asks and throws unless the answer is a success. */
  async must(request: Uint8Array): Promise<Answer> {
    const answer = await this.ask(request);
    if (answer.status < 300) return answer;
    throw new Error(`${answer.head}\n\n${new TextDecoder().decode(answer.body)}`);
  }

  /** Signs the admin in and answers the session's cookie, as a header to send. */
  async signIn(password: string): Promise<{ readonly cookie: string }> {
    const authorization = `Basic ${btoa(`admin:${password}`)}`;
    const { head } = await this.must(
      this.request("PUT", "/auth/login", { headers: { authorization } }),
    );
    const cookie = /\r\nset-cookie: ([^;\r]+)/i.exec(head)?.[1];
    if (cookie === undefined) throw new Error(`Signing in gave no cookie: ${head}`);
    return { cookie };
  }

  [Symbol.dispose](): void {
    this.#conn.close();
  }

  #endOfHead(): number {
    for (let at = 0; at + 3 < this.#filled; at++) {
      if (END.every((byte, index) => this.#buffer[at + index] === byte)) return at;
    }
    return -1;
  }

  async #more(): Promise<void> {
    if (this.#filled === this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const read = await this.#conn.read(this.#buffer.subarray(this.#filled));
    if (read === null) throw new Error("The connection ended in the middle of an answer");
    this.#filled += read;
  }
}
