import { z } from "zod";
import type { Leases } from "../../system/dhcp/leases.ts";
import {
  AbstractDhcpRequest,
  DhcpAnswer,
  DhcpRequest,
  DhcpUpdate,
} from "../../system/dhcp/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the DHCP server need from outside. */
export interface DhcpSocketDeps {
  readonly leases: Leases;
  /** Waits until the links to serve are others than these. */
  readonly changedLinks: (known: readonly string[]) => Promise<readonly string[]>;
}

/** Everything on the socket of the DHCP server. */
export function dhcpSocketRoutes({ leases, changedLinks }: DhcpSocketDeps): Route[] {
  const common = { method: "PUT", tag: "Leases", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/downlinks",
      summary: "Links to lease addresses on, as soon as they are others than the known ones",
      query: z.object({ known: z.string().max(4096).default("") }),
      response: z.array(z.string()),
    }, ({ query }) => changedLinks(query.known.split(",").filter((name) => name !== ""))),
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
