import { Problem } from "./problem.ts";

/** A program of ours behind its unix socket, as another of ours calls it. */
export interface SocketClient {
  /**
   * Asks, or tells where there is a body, which goes as JSON; answers the text of the answer. Throws
   * Problem with the status of a refusal, and what fetch throws while the program is away.
   */
  call(path: string, body?: unknown): Promise<string>;
  close(): void;
}

/** Opens the way to a program. `name`: what it is called when it refuses; calls end with `ending`. */
export function socketClient(
  { name, socket, ending }: {
    readonly name: string;
    readonly socket: string;
    readonly ending: AbortSignal;
  },
): SocketClient {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  return {
    async call(path, body) {
      const init: RequestInit & { readonly client: Deno.HttpClient } = {
        client,
        signal: ending,
        ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
      };
      const response = await fetch(`http://127.0.0.1${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Problem(response.status, `${name} refused`);
      return text;
    },
    close: () => client.close(),
  };
}
