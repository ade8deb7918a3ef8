import { PLACES } from "../../parts/areas.ts";
import { covers, type RouteLine, type Scope } from "./scopes.ts";

/** What a page shows and what can be changed there, as the routes that it asks. */
interface PageRoutes {
  readonly href: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The routes of the pages that a token can do the same as. */
export const PAGE_ROUTES: readonly PageRoutes[] = [
  {
    href: "/admin/devices",
    reads: ["/devices", "/groups"],
    writes: ["PUT /device", "DELETE /device"],
  },
  {
    href: "/admin/groups",
    reads: ["/groups", "/devices"],
    writes: ["PUT /groups", "DELETE /groups"],
  },
  {
    href: "/admin/rules",
    reads: ["/firewall/config"],
    writes: [
      "PUT /firewall/forward",
      "PUT /firewall/block",
      "PUT /firewall/block_forward",
      "PUT /firewall/block_output",
      "PUT /firewall/service_port",
      "PUT /firewall/endpoint",
      "PUT /firewall/multicast",
      "PUT /firewall/icmp",
    ],
  },
  { href: "/admin/reach", reads: ["/reach", "/reach/tests"], writes: ["PUT /reach/tests"] },
  {
    href: "/admin/network",
    reads: ["/interfacesConfiguration", "/ip/addr", "/arp", "/network"],
    writes: ["PUT /link/config", "PUT /uplink/ip"],
  },
  {
    href: "/admin/addresses",
    reads: ["/subnetConfig", "/dhcp/pools", "/dhcp/leases"],
    writes: ["PUT /subnetConfig"],
  },
  {
    href: "/admin/multicast",
    reads: ["/multicastSettings", "/multicast/heard"],
    writes: ["PUT /multicastSettings"],
  },
  {
    href: "/admin/changes",
    reads: ["/changes"],
    writes: ["PUT /changes/{id}/undo", "PUT /changes/{id}/confirm"],
  },
];

/** A page whose work a token can do, as far as it goes. */
export interface PageScope {
  readonly word: string;
  readonly mode: "read" | "read and change";
}

/** The pages whose routes the scopes cover, all of them, in the order of the side. */
export function pagesOf(
  scopes: readonly Scope[],
  routes: readonly RouteLine[],
): readonly PageScope[] {
  const open = new Set(
    routes.filter((route) => covers(scopes, route)).map(({ method, path }) => `${method} ${path}`),
  );
  return PLACES.flatMap(({ href, word }): readonly PageScope[] => {
    const page = PAGE_ROUTES.find((one) => one.href === href);
    if (page === undefined || !page.reads.every((path) => open.has(`GET ${path}`))) return [];
    const changes = page.writes.every((write) => open.has(write));
    return [{ word, mode: changes ? "read and change" : "read" }];
  });
}
