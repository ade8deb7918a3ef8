import { copyName } from "../name.ts";
import type { Reply } from "../response.ts";
import { LONGEST_NAME } from "../wire.ts";
import type { CompiledBlock } from "./compile.ts";
import { decide, type Question, type Verdict } from "./verdict.ts";

/** A verdict that lets nothing through. */
export type Blocked = Extract<Verdict, { kind: "block" }>;

const target = new Uint8Array(LONGEST_NAME);

/**
 * What blocks one of the names that an answer leads over: who may not be asked for by name is not
 * reached by another name either. A name that a person permitted lets all through that it leads to.
 * Null when nothing blocks them.
 */
export function blockedAlias(
  { bytes, aliases }: Pick<Reply, "bytes" | "aliases">,
  asked: Omit<Question, "name" | "local">,
  compiled: CompiledBlock,
): Blocked | null {
  for (const at of aliases) {
    copyName(bytes, at, target);
    const verdict = decide({ ...asked, name: target }, compiled);
    if (verdict.kind === "block") return verdict;
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return null;
  }
  return null;
}
