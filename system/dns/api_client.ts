import { Problem } from "../core/problem.ts";
import type { HindranceReport } from "./hindrance_schema.ts";
import { type DnsSnapshot, SnapshotShape } from "./snapshot_schema.ts";

/** The api as dnsd sees it. Calls throw while it is away. */
export interface DnsApi {
  /** Waits until the snapshot is another than the known one. */
  snapshot(known: string): Promise<DnsSnapshot>;
  /** Tells all that keeps names from being answered. */
  hindered(report: HindranceReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function dnsApi(socket: string, ending: AbortSignal): DnsApi {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  async function call(path: string, body?: unknown): Promise<string> {
    const init: RequestInit & { readonly client: Deno.HttpClient } = {
      client,
      signal: ending,
      ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://127.0.0.1${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Problem(response.status, "The api refused");
    return text;
  }
  return {
    async snapshot(known) {
      const text = await call(`/snapshot?known=${encodeURIComponent(known)}`);
      return SnapshotShape.parse(JSON.parse(text));
    },
    async hindered(report) {
      await call("/hindrances", report);
    },
    close: () => client.close(),
  };
}
