import type { Leases } from "../../system/dhcp/leases.ts";
import {
  AbstractDhcpRequest,
  DhcpAnswer,
  DhcpRequest,
  DhcpUpdate,
} from "../../system/dhcp/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Everything on the socket of the DHCP server. */
export function dhcpSocketRoutes({ leases }: { readonly leases: Leases }): Route[] {
  const common = { method: "PUT", tag: "Leases", access: "auth" } as const;
  return [
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
