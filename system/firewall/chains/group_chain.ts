import { onceEach } from "../../core/config/memo.ts";
import type { Chain, Rule } from "../../core/kernel/ruleset.ts";
import { groupMaps } from "../sets/names.ts";
import { groupComment, rule } from "./rule.ts";

// One list for all groups: whoever judges packets joins the fields once.
const SENDER = ["ip saddr", "iifname"] as const;
const TARGET = ["ip daddr", "oifname"] as const;
const SENDER_NET = ["iifname", "ip saddr"] as const;
const TARGET_NET = ["oifname", "ip daddr"] as const;

/** The groups that are open, and those of them that whole networks are in. */
export interface ActiveGroups {
  readonly names: ReadonlySet<string>;
  readonly withNetworks: ReadonlySet<string>;
}

/** The chain of the groups; one object for one set of names without networks. */
export function groupsChain(active: ActiveGroups): Chain {
  return active.withNetworks.size > 0 ? groupChain(active) : plainGroupChain(active.names);
}

const plainGroupChain = onceEach((names: ReadonlySet<string>) =>
  groupChain({ names, withNetworks: new Set() })
);

function groupRules(label: string, networks: boolean): readonly Rule[] {
  const maps = groupMaps(label);
  const senders = [
    { fields: SENDER, map: maps.source },
    ...(networks ? [{ fields: SENDER_NET, map: maps.sourceNets }] : []),
  ];
  const targets = [
    { fields: TARGET, set: maps.target },
    ...(networks ? [{ fields: TARGET_NET, set: maps.targetNets }] : []),
  ];
  return targets.flatMap((target) =>
    senders.map((sender) =>
      rule(
        groupComment(label),
        { kind: "vmap", ...sender },
        { kind: "in", ...target, map: true },
      )
    )
  );
}

function groupChain({ names, withNetworks }: ActiveGroups): Chain {
  return {
    name: "CUSTOM_GROUPS",
    rules: [...names].flatMap((label) => groupRules(label, withNetworks.has(label))),
  };
}
