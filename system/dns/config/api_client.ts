import { feedPoll, type Poll } from "../../core/ipc/feed.ts";
import { socketClient } from "../../core/ipc/socket_client.ts";
import type { HealthIssueReport } from "./health_issue_schema.ts";
import { type DnsSnapshot, SnapshotShape } from "./snapshot_schema.ts";

/** Calls from dnsd to the api; they throw while it is away. */
export interface DnsApi {
  readonly snapshot: Poll<DnsSnapshot>;
  /** Reports all current health issues. */
  reportHealthIssues(report: HealthIssueReport): Promise<void>;
  close(): void;
}

/** A client of the api's socket for dnsd; calls end with the signal. */
export function dnsApi(socket: string, ending: AbortSignal): DnsApi {
  const client = socketClient({ name: "The api", socket, ending });
  return {
    snapshot: feedPoll(client, "/snapshot", SnapshotShape),
    async reportHealthIssues(report) {
      await client.call("/health/issues", report);
    },
    close: client.close,
  };
}
