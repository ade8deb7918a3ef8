import { isRecord } from "../config/json.ts";
import { Problem } from "../errors/problem.ts";
import { ConnectFault, HttpClient } from "./http/client.ts";
import { EndFault, HttpFault } from "./http/head.ts";
import { askWhole, type WholeAnswer } from "./http/whole.ts";

/** The program is away: it cannot be connected to, or the connection to it ended. */
export class AwayFault extends Error {}

/** A program of ours behind its unix socket, as another of ours calls it. */
export interface SocketClient {
  /**
   * Sends a GET, or a PUT with `body` as JSON, which is sent once; gives the text of the response. Throws
   * Problem with the status and message of a refusal, {@link AwayFault} while the program is away, the
   * reason of what ended the call, and Error where the program does not speak HTTP/1.1.
   */
  call(path: string, body?: unknown): Promise<string>;
  close(): void;
}

/** A program, and how it is called. */
export interface SocketClientOptions {
  /** What it is called when it refuses without a word. */
  readonly name: string;
  readonly socket: string;
  /** Calls end with it. */
  readonly ending: AbortSignal;
  /** Milliseconds after which a call with a body is given up; absent: it is waited for. */
  readonly patience?: number;
}

/** Opens the way to a program. */
export function socketClient(
  { name, socket, ending, patience }: SocketClientOptions,
): SocketClient {
  const client = new HttpClient(() => socket);
  async function ask(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<WholeAnswer> {
    try {
      return await askWhole(
        client,
        body === undefined
          ? { method: "GET", path }
          : { method: "PUT", path, body: JSON.stringify(body), reuse: "once" },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (isAway(error)) throw new AwayFault(`${name} does not answer`, { cause: error });
      if (!(error instanceof HttpFault)) throw error;
      throw new Error(`${name} sent a malformed response: ${error.message}`, { cause: error });
    }
  }
  return {
    async call(path, body) {
      const late = patience === undefined || body === undefined
        ? []
        : [AbortSignal.timeout(patience)];
      const signal = late.length === 0 ? ending : AbortSignal.any([ending, ...late]);
      const { status, text } = await ask(path, body, signal);
      if (status >= 300) throw new Problem(status, detailOf(text) ?? `${name} refused`);
      return text;
    },
    close: () => client.close(),
  };
}

/** What a connection throws that ended at either side. */
const ENDED = [
  Deno.errors.ConnectionReset,
  Deno.errors.ConnectionAborted,
  Deno.errors.BrokenPipe,
  Deno.errors.NotConnected,
  Deno.errors.UnexpectedEof,
  Deno.errors.BadResource,
  Deno.errors.Interrupted,
] as const;

function isAway(error: unknown): boolean {
  return error instanceof ConnectFault || error instanceof EndFault ||
    ENDED.some((kind) => error instanceof kind);
}

/** What a refusal says for people; null where it is none of ours. */
function detailOf(text: string): string | null {
  try {
    const problem: unknown = JSON.parse(text);
    return isRecord(problem) && typeof problem["detail"] === "string" ? problem["detail"] : null;
  } catch {
    return null;
  }
}
