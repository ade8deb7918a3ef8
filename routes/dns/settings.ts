import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { orBlank, UnicastResolver } from "../../system/devices/schema.ts";
import {
  setDnsSettings,
  setSystemResolver,
  storedSettings,
} from "../../system/dns/config/rules.ts";
import {
  DnsSettingsResponse,
  DnsSettingsUpdate,
  settingsResponse,
} from "../../system/dns/config/settings_schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the resolver's settings need from outside. */
export interface DnsSettingsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

/** Whom the resolver asks, and whom the router itself does. */
export function dnsSettingsRoutes({ engine }: DnsSettingsDeps): Route[] {
  const common = { path: "/dnsSettings", tag: "DNS", access: "auth", document: "dns" } as const;
  return [
    route({
      method: "GET",
      ...common,
      summary: "Upstream DNS settings",
      description:
        "Returns the upstream resolvers for all devices and for those with the policy `dns:family`. " +
        "The single fields repeat the first entry of each list, for older clients.",
      response: DnsSettingsResponse,
    }, () => settingsResponse(engine.config.dns)),
    route({
      method: "PUT",
      ...common,
      summary: "Set the upstream DNS servers",
      description:
        "Each resolver is used over TLS with the name in its certificate, or unencrypted with " +
        "`DisableTls`. Send the single fields, a list, or both; without a list the single fields " +
        "are the whole list. The fastest resolver that is up is used.",
      body: DnsSettingsUpdate,
      response: DnsSettingsResponse,
      errors: [409, 412],
    }, (call) => {
      // The first resolver may be in the list only.
      const { UpstreamIPAddress } = storedSettings(call.body, engine.config.dns);
      return call.decide({
        kind: "dns.set",
        summary: `Set the upstream DNS server to ${UpstreamIPAddress}`,
        reduce: (config) => setDnsSettings(config, call.body),
      }, settingsResponse);
    }),
    route({
      method: "PUT",
      path: "/firewall/systemDnsOverride",
      tag: "DNS",
      access: "auth",
      document: "firewall",
      summary: "Use one upstream resolver for everything",
      description: "Replaces the default upstream resolvers by one address, which is queried " +
        'unencrypted; `""` removes the override.',
      examples: { body: "9.9.9.9" },
      body: z.string().trim().pipe(orBlank(UnicastResolver)),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.override",
        summary: call.body === ""
          ? "Returned to the upstream DNS servers of the settings"
          : `Set ${call.body} as the upstream DNS server for everything`,
        reduce: (config) => setSystemResolver(config, call.body),
      })),
  ];
}
