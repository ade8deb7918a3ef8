import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { deletePpp, maskedPpp, pppSecrets, setPpp } from "../../system/uplink/ppp/ppp_rules.ts";
import { PppFile, PppUpdate } from "../../system/uplink/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link pppRoutes}. */
export interface PppRoutesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

/** The PPPoE accounts of uplinks. */
export function pppRoutes({ engine }: PppRoutesDeps): Route[] {
  const common = { path: "/uplink/ppp", tag: "Uplinks", access: "auth", document: "ppp" } as const;
  return [
    route({
      method: "GET",
      ...common,
      summary: "PPPoE accounts, with masked passwords",
      description: "Returns the PPPoE accounts of all interfaces. Passwords (`Secret`) read `**`.",
      response: PppFile,
    }, () => maskedPpp(engine.config.ppp)),
    route({
      method: "PUT",
      ...common,
      alsoWrites: ["interfaces"],
      summary: "Set the PPPoE account of an interface",
      description:
        "The interface becomes an uplink. Fields that are left out stay unchanged, and so does a " +
        "`Secret` of `**`.",
      body: PppUpdate,
      errors: [409, 412, 502],
    }, (call) =>
      call.decide({
        kind: "uplink.ppp",
        summary: `Set the PPPoE account of ${call.body.Iface}`,
        secrets: () => pppSecrets(call.body),
        reduce: (config) => setPpp(config, call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      path: "/uplink/ppp/{interface}",
      alsoWrites: ["interfaces"],
      summary: "Delete the PPPoE account of an interface",
      description: "Disconnects and deletes the account; 404 if the interface has none.",
      examples: { parameters: { interface: "wan0" } },
      params: z.object({ interface: InterfaceName }),
      errors: [404, 409, 412, 502],
    }, (call) =>
      call.decide({
        kind: "uplink.ppp.delete",
        summary: `Removed the PPPoE account of ${call.params.interface}`,
        reduce: (config) => deletePpp(config, call.params.interface),
      })),
  ];
}
