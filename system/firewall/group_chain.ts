import type { Chain, Rule } from "../core/ruleset.ts";
import { groupMaps } from "./names.ts";
import { rule } from "./rule.ts";

// One list for all groups: whoever judges packets joins the fields once.
const SENDER = ["ip saddr", "iifname"] as const;
const TARGET = ["ip daddr", "oifname"] as const;

const groupChains = new WeakMap<ReadonlySet<string>, Chain>();

/** The chain of the groups; one object for one set of names. */
export function groupsChain(open: ReadonlySet<string>): Chain {
  let chain = groupChains.get(open);
  if (!chain) groupChains.set(open, chain = groupChain(open));
  return chain;
}

function groupChain(open: ReadonlySet<string>): Chain {
  return {
    name: "CUSTOM_GROUPS",
    rules: [...open].map((label): Rule => {
      const maps = groupMaps(label);
      return rule(
        `Both are in the group ${label}`,
        { kind: "vmap", fields: SENDER, map: maps.source },
        { kind: "in", fields: TARGET, set: maps.target, map: true },
      );
    }),
  };
}
