import { feedPoll, type Poll } from "../../core/ipc/feed.ts";
import { socketClient } from "../../core/ipc/socket_client.ts";
import type { HindranceReport } from "./health_issue_schema.ts";
import { type DnsSnapshot, SnapshotShape } from "./snapshot_schema.ts";

/** The api as dnsd sees it. Calls throw while it is away. */
export interface DnsApi {
  readonly snapshot: Poll<DnsSnapshot>;
  /** Tells all that keeps names from being answered. */
  hindered(report: HindranceReport): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function dnsApi(socket: string, ending: AbortSignal): DnsApi {
  const client = socketClient({ name: "The api", socket, ending });
  return {
    snapshot: feedPoll(client, "/snapshot", SnapshotShape),
    async hindered(report) {
      await client.call("/hindrances", report);
    },
    close: client.close,
  };
}
