import { ALL_PORTS, parsePorts } from "../address_schema.ts";
import { net } from "../sets/regions.ts";
import type { Firewall } from "../schema.ts";
import { CoverIndex, equalRegions, netWithin, type Region } from "./cover.ts";
import { each, enabled, finding, type Listed, nameOf } from "./report.ts";
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

/** Blocks that another block makes needless. Yields after each small step. */
export function* lintBlocks(firewall: Firewall): Generator<void, readonly LintFinding[]> {
  const outright = enabled(firewall, "BlockRules");
  const passing = enabled(firewall, "ForwardingBlockRules");
  return [
    ...yield* within(outright),
    ...yield* within(passing),
    ...yield* within(enabled(firewall, "OutputBlockRules")),
    ...yield* acrossLists(firewall, outright, passing),
  ];
}

function* within<L extends BlockList>(
  rules: readonly Listed<L>[],
): Generator<void, readonly LintFinding[]> {
  const index = blockIndex(rules);
  yield;
  return yield* each(rules, (one) => {
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
    text: same
      ? `${nameOf(other)} blocks exactly the same`
      : `${nameOf(other)} blocks all of this already`,
  });
}

/** Blocks of what passes through, where that is dropped before on its way in. */
function* acrossLists(
  firewall: Firewall,
  outright: readonly Listed<"BlockRules">[],
  passing: readonly Listed<"ForwardingBlockRules">[],
): Generator<void, readonly LintFinding[]> {
  const index = blockIndex(outright);
  // Each once: there may be a thousand, looked at for each of thousands of blocks.
  const targets = enabled(firewall, "ForwardingRules")
    .map(({ rule }) => ({ protocol: rule.Protocol, range: net(rule.DstIP) }));
  yield;
  return yield* each(passing, (one) => {
    const region = blockRegion(one);
    // What a forward leads there was sent elsewhere when the outright block looked at it.
    const led = targets.some(({ protocol, range }) =>
      protocol === one.rule.Protocol && netWithin(range, region.nets[1]!)
    );
    const other = index.covering(region, (_, theirs) => !led || theirs.nets[1]!.prefix === 0);
    return other === undefined ? [] : [needless(one, other, region)];
  });
}
