import { Problem } from "../core/problem.ts";
import { type HeardReport, RelayPlan } from "./schema.ts";

type ApiInit = RequestInit & { readonly client: Deno.HttpClient };

/** The api as multicastd sees it. Calls throw while it is away. */
export interface MulticastApi {
  /** Waits until the plan is another than the known one. */
  plan(known: string): Promise<RelayPlan>;
  heard(report: HeardReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function multicastApi(socket: string, ending: AbortSignal): MulticastApi {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  async function call(path: string, body?: unknown): Promise<string> {
    const init: ApiInit = {
      client,
      signal: ending,
      ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://127.0.0.1${path}`, init);
    const answer = await response.text();
    if (!response.ok) throw new Problem(response.status, "The api refused");
    return answer;
  }
  return {
    async plan(known) {
      return RelayPlan.parse(JSON.parse(await call(`/plan?known=${encodeURIComponent(known)}`)));
    },
    async heard(report) {
      await call("/heard", report);
    },
    close: () => client.close(),
  };
}
