import type { Element, Ruleset } from "../../../system/core/kernel/ruleset.ts";

/** A ruleset of one table that lets the listed `address . link` pairs forward, for tests of hosts. */
export function smallRuleset(...pairs: readonly (readonly [string, string])[]): Ruleset {
  return {
    tables: [{
      family: "inet",
      name: "small",
      sets: [{
        name: "passes",
        key: ["ipv4_addr", "ifname"],
        value: "verdict",
        elements: new Map(pairs.map((pair) => [pair.join(" . "), pass(...pair)])),
      }],
      chains: [{
        name: "FORWARD",
        hook: { type: "filter", hook: "forward", priority: 0, policy: "drop" },
        rules: [
          {
            matches: [{ kind: "is", field: "ct state", values: ["established", "related"] }],
            action: { kind: "accept" },
            comment: "Answers come back",
          },
          {
            matches: [],
            action: { kind: "vmap", fields: ["ip saddr", "iifname"], map: "passes" },
            comment: "Devices that may pass",
          },
        ],
      }],
    }],
  };
}

/** The element of a pair in {@link smallRuleset}. */
export function pass(address: string, link: string): Element {
  return { key: [address, link], value: { kind: "accept" } };
}
