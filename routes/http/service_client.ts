import { encodedParts } from "../../system/core/data/encoded_parts.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { letOthers } from "../../system/core/time/slices.ts";

/** Milliseconds within which a service must begin to respond. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** One request to a service of ours. */
export interface ServiceCall {
  readonly method?: "GET" | "PUT" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a JSON body. */
  readonly content?: ReadableStream<Uint8Array<ArrayBuffer>> | string;
  /** Milliseconds within which it must begin to respond; default 10 s. */
  readonly timeoutMs?: number;
  /** Ends the call, a response that still streams among it. */
  readonly signal?: AbortSignal;
}

/** A service of ours, as the api calls it. */
export interface ServiceClient {
  /**
   * Calls the service and hands its response on: status, content type and body, which may stream.
   * Throws Problem 503 while the service does not run, 502 when it does not respond.
   */
  call(call: ServiceCall): Promise<Response>;
  close(): void;
}

/** Opens the client of a service; its connections are kept for the calls to come. */
export function serviceClient(
  service: {
    /** What it does, to say what is missing while it is away: `The resolver`. */
    readonly name: string;
    /** Its unix socket. */
    readonly socket: string;
    /** False while nothing is applied to this machine, as in demo mode: then it does not run. */
    readonly isApplied?: (() => boolean) | undefined;
  },
): ServiceClient {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: service.socket } });
  return {
    async call({ method = "GET", path, body, content, signal, timeoutMs = RESPONSE_TIMEOUT_MS }) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs);
      try {
        const init: RequestInit & { readonly client: Deno.HttpClient } = {
          client,
          method,
          signal: AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]),
          ...(body === undefined ? {} : {
            body: JSON.stringify(body),
            headers: { "content-type": "application/json" },
          }),
          ...(content === undefined ? {} : {
            body: typeof content === "string" ? streamed(content) : content,
            headers: { "content-type": "application/octet-stream" },
          }),
        };
        return await withoutHeaders(await fetch(`http://127.0.0.1${path}`, init));
      } catch (error) {
        if (signal?.aborted) throw error;
        if (late.signal.aborted) {
          throw new Problem(502, `${service.name} does not respond`, { cause: error });
        }
        const when = service.isApplied?.() === false
          ? "while nothing is applied to this machine"
          : "at the moment";
        throw new Problem(503, `${service.name} does not run ${when}`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => client.close(),
  };
}

/** A text that is encoded as it is taken: at once, a large one would take long. */
function streamed(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = encodedParts(text);
  return new ReadableStream({
    async pull(controller) {
      await letOthers();
      const part = parts.next();
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    },
  });
}

/** The response without headers other than those of its body. */
async function withoutHeaders(response: Response): Promise<Response> {
  const { status } = response;
  const type = response.headers.get("content-type");
  const headers = new Headers(type === null ? {} : { "content-type": type });
  if (response.body !== null && response.headers.get("content-length") !== "0") {
    return new Response(response.body, { status, headers });
  }
  await response.body?.cancel();
  headers.set("content-length", "0");
  return new Response(null, { status, headers });
}

/** A good response. Throws Problem with what the service says otherwise. */
export async function succeeded(response: Response): Promise<Response> {
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem(response.status, String(problem.detail ?? "The service refused"));
}
