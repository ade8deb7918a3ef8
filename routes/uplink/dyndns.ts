import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { DyndnsResults } from "../../system/dyndns/results.ts";
import { dyndnsAnswer, dyndnsSecrets, setDyndns } from "../../system/dyndns/rules.ts";
import { DyndnsAnswer, DyndnsRequest, DyndnsStatus } from "../../system/dyndns/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dyndnsRoutes}. */
export interface DyndnsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly dyndns: Pick<DyndnsResults, "status" | "refresh">;
}

/** Dynamic DNS: names at a provider that follow the router's address. */
export function dyndnsRoutes({ engine, dyndns }: DyndnsDeps): Route[] {
  const common = { tag: "Dynamic DNS", access: "auth" } as const;
  const config = { path: "/plugins/dyndns/config", ...common, document: "dyndns" } as const;
  const refresh = {
    path: "/plugins/dyndns/refresh",
    ...common,
    summary: "Update every name at once",
    description:
      "Sends the router's address to the provider, also where it is the same, and responds once the " +
      "result is there, or after twenty seconds.",
  } as const;
  return [
    route({
      method: "GET",
      ...config,
      summary: "Settings of dynamic DNS",
      description:
        "Returns the account and its names with masked secrets. An empty `provider` is off.",
      response: DyndnsAnswer,
    }, () => dyndnsAnswer(engine.config.dyndns)),
    route({
      method: "PUT",
      ...config,
      summary: "Set dynamic DNS",
      description:
        "Replaces the settings; `**` leaves a secret as it is. Without `ip_urls` the address of the " +
        "first uplink is used, and a change of it is sent at once; behind another router name a page " +
        "that responds with the caller's address. `Custom` calls `update_url`, with `{host}`, " +
        "`{domain}`, `{ip}` and `{token}` filled in.",
      body: DyndnsRequest,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dyndns.set",
        summary: call.body.provider === ""
          ? "Turned off dynamic DNS"
          : `Set dynamic DNS at ${call.body.provider}`,
        secrets: () => dyndnsSecrets(call.body),
        reduce: (current) => setDyndns(current, call.body),
      })),
    route({
      method: "GET",
      path: "/plugins/dyndns/status",
      ...common,
      summary: "How names stand at the provider",
      description: "The last attempt for each name, and what the provider said.",
      response: DyndnsStatus,
    }, () => dyndns.status()),
    route({ method: "PUT", ...refresh }, () => dyndns.refresh()),
    route({
      method: "GET",
      ...refresh,
      summary: "Update every name at once, as existing clients ask for it",
    }, () => dyndns.refresh()),
  ];
}
