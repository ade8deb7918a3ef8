import { isRecord } from "../config/json.ts";
import { Problem } from "../errors/problem.ts";
import { HttpClient } from "./http/client.ts";
import { askWhole, type WholeAnswer } from "./http/whole.ts";

/** A program of ours behind its unix socket, as another of ours calls it. */
export interface SocketClient {
  /**
   * Asks, or tells where there is a body, which goes as JSON and is sent once; answers the text of the
   * answer. Throws Problem with the status and words of a refusal, TypeError while the program is away, as
   * fetch does, and the reason of what ended the call.
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
      throw new TypeError(`${name} does not answer`, { cause: error });
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

/** What a refusal says for people; null where it is none of ours. */
function detailOf(text: string): string | null {
  try {
    const problem: unknown = JSON.parse(text);
    return isRecord(problem) && typeof problem["detail"] === "string" ? problem["detail"] : null;
  } catch {
    return null;
  }
}
