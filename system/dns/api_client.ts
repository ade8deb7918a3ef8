import { Problem } from "../core/problem.ts";
import { type DnsSnapshot, SnapshotShape } from "./snapshot_schema.ts";

/** The api as dnsd sees it. Calls throw while it is away. */
export interface DnsApi {
  /** Waits until the snapshot is another than the known one. */
  snapshot(known: string): Promise<DnsSnapshot>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function dnsApi(socket: string, ending: AbortSignal): DnsApi {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  return {
    async snapshot(known) {
      const init: RequestInit & { readonly client: Deno.HttpClient } = { client, signal: ending };
      const path = `/snapshot?known=${encodeURIComponent(known)}`;
      const response = await fetch(`http://127.0.0.1${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Problem(response.status, "The api refused");
      return SnapshotShape.parse(JSON.parse(text));
    },
    close: () => client.close(),
  };
}
