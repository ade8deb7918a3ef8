import { z } from "zod";
import {
  deleteOverride,
  deleteOverrideList,
  putOverride,
  putOverrideList,
  renameOverrideList,
} from "../../system/dns/block/rules.ts";
import {
  DEFAULT_OVERRIDE_LIST,
  DomainOverride,
  OverrideListName,
} from "../../system/dns/block/schema.ts";
import {
  OverrideListBody,
  OverrideListRef,
  OverrideName,
} from "../../system/dns/block/api_schema.ts";
import type { Call, RouteDescription } from "../http/route.ts";
import { type Route, route } from "../http/route.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

const List = z.object({ list: OverrideListName });
const NewName = z.object({ Name: OverrideListName });

type Decide = Pick<Call<RouteDescription>, "decide">;

/** Decisions about single domains, by the list that they are in. */
export function overrideRoutes({ now }: DnsBlockRouteDeps): Route[] {
  const put = (call: Decide, list: string, override: DomainOverride): Promise<Response> => {
    const at = now();
    return call.decide({
      kind: "dns.override.put",
      summary: sentence(override),
      reduce: (config) => putOverride(config, list, { override, now: at }),
    });
  };
  const remove = (call: Decide, list: string, name: OverrideName): Promise<Response> =>
    call.decide({
      kind: "dns.override.delete",
      summary: `Decide nothing about ${name.Domain} any more`,
      reduce: (config) => deleteOverride(config, list, name),
    });
  const common = { ...BLOCK_ROUTE, errors: [404, 409, 412] } as const;
  return [
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/override/{list}`,
      summary: "Permit, block or answer a domain and everything below it",
      params: List,
      body: DomainOverride,
    }, (call) => put(call, call.params.list, call.body)),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/override/{list}`,
      summary: "Take the override of a domain and client away",
      params: List,
      body: OverrideName,
    }, (call) => remove(call, call.params.list, call.body)),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/override`,
      summary: `As with the list ${DEFAULT_OVERRIDE_LIST}`,
      body: DomainOverride,
    }, (call) => put(call, DEFAULT_OVERRIDE_LIST, call.body)),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/override`,
      summary: `Take an override of the list ${DEFAULT_OVERRIDE_LIST} away`,
      body: OverrideName,
    }, (call) => remove(call, DEFAULT_OVERRIDE_LIST, call.body)),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/overrideList/{list}`,
      summary: "Add a list of overrides, or switch and tag the one that is there",
      params: List,
      body: OverrideListBody,
      maxBody: 4 << 20,
    }, (call) => {
      const at = now();
      return call.decide({
        kind: "dns.override-list.put",
        summary: `${call.body.Enabled ? "Use" : "Switch off"} the overrides ${call.params.list}`,
        reduce: (config) => putOverrideList(config, call.params.list, { body: call.body, now: at }),
      });
    }),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/overrideList/{list}/name`,
      summary: "Give a list of overrides another name",
      params: List,
      body: NewName,
    }, (call) =>
      call.decide({
        kind: "dns.override-list.rename",
        summary: `Call the overrides ${call.params.list} ${call.body.Name}`,
        reduce: (config) => renameOverrideList(config, call.params.list, call.body.Name),
      })),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/overrideList/{list}`,
      summary: "Take a list of overrides away with all that is in it",
      params: List,
      body: OverrideListRef,
      bodyOptional: true,
    }, (call) =>
      call.decide({
        kind: "dns.override-list.delete",
        summary: `Take the overrides ${call.params.list} away`,
        reduce: (config) => deleteOverrideList(config, call.params.list, call.body?.Name),
      })),
  ];
}

function sentence({ Type, Domain, ClientIP, ResultIP, ResultCNAME }: DomainOverride): string {
  const whom = ClientIP === "*" ? "" : ` for ${ClientIP}`;
  const answer = ResultIP || ResultCNAME;
  if (answer !== "") return `Answer ${answer} for ${Domain}${whom}`;
  return `${Type.toLowerCase() === "permit" ? "Permit" : "Block"} ${Domain}${whom}`;
}
