import { dnsLogConfigRoutes } from "./dns/query_log_config.ts";
import { dnsLogReadRoutes, type DnsLogReadsDeps } from "./dns/query_log.ts";
import { type DnsSettingsDeps, dnsSettingsRoutes } from "./dns/settings.ts";
import { type HostnamesDeps, hostnamesRoutes } from "./dns/hostnames.ts";
import { type DnsStatusDeps, dnsStatusRoutes } from "./dns/status.ts";
import type { Route } from "./http/route.ts";

/** What the routes of the resolver need from outside. */
export type DnsDeps = DnsSettingsDeps & HostnamesDeps & DnsLogReadsDeps & DnsStatusDeps;

/** The resolver: upstreams, local DNS records, query log and status. */
export function dnsRoutes(deps: DnsDeps): Route[] {
  return [
    ...dnsSettingsRoutes(deps),
    ...hostnamesRoutes(deps),
    ...dnsLogConfigRoutes(deps),
    ...dnsLogReadRoutes(deps),
    ...dnsStatusRoutes(deps),
  ];
}
