import type { BlockVerdict, RewriteVerdict } from "./cname_verdict.ts";
import type { CompiledFilter } from "./compiled_filter.ts";
import { decide, type FilterQuery, type OverrideRef, type Verdict } from "./verdict.ts";

/** Rewrites that are followed one after the other. */
const MAX_REWRITES = 8;

/** The names that overrides rewrite to. */
export interface RewriteChain {
  /** The names after the query name, each with its final dot. */
  readonly names: readonly string[];
  /** The verdicts in order. */
  readonly verdicts: readonly (RewriteVerdict | BlockVerdict)[];
  /**
   * The last of {@link verdicts} when it is final: an address or a block. Null: the last name is
   * resolved, or the query name when there are none.
   */
  readonly end: RewriteVerdict | BlockVerdict | null;
}

/**
 * Follows the rewrites of overrides. A name that an override chose is decided like a query name, but
 * block lists do not apply to it; no override is used twice, and none leads back. `chain`: the query
 * name and the CNAME targets of its answer up to the name of the verdict, each in lower case with its
 * final dot.
 */
export function followRewrite(
  verdict: RewriteVerdict,
  chain: readonly string[],
  query: Omit<FilterQuery, "name" | "local">,
  compiled: CompiledFilter,
): RewriteChain {
  const names = chain.slice(1);
  const verdicts: (RewriteVerdict | BlockVerdict)[] = [];
  const used = new Set<OverrideRef>();
  for (let next: Verdict = verdict;;) {
    if (next.kind === "block") return { names, verdicts: [...verdicts, next], end: next };
    if (next.kind !== "rewrite" || used.has(next.by)) return { names, verdicts, end: null };
    const { cname } = next;
    if (cname === undefined) return { names, verdicts: [...verdicts, next], end: next };
    const isBack = cname === chain[0] || names.includes(cname);
    if (isBack || names.length >= MAX_REWRITES) return { names, verdicts, end: null };
    verdicts.push(next);
    used.add(next.by);
    names.push(cname);
    next = decide({ ...query, name: cname, local: true }, compiled);
  }
}
