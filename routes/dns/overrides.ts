import * as z from "zod";
import {
  deleteOverride,
  deleteOverrideList,
  putOverride,
  putOverrideListSteps,
  renameOverrideList,
} from "../../system/dns/block/rules.ts";
import {
  DEFAULT_OVERRIDE_LIST,
  type DomainOverride,
  OverrideListName,
} from "../../system/dns/block/schema.ts";
import {
  OverrideBody,
  OverrideListBody,
  OverrideListRef,
  OverrideName,
} from "../../system/dns/block/api_schema.ts";
import type { Config } from "../../system/config.ts";
import { atOnce } from "../../system/core/time/slices.ts";
import type { Call, RouteDescription } from "../http/route.ts";
import { type Route, route } from "../http/route.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

const List = z.object({ list: OverrideListName });
const NewName = z.object({ Name: OverrideListName });

type Decide = Pick<Call<RouteDescription>, "decide">;

/** Overrides and override lists. */
export function overrideRoutes({ now }: DnsBlockRouteDeps): Route[] {
  const put = (call: Decide, list: string, override: OverrideBody): Promise<Response> => {
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
      summary: `Deleted the override of ${name.Domain}`,
      reduce: (config) => deleteOverride(config, list, name),
    });
  const common = { ...BLOCK_ROUTE, errors: [404, 409, 412] } as const;
  return [
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/override/{list}`,
      summary: "Permit, block or rewrite a domain and its subdomains",
      description:
        "Adds an override (custom rule) to the named list. With `ResultIP` or `ResultCNAME` the " +
        "domain is rewritten. `Expiration` is unix time, or seconds from now if below 10^9; 0 is " +
        "permanent. `Groups` limits it to the members of groups, `Schedule` to times of the week. " +
        "`Replaces` names an override of the same list that it takes the place of, as where one is " +
        "edited.",
      params: List,
      body: OverrideBody,
    }, (call) => put(call, call.params.list, call.body)),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/override/{list}`,
      summary: "Delete an override",
      description:
        "Deletes the override with this type, domain, client and groups from the named list. " +
        "Without `ClientIP`: the one for all clients, or the only one.",
      params: List,
      body: OverrideName,
    }, (call) => remove(call, call.params.list, call.body)),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/override`,
      summary: `Permit, block or rewrite a domain in the list ${DEFAULT_OVERRIDE_LIST}`,
      description:
        `Adds an override (custom rule) to the list ${DEFAULT_OVERRIDE_LIST}, as \`PUT ${BLOCK_PATH}/override/${DEFAULT_OVERRIDE_LIST}\` does.`,
      body: OverrideBody,
    }, (call) => put(call, DEFAULT_OVERRIDE_LIST, call.body)),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/override`,
      summary: `Delete an override in the list ${DEFAULT_OVERRIDE_LIST}`,
      description:
        "Deletes the override with this type, domain and client. Without `ClientIP`: the one " +
        "for all clients, or the only one.",
      body: OverrideName,
    }, (call) => remove(call, DEFAULT_OVERRIDE_LIST, call.body)),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/overrideList/{list}`,
      summary: "Add an override list, or enable and tag an existing one",
      description:
        "Creates the list with its overrides. Of an existing list only `Enabled` and `Tags` are " +
        "changed.",
      params: List,
      body: OverrideListBody,
      maxBody: 4 << 20,
    }, (call) => {
      const at = now();
      const steps = (config: Config) =>
        putOverrideListSteps(config, call.params.list, { body: call.body, now: at });
      return call.decide({
        kind: "dns.override-list.put",
        summary: `${
          call.body.Enabled ? "Enabled" : "Disabled"
        } the override list ${call.params.list}`,
        reduce: (config) => atOnce(steps(config)),
        reduceSteps: steps,
      });
    }),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/overrideList/{list}/name`,
      summary: "Rename an override list",
      description: "Gives the list another name; 409 if that name is taken.",
      examples: { body: { Name: "School nights" } },
      params: List,
      body: NewName,
    }, (call) =>
      call.decide({
        kind: "dns.override-list.rename",
        summary: `Renamed the override list ${call.params.list} to ${call.body.Name}`,
        reduce: (config) => renameOverrideList(config, call.params.list, call.body.Name),
      })),
    route({
      ...common,
      method: "DELETE",
      path: `${BLOCK_PATH}/overrideList/{list}`,
      summary: "Delete an override list with its overrides",
      description:
        "Deletes the list and every override in it. `Name` in the body, where sent, must match the " +
        "path.",
      params: List,
      body: OverrideListRef,
      bodyOptional: true,
    }, (call) =>
      call.decide({
        kind: "dns.override-list.delete",
        summary: `Deleted the override list ${call.params.list}`,
        reduce: (config) => deleteOverrideList(config, call.params.list, call.body?.Name),
      })),
  ];
}

function sentence(override: DomainOverride): string {
  const { Type, Domain, ClientIP, ResultIP, ResultCNAME, Groups = [] } = override;
  const whom = ClientIP !== "*"
    ? ` for ${ClientIP}`
    : Groups.length > 0
    ? ` for the group ${Groups.join(" or ")}`
    : "";
  const answer = ResultIP || ResultCNAME;
  if (answer !== "") return `Rewrote ${Domain} to ${answer}${whom}`;
  return `${Type.toLowerCase() === "permit" ? "Permitted" : "Blocked"} ${Domain}${whom}`;
}
