import { socketClient } from "../../core/ipc/socket_client.ts";
import type { HindranceReport } from "./health_issue_schema.ts";
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
  const { call, close } = socketClient({ name: "The api", socket, ending });
  return {
    async snapshot(known) {
      const text = await call(`/snapshot?known=${encodeURIComponent(known)}`);
      return SnapshotShape.parse(JSON.parse(text));
    },
    async hindered(report) {
      await call("/hindrances", report);
    },
    close,
  };
}
