import { deleteCustomRule, putCustomRule } from "../../system/firewall/custom_rules.ts";
import { RULE_KINDS } from "../../system/firewall/rule_kinds.ts";
import { CustomRuleName } from "../../system/firewall/wire.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL } from "./deps.ts";

/** Rules for addresses on interfaces that carry no devices, such as containers. */
export function customInterfaceRoutes(): Route[] {
  const common = { path: RULE_KINDS.CustomInterfaceRules.path, ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Set the access of a bridge or container address",
      description:
        "Gives an address or network on an interface without devices, such as a container bridge, " +
        "policies, groups and tags as a device has them.",
      body: RULE_KINDS.CustomInterfaceRules.shape,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.custom_interface.set",
        summary: `Set the access of ${call.body.SrcIP} on ${call.body.Interface}`,
        reduce: (config) => putCustomRule(config, call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Delete the access of a bridge or container address",
      description:
        "Deletes the rules of this interface and address; policies, groups and tags that are left " +
        "out match any.",
      body: CustomRuleName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.custom_interface.delete",
        summary: `Deleted the access of ${call.body.SrcIP} on ${call.body.Interface}`,
        reduce: (config) => deleteCustomRule(config, call.body),
      })),
  ];
}
