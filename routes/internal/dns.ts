import * as z from "zod";
import { HealthIssueReport } from "../../system/dns/config/health_issue_schema.ts";
import { type DnsSnapshot, SnapshotShape } from "../../system/dns/config/snapshot_schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dnsSocketRoutes}. */
export interface DnsSocketDeps {
  /** Waits until the snapshot differs from the known one. */
  readonly snapshot: (known: string) => Promise<DnsSnapshot>;
  /** Receives all current health issues. */
  readonly reportHealthIssues: (report: HealthIssueReport) => Promise<void>;
}

/** The api's socket for dnsd: snapshots and health issues. */
export function dnsSocketRoutes({ snapshot, reportHealthIssues }: DnsSocketDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/snapshot",
      summary: "Snapshot that dnsd works from",
      description:
        "Waits until the snapshot differs from the one whose tag is sent as `known`, then returns " +
        "settings, local names and listeners.",
      tag: "Resolver",
      access: "auth",
      query: z.object({ known: z.string().max(64).default("") }),
      response: SnapshotShape,
    }, ({ query }) => snapshot(query.known)),
    route({
      method: "PUT",
      path: "/health/issues",
      summary: "Report the health issues of the resolver",
      description:
        "Replaces the issues that were reported before; those that are missing are resolved.",
      tag: "Resolver",
      access: "auth",
      body: HealthIssueReport,
    }, ({ body }) => reportHealthIssues(body)),
  ];
}
