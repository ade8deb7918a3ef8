import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { Command } from "../../system/core/engine/change.ts";
import { conflict } from "../../system/core/errors/problem.ts";
import {
  blockCountry,
  blockNetwork,
  cutsOff,
  setGeoBlock,
  unblockCountry,
  unblockNetwork,
} from "../../system/geo/rules.ts";
import { LOOKED_BACK_DAYS } from "../../system/geo/effects.ts";
import { InsightsOverview } from "../../system/traffic/schema.ts";
import { AsnText, CountryCode, GeoBlockConfig, GeoBlockStatus } from "../../system/geo/schema.ts";
import { flag } from "../http/decide.ts";
import type { FirewallDeps } from "./deps.ts";
import { type Call, type Route, route, type RouteDescription } from "../http/route.ts";

const PATH = "/firewall/geo_block";

type GeoCommand = Command<Config, GeoBlockConfig>;

/** Blocking by country, network and list. */
export function geoBlockRoutes(deps: FirewallDeps): Route[] {
  const { engine, geo } = deps;
  const common = { tag: "Firewall", access: "auth", document: "geoBlock" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: `${PATH}/config`,
      summary: "What is blocked by country and network",
      description:
        "Countries, networks (ASN) and lists with which no connection may be opened, in either " +
        "direction.",
      response: GeoBlockConfig,
    }, () => engine.config.geoBlock),
    route(
      {
        ...common,
        method: "PUT",
        path: `${PATH}/config`,
        summary: "Set what is blocked by country and network",
        description:
          "Replaces the whole settings. `RefreshSeconds` of 0 means a day. The response comes once the " +
          "kernel has the ranges, or their status tells why it has not.",
        body: GeoBlockConfig,
        response: GeoBlockConfig,
        errors: [409, 412],
      },
      (call) =>
        decided(deps, call, {
          kind: "geo-block.set",
          summary: "Changed what is blocked by country and network",
          reduce: (config) => setGeoBlock(config, call.body),
        }),
    ),
    route({
      tag: "Firewall",
      access: "auth",
      method: "GET",
      path: `${PATH}/status`,
      summary: "Status of blocking by country and network",
      description:
        "Number of ranges in the kernel, and for each country, network and list its ranges, its last " +
        "download and what it has blocked.",
      response: GeoBlockStatus,
    }, () => geo.status()),
    route({
      tag: "Firewall",
      access: "auth",
      method: "PUT",
      path: `${PATH}/refresh`,
      summary: "Download the lists and load all ranges anew",
      description:
        "Returns the status once that is done. A list that cannot be downloaded keeps its last copy.",
      response: GeoBlockStatus,
    }, async () => {
      await geo.refresh();
      return await geo.status();
    }),
    ...countryRoutes(deps),
    ...networkRoutes(deps),
  ];
}

const CHANGES = {
  tag: "Firewall",
  access: "auth",
  document: "geoBlock",
  response: GeoBlockConfig,
  errors: [409, 412],
} as const;

function countryRoutes(deps: FirewallDeps): Route[] {
  const common = {
    ...CHANGES,
    path: `${PATH}/country/{cc}`,
    params: z.object({ cc: CountryCode }),
    examples: { parameters: { cc: "NL" } },
  } as const;
  return [
    route({
      ...common,
      method: "PUT",
      summary: "Block a country",
      description: "Adds the country at the end of the list. Returns all settings.",
    }, (call) =>
      decided(deps, call, {
        kind: "geo-block.country.add",
        summary: `Blocked the country ${call.params.cc}`,
        reduce: (config) => blockCountry(config, call.params.cc),
      })),
    route({
      ...common,
      method: "DELETE",
      summary: "Unblock a country",
      description: "Removes the country from the list. Returns all settings.",
    }, (call) =>
      decided(deps, call, {
        kind: "geo-block.country.delete",
        summary: `Unblocked the country ${call.params.cc}`,
        reduce: (config) => unblockCountry(config, call.params.cc),
      })),
  ];
}

function networkRoutes(deps: FirewallDeps): Route[] {
  const common = {
    ...CHANGES,
    path: `${PATH}/asn/{asn}`,
    params: z.object({ asn: AsnText }),
    examples: { parameters: { asn: "64496" } },
  } as const;
  return [
    route({
      ...common,
      method: "PUT",
      summary: "Block a network",
      description:
        "Adds the network (ASN) at the end of the list, with its name where that is known. Returns all " +
        "settings.",
    }, async (call) => {
      const { asn } = call.params;
      const Name = await deps.lookup.networkName(asn);
      return await decided(deps, call, {
        kind: "geo-block.asn.add",
        summary: `Blocked the network AS${asn}`,
        reduce: (config) => blockNetwork(config, { ASN: asn, Name }),
      });
    }),
    route({
      ...common,
      method: "DELETE",
      summary: "Unblock a network",
      description: "Removes the network (ASN) from the list. Returns all settings.",
    }, (call) =>
      decided(deps, call, {
        kind: "geo-block.asn.delete",
        summary: `Unblocked the network AS${call.params.asn}`,
        reduce: (config) => unblockNetwork(config, call.params.asn),
      })),
  ];
}

/** The decision about a change, whose response waits until the kernel follows it. */
async function decided<D extends RouteDescription & { readonly response: typeof GeoBlockConfig }>(
  deps: FirewallDeps,
  call: Call<D>,
  command: GeoCommand,
): Promise<Response> {
  await refuseLockout(deps, call, command);
  if (flag(call.c, "dryRun")) await loadRecentTraffic(deps);
  const decide = call.decide as unknown as (
    command: GeoCommand,
    answer: (result: GeoBlockConfig) => GeoBlockConfig,
  ) => Promise<Response>;
  const response = await decide(command, (result) => result);
  await deps.geo.follow();
  return response;
}

/** Loads what the preview says of traffic; where it cannot be read, it says nothing. */
async function loadRecentTraffic({ traffic, recentTraffic }: FirewallDeps): Promise<void> {
  try {
    await traffic.counters.readFlows().catch(() => {
      // What is stored counts.
    });
    const text = await traffic.insights.overview(LOOKED_BACK_DAYS * 1440);
    recentTraffic.overview = InsightsOverview.parse(JSON.parse(text));
  } catch {
    recentTraffic.overview = null;
  }
}

/**
 * Throws Problem 409 for a change by which its caller, from an address on the Internet, would block
 * itself. Ranges are loaded after the change, where its own guard does not see them.
 */
async function refuseLockout<D extends RouteDescription>(
  { engine, lookup }: FirewallDeps,
  { c, caller }: Call<D>,
  command: GeoCommand,
): Promise<void> {
  const isTried = c.req.header("confirm-within") !== undefined || flag(c, "dryRun");
  if (caller.connection === null || isTried || flag(c, "force")) return;
  const [, next] = command.reduce(engine.config);
  const [info] = await lookup.lookupMany([caller.connection.source]);
  const why = info === undefined ? null : cutsOff(next, info);
  if (why === null) return;
  throw conflict(
    `This would lock you out: you are connected from ${caller.connection.source}, and ${why}. ` +
      "Confirm it within a window, or force it",
    { refusal: "lockout", source: caller.connection.source },
  );
}
