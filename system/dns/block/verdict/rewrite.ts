import type { Answered, Blocked } from "./cname_verdict.ts";
import type { CompiledBlock } from "./compile.ts";
import { decide, type OverrideRef, type Question, type Verdict } from "./verdict.ts";

/** Names that overrides lead over at most, one after the other. */
const MOST_NAMES = 8;

/** Where overrides lead to. */
export interface Led {
  /** The names that are told after the one that was asked for, each with its final dot. */
  readonly names: readonly string[];
  /** What was decided on the way, the first decision first. */
  readonly verdicts: readonly (Answered | Blocked)[];
  /**
   * The last of {@link verdicts} when it is an end: an address, or a block. Null: the last name is
   * looked up, or the one that was asked for when there are none.
   */
  readonly end: Answered | Blocked | null;
}

/**
 * Follows an override to what it leads to. The name that a person chose is decided as if it had been
 * asked for, though no list touches it; an override does not lead to itself, and none back to where
 * the way came from. `way`: the name that was asked for and what its answer leads over, up to the name
 * of the verdict, each in lower case with its final dot.
 */
export function led(
  verdict: Answered,
  way: readonly string[],
  asked: Omit<Question, "name" | "local">,
  compiled: CompiledBlock,
): Led {
  const names = way.slice(1);
  const verdicts: (Answered | Blocked)[] = [];
  const used = new Set<OverrideRef>();
  for (let next: Verdict = verdict;;) {
    if (next.kind === "block") return { names, verdicts: [...verdicts, next], end: next };
    if (next.kind !== "answer" || used.has(next.by)) return { names, verdicts, end: null };
    const { cname } = next;
    if (cname === undefined) return { names, verdicts: [...verdicts, next], end: next };
    const isBack = cname === way[0] || names.includes(cname);
    if (isBack || names.length >= MOST_NAMES) return { names, verdicts, end: null };
    verdicts.push(next);
    used.add(next.by);
    names.push(cname);
    next = decide({ ...asked, name: cname, local: true }, compiled);
  }
}
