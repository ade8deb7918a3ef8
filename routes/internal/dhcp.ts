import * as z from "zod";
import {
  ClientMessage,
  DuplicateMac,
  ForeignSender,
  ForeignServer,
  LeaseDecision,
  Snapshot,
} from "../../system/dhcp/api_schema.ts";
import type { ForeignServers } from "../../system/dhcp/server/foreign_servers.ts";
import type { Leases } from "../../system/dhcp/leases/leases.ts";
import {
  AbstractDhcpRequest,
  DhcpAnswer,
  DhcpRequest,
  DhcpUpdate,
} from "../../system/dhcp/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dhcpSocketRoutes}. */
export interface DhcpSocketDeps {
  readonly leases: Pick<
    Leases,
    "request" | "reserve" | "update" | "reportDuplicate" | "reportForeignSender"
  >;
  /** Decides the reply to a client; null for none. */
  readonly decide: (message: ClientMessage) => Promise<LeaseDecision | null>;
  readonly foreign: Pick<ForeignServers, "report">;
  /** Waits for another snapshot than the known one. */
  readonly snapshot: (known: string) => Promise<Snapshot>;
}

/** All routes of the DHCP server's socket. */
export function dhcpSocketRoutes({ leases, decide, foreign, snapshot }: DhcpSocketDeps): Route[] {
  const common = { method: "PUT", tag: "Leases", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/snapshot",
      summary: "Snapshot that dhcpd works from",
      description:
        "Waits until the snapshot differs from the one whose tag is sent as `known`, then returns " +
        "the interfaces to serve and the leases.",
      query: z.object({ known: z.string().max(8192).default("") }),
      response: Snapshot,
    }, ({ query }) => snapshot(query.known)),
    route({
      ...common,
      path: "/decide",
      summary: "Decide the reply to a client's message",
      description:
        "Decides which address a client is offered or given; null means that it gets no reply.",
      body: ClientMessage,
      response: z.object({ decision: LeaseDecision.nullable() }),
      errors: [409, 503],
    }, async ({ body }) => ({ decision: await decide(body) })),
    route({
      ...common,
      path: "/foreignServer",
      summary: "Report whether another DHCP server answers on an interface",
      description:
        "`foreign` in the response tells whether it is one: dhcpd then starts none there.",
      body: ForeignServer,
      response: z.object({ foreign: z.boolean() }),
    }, async ({ body }) => ({ foreign: await foreign.report(body) })),
    route({
      ...common,
      path: "/duplicateMac",
      summary: "Report a client that was refused since its MAC address answers elsewhere",
      description: "Opens a notice: two devices may use the same MAC address.",
      body: DuplicateMac,
    }, ({ body }) => leases.reportDuplicate(body)),
    route({
      ...common,
      path: "/foreignSender",
      summary: "Report a client whose messages come from another MAC address",
      description: "Opens a notice: the device is behind a repeater, or another one uses its name.",
      body: ForeignSender,
    }, ({ body }) => leases.reportForeignSender(body)),
    route({
      ...common,
      path: "/dhcpRequest",
      summary: "Lease an address to a MAC address",
      description:
        "Leases the device's address, and creates an unknown device where admission allows it.",
      body: DhcpRequest,
      response: DhcpAnswer,
      errors: [409, 503],
    }, ({ body }) => leases.request(body)),
    route({
      ...common,
      path: "/abstractDhcpRequest",
      summary: "Reserve an address for a peer for five minutes",
      description:
        "The reservation is for VPN peers that have yet to be added, and lapses unless they are.",
      body: AbstractDhcpRequest,
      response: DhcpAnswer,
      errors: [409],
    }, ({ body }) => leases.reserve(body)),
    route({
      ...common,
      path: "/dhcpUpdate",
      summary: "Record the address that a client was given",
      description:
        "Records an address that another DHCP server of this machine gave, so that the device is " +
        "known by it.",
      body: DhcpUpdate,
      errors: [409],
    }, ({ body }) => leases.update(body)),
  ];
}
