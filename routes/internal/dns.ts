import { z } from "zod";
import { HindranceReport } from "../../system/dns/config/health_issue_schema.ts";
import { type DnsSnapshot, SnapshotShape } from "../../system/dns/config/snapshot_schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the resolver need from outside. */
export interface DnsSocketDeps {
  /** Waits until the snapshot is another than the known one. */
  readonly snapshot: (known: string) => Promise<DnsSnapshot>;
  /** Takes in what keeps names from being answered. */
  readonly hindered: (report: HindranceReport) => Promise<void>;
}

/** Everything on the socket of the resolver. */
export function dnsSocketRoutes({ snapshot, hindered }: DnsSocketDeps): Route[] {
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
      path: "/hindrances",
      summary: "Report the health issues of the resolver",
      description:
        "Replaces the issues that were reported before; those that are missing are resolved.",
      tag: "Resolver",
      access: "auth",
      body: HindranceReport,
    }, ({ body }) => hindered(body)),
  ];
}
