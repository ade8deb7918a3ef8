import { Problem } from "../core/problem.ts";
import {
  type Ask,
  type ForeignServer,
  Snapshot,
  type StillThere,
  type Told,
} from "./ask_schema.ts";

/** Milliseconds after which a question is given up; the client asks again. */
const PATIENCE = 5000;

type ApiInit = RequestInit & { readonly client: Deno.HttpClient };

/** The api as the DHCP server sees it. Every call throws Problem for a refusal, else: it is away. */
export interface DhcpApi {
  ask(ask: Ask): Promise<Told | null>;
  /** Waits until the snapshot is another than the known one. */
  snapshot(known: string): Promise<Snapshot>;
  /** True when that server is another than we. */
  foreign(found: ForeignServer): Promise<boolean>;
  /** A device that moved still answers where it was. */
  stillThere(found: StillThere): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function dhcpApi(socket: string, ending: AbortSignal): DhcpApi {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  async function call(path: string, body?: unknown): Promise<unknown> {
    const late = body === undefined ? [] : [AbortSignal.timeout(PATIENCE)];
    const init: ApiInit = {
      client,
      signal: AbortSignal.any([ending, ...late]),
      ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://127.0.0.1${path}`, init);
    const text = await response.text();
    const answer = text === "" ? null : JSON.parse(text);
    if (!response.ok) throw new Problem(response.status, answer.detail);
    return answer;
  }
  return {
    async ask(ask) {
      return (await call("/ask", ask) as { told: Told | null }).told;
    },
    async snapshot(known) {
      return Snapshot.parse(await call(`/snapshot?known=${encodeURIComponent(known)}`));
    },
    async foreign(found) {
      return (await call("/foreignServer", found) as { foreign: boolean }).foreign;
    },
    async stillThere(found) {
      await call("/stillThere", found);
    },
    close: () => client.close(),
  };
}
