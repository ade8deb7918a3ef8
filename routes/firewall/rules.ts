import { changeRules, ruleChangesText } from "../../system/firewall/rule_changes.ts";
import { RuleChanges } from "../../system/firewall/wire.ts";
import { contentOf, RULE_KINDS, type RuleOf, textOf } from "../../system/firewall/rule_kinds.ts";
import { deleteRule, putForward, putRule } from "../../system/firewall/rules.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL } from "./deps.ts";

type ContentList =
  | "ForwardingRules"
  | "BlockRules"
  | "ForwardingBlockRules"
  | "OutputBlockRules";

/** A rule in the words of the history. */
function text<L extends ContentList>(name: L, rule: RuleOf<L>): string {
  const named = rule.RuleName === "" ? "" : ` (${rule.RuleName})`;
  return `${contentOf(name, rule)}${named}`;
}

/** Rules that are known by what they say: forwards and blocks. */
export function firewallRuleRoutes(): Route[] {
  const { path, shape: body } = RULE_KINDS.ForwardingRules;
  const forward = { path, body, ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...forward,
      summary: "Add a port forward",
      description:
        "Forwards incoming WAN connections to a LAN device (DNAT). A rule with the same content is " +
        "updated; two rules that claim the same port are refused with 409.",
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.forward.add",
        summary: `Added port forward ${text("ForwardingRules", call.body)}`,
        reduce: (config) => putForward(config, call.body),
      })),
    route({
      method: "DELETE",
      ...forward,
      summary: "Delete a port forward",
      description:
        "Deletes the forward with the same protocol, source, ports and destination; name and " +
        "description need not match.",
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.forward.delete",
        summary: `Deleted port forward ${text("ForwardingRules", call.body)}`,
        reduce: (config) =>
          deleteRule(config, "ForwardingRules", contentOf("ForwardingRules", call.body)),
      })),
    route({
      method: "PUT",
      path: "/firewall/rules",
      ...FIREWALL,
      summary: "Write several rules as one change",
      description:
        "Deletes the rules under `Delete`, then adds or updates those under `Put`, by the lists of " +
        "`GET /firewall/config`: all of them or none, and one undo. A port forward of TCP and UDP " +
        "is two rules. Each is held to what its own route says.",
      examples: {
        body: {
          Put: {
            ForwardingRules: ["tcp", "udp"].map((Protocol) => ({
              ...{ RuleName: "Game", Protocol, SrcPort: "27015", DstIP: "192.168.2.6" },
              DstPort: "any",
            })),
          },
        },
      },
      body: RuleChanges,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.rules",
        summary: ruleChangesText(call.body),
        reduce: (config) => changeRules(config, call.body),
      })),
    ...pair("BlockRules", "all traffic from a source to a destination"),
    ...pair("ForwardingBlockRules", "forwarded traffic to a port"),
    ...pair("OutputBlockRules", "traffic that the router itself opens"),
  ];
}

type BlockList = Exclude<ContentList, "ForwardingRules">;

/** Adding and deleting one kind of block. */
function pair(name: BlockList, what: string): Route[] {
  const { path, shape: body } = RULE_KINDS[name];
  const common = { path, body, ...FIREWALL } as const;
  const kind = textOf(name);
  return [
    route({
      method: "PUT",
      ...common,
      summary: `Block ${what}`,
      description: "Adds the rule, or updates name, description and state of the one with the " +
        "same protocol, addresses and ports.",
      errors: [409, 412],
    }, (call) => {
      const rule = call.body as RuleOf<typeof name>;
      return call.decide({
        kind: `firewall.${kind}.add`,
        summary: `Added block ${text(name, rule)}`,
        reduce: (config) => putRule(config, name, rule),
      });
    }),
    route({
      method: "DELETE",
      ...common,
      summary: `No longer block ${what}`,
      description: "Deletes the rule with the same protocol, addresses and ports; name and " +
        "description need not match.",
      errors: [404, 409, 412],
    }, (call) => {
      const rule = call.body as RuleOf<typeof name>;
      return call.decide({
        kind: `firewall.${kind}.delete`,
        summary: `Deleted block ${text(name, rule)}`,
        reduce: (config) => deleteRule(config, name, contentOf(name, rule)),
      });
    }),
  ];
}
