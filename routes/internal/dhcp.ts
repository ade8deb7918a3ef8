import { z } from "zod";
import { Ask, ForeignServer, Snapshot, StillThere, Told } from "../../system/dhcp/ask_schema.ts";
import type { ForeignServers } from "../../system/dhcp/server/foreign_servers.ts";
import type { Leases } from "../../system/dhcp/leases/leases.ts";
import {
  AbstractDhcpRequest,
  DhcpAnswer,
  DhcpRequest,
  DhcpUpdate,
} from "../../system/dhcp/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the DHCP server need from outside. */
export interface DhcpSocketDeps {
  readonly leases: Pick<Leases, "request" | "reserve" | "update" | "stillThere">;
  /** What a client is to be told; null for nothing. */
  readonly ask: (ask: Ask) => Promise<Told | null>;
  readonly foreign: Pick<ForeignServers, "report">;
  /** Waits until the snapshot is another than the known one. */
  readonly snapshot: (known: string) => Promise<Snapshot>;
}

/** Everything on the socket of the DHCP server. */
export function dhcpSocketRoutes({ leases, ask, foreign, snapshot }: DhcpSocketDeps): Route[] {
  const common = { method: "PUT", tag: "Leases", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/snapshot",
      summary: "Links to serve and leases, as soon as they are others than the known ones",
      query: z.object({ known: z.string().max(8192).default("") }),
      response: Snapshot,
    }, ({ query }) => snapshot(query.known)),
    route({
      ...common,
      path: "/ask",
      summary: "Decide what a client is told",
      body: Ask,
      response: z.object({ told: Told.nullable() }),
      errors: [409, 503],
    }, async ({ body }) => ({ told: await ask(body) })),
    route({
      ...common,
      path: "/foreignServer",
      summary: "Tell of another DHCP server on a link",
      body: ForeignServer,
      response: z.object({ foreign: z.boolean() }),
    }, async ({ body }) => ({ foreign: await foreign.report(body.link, body.server) })),
    route({
      ...common,
      path: "/stillThere",
      summary: "Tell of a device that moved and still answers where it was",
      body: StillThere,
    }, ({ body }) => leases.stillThere(body)),
    route({
      ...common,
      path: "/dhcpRequest",
      summary: "Lease an address to a card",
      body: DhcpRequest,
      response: DhcpAnswer,
      errors: [409, 503],
    }, ({ body }) => leases.request(body)),
    route({
      ...common,
      path: "/abstractDhcpRequest",
      summary: "Reserve an address for a peer to come; it waits five minutes",
      body: AbstractDhcpRequest,
      response: DhcpAnswer,
      errors: [409],
    }, ({ body }) => leases.reserve(body)),
    route({
      ...common,
      path: "/dhcpUpdate",
      summary: "Record the address that a card was given",
      body: DhcpUpdate,
      errors: [409],
    }, ({ body }) => leases.update(body)),
  ];
}
