import { ALL_PORTS, parsePorts } from "../address_schema.ts";
import { net } from "../sets/regions.ts";
import type { Firewall } from "../schema.ts";
import { CoverIndex, equalRegions, netWithin, type Region } from "./cover.ts";
import { enabled, finding, type Listed, nameOf } from "./report.ts";
import type { LintFinding } from "./schema.ts";

type BlockList = "BlockRules" | "ForwardingBlockRules" | "OutputBlockRules";

/** What a block is about. */
function blockRegion({ rule }: Listed<BlockList>): Region {
  return {
    nets: [net(rule.SrcIP), net(rule.DstIP)],
    protocol: rule.Protocol,
    ports: "DstPort" in rule ? parsePorts(rule.DstPort) : ALL_PORTS,
  };
}

/** Blocks by what they cover. */
export function blockIndex<L extends BlockList>(
  rules: readonly Listed<L>[],
): CoverIndex<Listed<L>> {
  return new CoverIndex(rules.map((one) => [blockRegion(one), one] as const));
}

/** Blocks that another block makes needless. */
export function lintBlocks(firewall: Firewall): readonly LintFinding[] {
  const outright = enabled(firewall, "BlockRules");
  const passing = enabled(firewall, "ForwardingBlockRules");
  return [
    ...within(outright),
    ...within(passing),
    ...within(enabled(firewall, "OutputBlockRules")),
    ...acrossLists(firewall, outright, passing),
  ];
}

function within<L extends BlockList>(rules: readonly Listed<L>[]): readonly LintFinding[] {
  const index = blockIndex(rules);
  return rules.flatMap((one) => {
    const region = blockRegion(one);
    // Of two that cover the same the later one is too much.
    const other = index.covering(
      region,
      (data, theirs) => data !== one && (data.index < one.index || !equalRegions(theirs, region)),
    );
    return other === undefined ? [] : [needless(one, other, region)];
  });
}

function needless(one: Listed<BlockList>, other: Listed<BlockList>, region: Region): LintFinding {
  const same = equalRegions(blockRegion(other), region);
  return finding(same ? "duplicate" : "shadowed", one, {
    other,
    remove: true,
    words: same
      ? `${nameOf(other)} blocks exactly the same`
      : `${nameOf(other)} blocks all of this already`,
  });
}

/** Blocks of what passes through, where that is dropped before on its way in. */
function acrossLists(
  firewall: Firewall,
  outright: readonly Listed<"BlockRules">[],
  passing: readonly Listed<"ForwardingBlockRules">[],
): readonly LintFinding[] {
  const index = blockIndex(outright);
  const targets = enabled(firewall, "ForwardingRules");
  return passing.flatMap((one) => {
    const region = blockRegion(one);
    // What a forward leads there was sent elsewhere when the outright block looked at it.
    const led = targets.some(({ rule }) =>
      rule.Protocol === one.rule.Protocol && netWithin(net(rule.DstIP), region.nets[1]!)
    );
    const other = index.covering(region, (_, theirs) => !led || theirs.nets[1]!.prefix === 0);
    return other === undefined ? [] : [needless(one, other, region)];
  });
}
