import { BodyReader } from "./body.ts";
import { ByteReader } from "./byte_reader.ts";
import { EndFault, type Header, HttpFault, parseHead, type ResponseHead } from "./head.ts";
import { type PreparedRequest, sendRequest, WriteFault } from "./sending.ts";

/** Interim responses that may come before the real one. */
const MAX_INTERIM = 16;
/** Bytes of a body that is given whole, where it came with its head. */
const MAX_WHOLE = 64 << 10;

/** What a program answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** One connection to a program, which carries one request after another (HTTP/1.1, RFC 9112). */
export class HttpConnection {
  readonly #conn: Deno.UnixConn;
  readonly #reader: ByteReader;
  /** Called once a request is over: whether another may follow. */
  readonly #over: (connection: HttpConnection, isReusable: boolean) => void;
  #isOpen = true;
  #isResting = false;
  #isAnswered = false;

  constructor(
    conn: Deno.UnixConn,
    over: (connection: HttpConnection, isReusable: boolean) => void,
  ) {
    this.#conn = conn;
    this.#reader = new ByteReader(conn);
    this.#over = over;
  }

  /** The last request has been answered, if only by an interim response. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Waits for the next request; `gone` is called where the program ends the connection or sends anything. */
  rest(gone: () => void): void {
    this.#isResting = true;
    const look = (): void => {
      if (this.#isResting) gone();
    };
    this.#reader.ahead().then(look, look);
  }

  /**
   * Sends a request and gives the answer once its head is here. A program may answer before it has the
   * whole request, which is sent on meanwhile. Throws {@link HttpFault}, what {@link sendRequest} throws
   * of the body, or what reading the connection throws; it is closed then.
   */
  async exchange(request: PreparedRequest): Promise<HttpAnswer> {
    this.#isResting = false;
    this.#isAnswered = false;
    let state: "sending" | "sent" | "failed" = "sending";
    let bodyFault: unknown = null;
    void sendRequest(this.#conn, request).then(
      () => void (state = "sent"),
      (error) => {
        state = "failed";
        // A program that takes no more may have answered all the same.
        if (error instanceof WriteFault) return;
        bodyFault = error;
        this.close();
      },
    );
    try {
      const head = await this.#head(request.method);
      const body = new BodyReader(this.#reader, head.framing);
      /**
       * The answer has been read. The connection is free where the request has been sent as well; it ends
       * where it has not, since the program may never read the rest (RFC 9112 section 9.3).
       */
      const finish = (): void => {
        const isWhole = head.keeps && state === "sent" && !this.#reader.hasRest;
        if (!isWhole) this.close();
        this.#over(this, isWhole && this.#isOpen);
      };
      const { status, headers } = head;
      return { status, headers, body: this.#body(body, finish) };
    } catch (error) {
      this.close();
      this.#over(this, false);
      throw bodyFault ?? error;
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#conn.close();
    } catch {
      // The program closed it.
    }
  }

  async #head(method: string): Promise<ResponseHead> {
    for (let interim = 0; interim <= MAX_INTERIM; interim++) {
      const text = await this.#reader.head();
      if (text === null) throw new EndFault("The program ended the connection");
      this.#isAnswered = true;
      const head = parseHead(text, method);
      // No request of ours lets the protocol change.
      if (head.status === 101) throw new HttpFault("The response changes the protocol");
      if (head.status >= 200) return head;
    }
    throw new HttpFault("The program sends interim responses without an end");
  }

  #body(body: BodyReader, finish: () => void): HttpAnswer["body"] {
    const whole = body.isOver ? null : body.here(MAX_WHOLE);
    if (body.isOver) {
      finish();
      return whole;
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          const bytes = await body.next();
          if (bytes !== null) controller.enqueue(bytes);
          else controller.close();
          if (body.isOver) {
            if (bytes !== null) controller.close();
            finish();
          }
        } catch (error) {
          this.close();
          this.#over(this, false);
          controller.error(error);
        }
      },
      cancel: () => {
        this.close();
        this.#over(this, false);
      },
    }, { highWaterMark: 0 });
  }
}
