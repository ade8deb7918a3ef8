import type { Match, NftSet, Rule, Table } from "../core/kernel/ruleset.ts";
import { FROM_UPLINK, rule, TO_UPLINK, without } from "./chains/rule.ts";
import { COUNTER_SETS, type CounterSet } from "../traffic/schema.ts";
import { interfaceSet } from "./sets/sets.ts";

/** Name of the table that counts what devices send and receive. */
export const ACCOUNTING_TABLE = "accounting";

/** Addresses that a set counts at a time; it is full then, and counts no further one. */
const MAX_ADDRESSES = 65_535;
/** Since an address was last seen: its counter goes, and begins anew. */
const IDLE_SECONDS = 86_400;

/** Behind the chains that drop (priority 0), so that only what passes is counted. */
const PRIORITY = 10;

function counterSet(name: CounterSet): NftSet {
  return {
    name,
    key: ["ipv4_addr"],
    dynamic: { size: MAX_ADDRESSES, timeout: IDLE_SECONDS },
    elements: new Map(),
  };
}

function count(
  comment: string,
  field: "ip saddr" | "ip daddr",
  set: CounterSet,
  ...when: readonly Match[]
): Rule {
  return rule(comment, { kind: "count", field, set }, ...when);
}

const WITHIN_LAN = [
  without("uplink_interfaces", "iifname"),
  without("uplink_interfaces", "oifname"),
] as const;

/**
 * The table `ip accounting`: the kernel itself adds an element for each local address that traffic is
 * forwarded for, so that no change of the configuration has to.
 */
export function accountingTable(uplinks: readonly string[]): Table {
  return {
    family: "ip",
    name: ACCOUNTING_TABLE,
    sets: [interfaceSet("uplink_interfaces", uplinks), ...COUNTER_SETS.map(counterSet)],
    chains: [{
      name: "FORWARD",
      hook: { type: "filter", hook: "forward", priority: PRIORITY, policy: "accept" },
      rules: [
        count(
          "Counts what a device sends to the WAN",
          "ip saddr",
          "outgoing_traffic_wan",
          without("uplink_interfaces", "iifname"),
          TO_UPLINK,
        ),
        count(
          "Counts what a device receives from the WAN",
          "ip daddr",
          "incoming_traffic_wan",
          FROM_UPLINK,
          without("uplink_interfaces", "oifname"),
        ),
        count(
          "Counts what a device sends to the LAN",
          "ip saddr",
          "outgoing_traffic_lan",
          ...WITHIN_LAN,
        ),
        count(
          "Counts what a device receives from the LAN",
          "ip daddr",
          "incoming_traffic_lan",
          ...WITHIN_LAN,
        ),
      ],
    }],
  };
}
