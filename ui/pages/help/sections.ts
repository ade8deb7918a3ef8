import { PAGES } from "../registry.ts";

/** The section of the manual that each page is about, by the path of its record. */
export const SECTIONS: Readonly<Record<string, string>> = {
  "/admin": "interface",
  "/admin/devices": "interface#lists",
  "/admin/devices/add": "interface#new-devices",
  "/admin/devices/import": "backup#from-another-router",
  "/admin/devices/:identity": "interface#edits-of-a-device",
  "/admin/alerts": "alerts",
  "/admin/firewall": "firewall#groups-endpoints-and-rules",
  "/admin/groups": "interface#groups",
  "/admin/groups/:name": "interface#groups",
  "/admin/firewall/countries": "firewall#blocking-by-country-and-network",
  "/admin/reach": "firewall#reach",
  "/admin/reach/matrix": "interface#access-matrix",
  "/admin/wifi": "wifi",
  "/admin/mesh": "mesh",
  "/admin/network": "network",
  "/admin/topology": "network",
  "/admin/traffic": "traffic",
  "/admin/uplink": "network#uplinks",
  "/admin/dhcp": "dhcp",
  "/admin/vpn": "vpn",
  "/admin/vpn/add": "vpn#add-a-device",
  "/admin/multicast": "multicast",
  "/admin/dns": "query_log",
  "/admin/dns/lists": "blocking#block-lists",
  "/admin/dns/overrides": "blocking#overrides",
  "/admin/dns/names": "dns#order-of-decision",
  "/admin/dns/settings": "dns#upstream-resolvers",
  "/admin/machine": "diagnostics#system-information",
  "/admin/events": "events",
  "/admin/changes/:id?": "changes",
  "/admin/access": "security#users-and-api-clients",
  "/admin/machine/logs": "diagnostics#logs",
  "/admin/plugins": "plugins",
  "/admin/plugins/:name": "plugins#pages",
  "/admin/backup": "backup",
  "/admin/help/:id?": "interface",
  "/admin/setup": "first_steps",
};

/** Address of the section of the manual that an address of the web interface is about. */
export function helpFor(address: string): string {
  const parts = address.replace(/\/$/, "").split("/");
  const found = PAGES.filter(({ path }) => fits(path.split("/"), parts))
    // A page of its own comes before one with a parameter in its place.
    .toSorted((a, b) => parametersOf(a.path) - parametersOf(b.path))[0];
  const section = found === undefined ? undefined : SECTIONS[found.path];
  return section === undefined ? "/admin/help" : `/admin/help/${section}`;
}

function parametersOf(path: string): number {
  return path.split(":").length - 1;
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return pattern.length >= parts.length &&
    pattern.every((one, at) =>
      one.startsWith(":") ? one.endsWith("?") || (parts[at] ?? "") !== "" : one === parts[at]
    );
}
