import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { ignoreDomains, setLogConfig, unignoreDomain } from "../../system/dns/log/rules.ts";
import { LogConfig } from "../../system/dns/log/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dnsLogConfigRoutes}. */
export interface DnsLogConfigDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

const COMMON = { tag: "DNS log", access: "auth", document: "dnsLog" } as const;
const { HostPrivacyIPList, DomainIgnoreList } = LogConfig.shape;
/** Any of the settings. */
const Sent = LogConfig.partial();

/** One object of some fields, or an array of such objects, as in the response. */
const SentForm = z.union([Sent, z.array(Sent).max(16)])
  .transform((sent) => Array.isArray(sent) ? Object.assign({}, ...sent) as typeof sent[0] : sent)
  .pipe(Sent);

const ConfigAnswer = z.tuple([
  z.object({ HostPrivacyIPList }),
  z.object({ DomainIgnoreList }),
]);

function asList(log: LogConfig): z.output<typeof ConfigAnswer> {
  return [
    { HostPrivacyIPList: log.HostPrivacyIPList },
    { DomainIgnoreList: log.DomainIgnoreList },
  ];
}

/** Settings of the query log: retention and privacy filter. */
export function dnsLogConfigRoutes({ engine }: DnsLogConfigDeps): Route[] {
  const settings = { ...COMMON, path: "/plugins/dns/log/settings", response: LogConfig } as const;
  const config = { ...COMMON, path: "/plugins/dns/log/config", response: ConfigAnswer } as const;
  const set = (sent: z.output<typeof Sent>) => ({
    kind: "dns.log.set",
    summary: sent.StoreLocalMemory === false
      ? "Turned off the query log"
      : "Changed the query log settings",
    reduce: (before: Config) => setLogConfig(before, sent),
  });
  return [
    route(
      {
        method: "GET",
        ...config,
        summary: "Addresses and domains whose queries are not logged",
        description:
          "The privacy filter of the query log, as an array of two objects; existing clients expect " +
          "this form.",
        examples: {
          response: [{ HostPrivacyIPList: ["192.168.2.10"] }, {
            DomainIgnoreList: ["*.example.net"],
          }],
        },
      },
      () => asList(engine.config.dnsLog),
    ),
    route({
      method: "PUT",
      ...config,
      summary: "Set the addresses and domains whose queries are not logged",
      description:
        "Takes one object, or an array of objects as the response has it. Lists that are left out " +
        "stay unchanged.",
      examples: {
        body: [{ HostPrivacyIPList: ["192.168.2.10"] }, { DomainIgnoreList: ["*.example.net"] }],
        response: [{ HostPrivacyIPList: ["192.168.2.10"] }, {
          DomainIgnoreList: ["*.example.net"],
        }],
      },
      body: SentForm,
      errors: [409, 412],
    }, (call) => call.decide(set(call.body), asList)),
    route(
      {
        method: "GET",
        ...settings,
        summary: "Settings of the query log",
        description:
          "Returns whether queries are stored, how long and how much, and the privacy filter.",
      },
      () => engine.config.dnsLog,
    ),
    route({
      method: "PUT",
      ...settings,
      summary: "Change the settings of the query log",
      description:
        "Fields that are left out stay unchanged. With `StoreLocalMemory` false, queries are " +
        "published as events only. A lower retention deletes older queries soon afterwards.",
      examples: { body: { RetentionDays: 30, RetentionMegabytes: 500 } },
      body: Sent,
      errors: [409, 412],
    }, (call) => call.decide(set(call.body), (log) => log)),
    ...listRoutes({ engine }),
  ];
}

function listRoutes({ engine }: DnsLogConfigDeps): Route[] {
  const hosts = {
    ...COMMON,
    path: "/plugins/dns/log/host_privacy_list",
    response: HostPrivacyIPList,
  } as const;
  const domain = {
    ...COMMON,
    path: "/plugins/dns/log/domain_ignore/{domain}",
    params: z.object({ domain: z.string().max(64 * 1024) }),
    response: DomainIgnoreList,
  } as const;
  return [
    route(
      {
        method: "GET",
        ...hosts,
        summary: "Addresses whose queries are not logged",
        description:
          "Client addresses of the privacy filter. Their queries are answered as usual but never " +
          "written down.",
      },
      () => engine.config.dnsLog.HostPrivacyIPList,
    ),
    route({
      method: "PUT",
      ...hosts,
      summary: "Replace the addresses whose queries are not logged",
      description: "Sets the whole list; `[]` or `null` logs the queries of all devices again.",
      // Clients in a language whose empty list is null send that.
      body: HostPrivacyIPList.nullable().transform((list) => list ?? []),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.log.privacy",
        summary: call.body.length === 0
          ? "Logged the queries of all devices"
          : `Stopped logging the queries of ${call.body.slice(0, 5).join(", ")}${
            call.body.length > 5 ? " and others" : ""
          }`,
        reduce: (config) => setLogConfig(config, { HostPrivacyIPList: call.body }),
      }, ({ HostPrivacyIPList }) => HostPrivacyIPList)),
    route({
      method: "GET",
      ...COMMON,
      path: "/plugins/dns/log/domain_ignores",
      summary: "Domains whose queries are not logged",
      description: "Domains of the privacy filter; `*.example.com` covers all subdomains.",
      examples: { response: ["*.example.net"] },
      response: DomainIgnoreList,
    }, () => engine.config.dnsLog.DomainIgnoreList),
    route({
      method: "PUT",
      ...domain,
      summary: "Stop logging queries for a domain",
      description:
        "Adds the domain, or each domain of a comma-separated list, to the privacy filter and " +
        "returns the whole list.",
      examples: { parameters: { domain: "*.example.net" }, response: ["*.example.net"] },
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.log.ignore",
        summary: "Stopped logging queries for more domains",
        reduce: (config) => ignoreDomains(config, call.params.domain),
      }, (list) => list)),
    route({
      method: "DELETE",
      ...domain,
      summary: "Log queries for a domain again",
      description:
        "Removes the domain from the privacy filter and returns the list. A domain that is not in " +
        "the list changes nothing.",
      examples: { parameters: { domain: "*.example.net" }, response: [] },
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.log.unignore",
        summary: "Logged queries for a domain again",
        reduce: (config) => unignoreDomain(config, call.params.domain),
      }, (list) => list)),
  ];
}
