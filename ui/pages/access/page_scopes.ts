import { PLACES } from "../../shell/menu.ts";
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
  { href: "/admin/matrix", reads: ["/reach/matrix", "/devices"], writes: [] },
  {
    href: "/admin/network",
    reads: ["/interfacesConfiguration", "/ip/addr", "/arp", "/network"],
    writes: ["PUT /link/config", "PUT /uplink/ip"],
  },
  {
    href: "/admin/addresses",
    reads: ["/subnetConfig", "/dhcp/pools", "/dhcp/leases", "/dhcp/newcomers"],
    writes: ["PUT /subnetConfig", "PUT /dhcp/newcomers"],
  },
  {
    href: "/admin/multicast",
    reads: ["/multicastSettings", "/multicast/heard"],
    writes: ["PUT /multicastSettings"],
  },
  {
    href: "/admin/internet",
    reads: ["/wan/status", "/wan/config", "/wan/outages", "/wan/speedtest"],
    writes: ["PUT /wan/config", "PUT /wan/speedtest/{interface}"],
  },
  {
    href: "/admin/links",
    reads: ["/interfacesConfiguration", "/uplink/ppp"],
    writes: [
      "PUT /link/config",
      "PUT /link/ip",
      "PUT /link/vlan/{interface}/{state}",
      "PUT /uplink/ppp",
      "DELETE /uplink/ppp/{interface}",
    ],
  },
  {
    href: "/admin/dns",
    reads: [
      "/plugins/dns/log/entries",
      "/plugins/dns/log/status",
      "/plugins/dns/block/explain",
      "/devices",
    ],
    writes: [
      "PUT /plugins/dns/block/override/{list}",
      "PUT /plugins/dns/log/domain_ignore/{domain}",
    ],
  },
  {
    href: "/admin/dns/lists",
    reads: ["/plugins/dns/block/config", "/plugins/dns/block/lists"],
    writes: [
      "PUT /plugins/dns/block/blocklists",
      "DELETE /plugins/dns/block/blocklists",
      "PUT /plugins/dns/block/upload/{name}",
      "PUT /plugins/dns/block/refresh",
    ],
  },
  {
    href: "/admin/dns/overrides",
    reads: ["/plugins/dns/block/config", "/devices"],
    writes: [
      "PUT /plugins/dns/block/override/{list}",
      "DELETE /plugins/dns/block/override/{list}",
      "PUT /plugins/dns/block/overrideList/{list}",
    ],
  },
  {
    href: "/admin/dns/names",
    reads: ["/dns/hostnames"],
    writes: ["PUT /dns/hostnames/{hostname}", "DELETE /dns/hostnames/{hostname}"],
  },
  {
    href: "/admin/dns/settings",
    reads: [
      "/dnsSettings",
      "/dns/status",
      "/plugins/dns/block/config",
      "/plugins/dns/log/settings",
      "/plugins/dns/log/status",
      "/firewall/config",
    ],
    writes: [
      "PUT /dnsSettings",
      "PUT /dns/flush",
      "PUT /plugins/dns/log/settings",
      "DELETE /plugins/dns/log/entries",
      "PUT /plugins/dns/block/quarantineHost",
      "PUT /plugins/dns/block/setRefresh",
      "PUT /plugins/dns/block/disableRebinding",
      "PUT /firewall/systemDnsOverride",
    ],
  },
  {
    href: "/admin/system",
    reads: [
      "/info/hostname",
      "/info/uptime",
      "/time",
      "/release",
      "/releasesAvailable",
      "/checkupdates",
      "/certificate",
      "/interfacesConfiguration",
    ],
    writes: [
      "PUT /info/hostname",
      "PUT /restart",
      "PUT /time/sync",
      "PUT /checkupdates",
      "DELETE /checkupdates",
      "PUT /firewall/enableTLS",
      "DELETE /firewall/enableTLS",
      "PUT /ping/{interface}/{address}",
    ],
  },
  {
    href: "/admin/changes",
    reads: ["/changes"],
    writes: ["PUT /changes/{id}/undo", "PUT /changes/{id}/confirm"],
  },
  { href: "/admin/logs", reads: ["/logs"], writes: [] },
  {
    href: "/admin/backup",
    reads: ["/backup", "/backup/{name}", "/backup/{name}/report"],
    writes: [
      "PUT /backup",
      "DELETE /backup/{name}",
      "PUT /backup/upload",
      "PUT /backup/{name}/restore",
    ],
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
    const changes = page.writes.length > 0 && page.writes.every((write) => open.has(write));
    return [{ word, mode: changes ? "read and change" : "read" }];
  });
}
