import * as z from "zod";
import {
  addExclusion,
  deleteExclusion,
  disableBypassCheck,
  disableRebindingCheck,
  setQuarantineHost,
  setRefreshInterval,
} from "../../system/dns/block/rules.ts";
import { BlockConfig, PlainIp } from "../../system/dns/block/schema.ts";
import { type Route, route } from "../http/route.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

const Seconds = z.object({
  seconds: z.string().regex(/^\d{1,9}$/, { error: "Enter a number of seconds; 0 is a week" })
    .transform(Number).pipe(BlockConfig.shape.RefreshSeconds.unwrap()),
});

/** Anything but `true` is false. */
const Value = z.object({
  value: z.string().default("").transform((text) => text.trim().toLowerCase() === "true"),
});

/** Settings of blocking and excluded devices. */
export function blockSettingRoutes({ engine }: DnsBlockRouteDeps): Route[] {
  const common = BLOCK_ROUTE;
  const exclusions = { ...common, path: `${BLOCK_PATH}/exclusions` } as const;
  const quarantine = { ...common, path: `${BLOCK_PATH}/quarantineHost` } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/config`,
      summary: "Block lists, overrides, excluded devices and settings of blocking",
      description: "Returns the whole configuration of DNS blocking.",
      response: BlockConfig,
    }, () => engine.config.dnsBlock),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/setRefresh`,
      summary: "Set the interval of block list updates",
      description: "Lists are updated once an hour at most; 0 is the default of one week.",
      examples: { parameters: { seconds: "86400" } },
      query: Seconds,
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.refresh",
        summary: `Set the block list update interval to ${call.query.seconds || 604_800} seconds`,
        reduce: (config) => setRefreshInterval(config, call.query.seconds),
      })),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/disableRebinding`,
      summary: "Turn DNS rebinding protection off or on",
      description:
        "`value=true` turns the protection off. While it is on, public names that resolve to local " +
        "addresses are blocked.",
      examples: { parameters: { value: "true" } },
      query: Value,
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.rebinding",
        summary: call.query.value
          ? "Turned off DNS rebinding protection"
          : "Turned on DNS rebinding protection",
        reduce: (config) => disableRebindingCheck(config, call.query.value),
      })),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/disableBypassCheck`,
      summary: "Allow or prevent that devices bypass the router's DNS",
      description:
        "`value=true` turns the check off. While it is on, the names by which devices look for another " +
        "resolver (`_dns.resolver.arpa`, `use-application-dns.net`, `mask.icloud.com`, " +
        "`mask-h2.icloud.com`) are answered as if there were none, for devices that a block list, an " +
        "override that blocks, or the family filter applies to.",
      examples: { parameters: { value: "true" } },
      query: Value,
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.bypass",
        summary: call.query.value
          ? "Turned off the check of names that bypass the router's DNS"
          : "Turned on the check of names that bypass the router's DNS",
        reduce: (config) => disableBypassCheck(config, call.query.value),
      })),
    route({
      ...quarantine,
      method: "PUT",
      summary: "Set the quarantine redirect",
      description:
        "Every name resolves to this address for devices in quarantine, for example to show a page; " +
        '`""` removes it.',
      body: z.union([PlainIp, z.literal("")]),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.quarantine",
        summary: call.body === ""
          ? "Removed the quarantine redirect"
          : `Redirected devices in quarantine to ${call.body}`,
        reduce: (config) => setQuarantineHost(config, call.body),
      })),
    route({
      ...quarantine,
      method: "DELETE",
      summary: "Remove the quarantine redirect",
      description: "Names no longer resolve for devices in quarantine (NXDOMAIN).",
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.quarantine",
        summary: "Removed the quarantine redirect",
        reduce: (config) => setQuarantineHost(config, ""),
      })),
    route({
      ...exclusions,
      method: "GET",
      summary: "Addresses of excluded devices",
      description: "Nothing is blocked or rewritten for these client addresses.",
      response: BlockConfig.shape.ClientIPExclusions,
    }, () => engine.config.dnsBlock.ClientIPExclusions),
    route({
      ...exclusions,
      method: "PUT",
      summary: "Exclude a device from blocking",
      description:
        "Takes the address of the device as a JSON string. Nothing is blocked or rewritten for it.",
      body: PlainIp,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.exclude",
        summary: `Excluded ${call.body} from blocking`,
        reduce: (config) => addExclusion(config, call.body),
      })),
    route({
      ...exclusions,
      method: "DELETE",
      summary: "Remove a device from the exclusions",
      description: "Takes the address as a JSON string; 404 if it is not excluded.",
      body: PlainIp,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.include",
        summary: `Removed ${call.body} from the exclusions`,
        reduce: (config) => deleteExclusion(config, call.body),
      })),
  ];
}
