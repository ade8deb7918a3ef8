import { z } from "zod";
import {
  addExclusion,
  deleteExclusion,
  disableRebindingCheck,
  setQuarantineHost,
  setRefreshInterval,
} from "../../system/dns/block/rules.ts";
import { BlockConfig, PlainIp } from "../../system/dns/block/schema.ts";
import { type Route, route } from "../http/route.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

const Seconds = z.object({
  seconds: z.string().regex(/^\d{1,9}$/, { error: "Write a number of seconds; 0 is a week" })
    .transform(Number).pipe(BlockConfig.shape.RefreshSeconds.unwrap()),
});

/** Anything but `true` is false. */
const Value = z.object({
  value: z.string().default("").transform((text) => text.trim().toLowerCase() === "true"),
});

/** Single settings of blocking, and whom it leaves alone. */
export function blockSettingRoutes({ engine }: DnsBlockRouteDeps): Route[] {
  const common = BLOCK_ROUTE;
  const exclusions = { ...common, path: `${BLOCK_PATH}/exclusions` } as const;
  const quarantine = { ...common, path: `${BLOCK_PATH}/quarantineHost` } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/config`,
      summary: "Block lists, overrides, exclusions and settings of blocking",
      response: BlockConfig,
    }, () => engine.config.dnsBlock),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/setRefresh`,
      summary: "Set the seconds between looks at a list, an hour at least; 0 is a week",
      query: Seconds,
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.refresh",
        summary: `Look at block lists every ${call.query.seconds || 604_800} seconds`,
        reduce: (config) => setRefreshInterval(config, call.query.seconds),
      })),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/disableRebinding`,
      summary: "With true, let names of the Internet lead to addresses at home",
      query: Value,
      errors: [400, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.rebinding",
        summary: call.query.value
          ? "Let names of the Internet lead to addresses at home"
          : "Refuse names of the Internet that lead to addresses at home",
        reduce: (config) => disableRebindingCheck(config, call.query.value),
      })),
    route({
      ...quarantine,
      method: "PUT",
      summary: "Set the address that devices in quarantine get for every name",
      body: z.union([PlainIp, z.literal("")]),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.quarantine",
        summary: call.body === ""
          ? "Answer devices in quarantine nothing"
          : `Lead devices in quarantine to ${call.body}`,
        reduce: (config) => setQuarantineHost(config, call.body),
      })),
    route({
      ...quarantine,
      method: "DELETE",
      summary: "Answer devices in quarantine nothing",
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.quarantine",
        summary: "Answer devices in quarantine nothing",
        reduce: (config) => setQuarantineHost(config, ""),
      })),
    route({
      ...exclusions,
      method: "GET",
      summary: "Addresses of clients that nothing is blocked for",
      response: BlockConfig.shape.ClientIPExclusions,
    }, () => engine.config.dnsBlock.ClientIPExclusions),
    route({
      ...exclusions,
      method: "PUT",
      summary: "Block nothing for a client",
      body: PlainIp,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.exclude",
        summary: `Block nothing for ${call.body}`,
        reduce: (config) => addExclusion(config, call.body),
      })),
    route({
      ...exclusions,
      method: "DELETE",
      summary: "Block for a client as for the others",
      body: PlainIp,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block.include",
        summary: `Block for ${call.body} as for the others`,
        reduce: (config) => deleteExclusion(config, call.body),
      })),
  ];
}
