import { isRecord } from "../config/json.ts";
import { Problem } from "../errors/problem.ts";

/** A program of ours behind its unix socket, as another of ours calls it. */
export interface SocketClient {
  /**
   * Asks, or tells where there is a body, which goes as JSON; answers the text of the answer. Throws
   * Problem with the status and words of a refusal, and what fetch throws while the program is away.
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
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  return {
    async call(path, body) {
      const late = patience === undefined || body === undefined
        ? []
        : [AbortSignal.timeout(patience)];
      const init: RequestInit & { readonly client: Deno.HttpClient } = {
        client,
        signal: late.length === 0 ? ending : AbortSignal.any([ending, ...late]),
        ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
      };
      const response = await fetch(`http://127.0.0.1${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Problem(response.status, detailOf(text) ?? `${name} refused`);
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
