import { Problem } from "../../system/core/errors/problem.ts";

/** Milliseconds within which a service must begin to answer. */
const PATIENCE = 10_000;

/** One request to a service of ours. */
export interface SocketCall {
  readonly method?: "GET" | "PUT" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Ends the call, an answer that still streams among it. */
  readonly signal?: AbortSignal;
}

/** A service of ours, as the api calls it. */
export interface Service {
  /** What it does, to say what is missing while it is away: `The resolver`. */
  readonly name: string;
  /** Its unix socket. */
  readonly socket: string;
}

/**
 * Asks a service behind its unix socket, and hands its answer on: status, content type and body, which
 * may stream. Throws Problem 503 while the service does not run, 502 when it breaks off.
 */
export async function socketCall(service: Service, call: SocketCall): Promise<Response> {
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: service.socket },
    poolMaxIdlePerHost: 0,
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE);
  const signals = call.signal === undefined ? [late.signal] : [late.signal, call.signal];
  try {
    const init: RequestInit & { readonly client: Deno.HttpClient } = {
      client,
      method: call.method ?? "GET",
      signal: AbortSignal.any(signals),
      ...(call.body === undefined ? {} : {
        body: JSON.stringify(call.body),
        headers: { "content-type": "application/json" },
      }),
    };
    const answer = await fetch(`http://127.0.0.1${call.path}`, init);
    const type = answer.headers.get("content-type");
    const headers = new Headers(type === null ? {} : { "content-type": type });
    if (answer.body === null || answer.headers.get("content-length") === "0") {
      await answer.body?.cancel();
      client.close();
      headers.set("content-length", "0");
      return new Response(null, { status: answer.status, headers });
    }
    const body = whenDone(answer.body, () => client.close());
    return new Response(body, { status: answer.status, headers });
  } catch (error) {
    client.close();
    if (call.signal?.aborted) throw error;
    if (late.signal.aborted) {
      throw new Problem(502, `${service.name} does not answer`, { cause: error });
    }
    throw new Problem(503, `${service.name} does not run at the moment`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The stream, with something to do once it has ended, however it ends. */
function whenDone(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  done: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  let open = true;
  const end = (): void => {
    if (open) done();
    open = false;
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done: ended, value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        // A reader that has gone meanwhile has closed it.
        if (!ended || !open) return;
        controller.close();
        end();
      } catch (error) {
        if (open) controller.error(error);
        end();
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason).catch(() => {});
    },
  });
}
