import { copyName, nameText } from "../../codec/name.ts";
import type { Reply } from "../../codec/response_parser.ts";
import { LONGEST_NAME } from "../../codec/constants.ts";
import type { CompiledBlock } from "./compile.ts";
import { decide, type Question, type Verdict } from "./verdict.ts";

/** A verdict that lets nothing through. */
export type Blocked = Extract<Verdict, { kind: "block" }>;
/** A verdict that answers something else. */
export type Answered = Extract<Verdict, { kind: "answer" }>;

/** A name on the way of an answer for which something was decided. */
export interface DecidedAlias {
  /** Lower case, with its final dot. */
  readonly name: string;
  readonly verdict: Blocked | Answered;
}

const target = new Uint8Array(LONGEST_NAME);

/**
 * What was decided of the names that an answer leads over: who may not be asked for by name is not
 * reached by another name either, and who is answered otherwise is so here. The first name for which
 * something was decided counts: one that a person permitted lets all through that it leads to. Null
 * when the answer may be told as it is.
 */
export function decidedAlias(
  { bytes, aliases }: Pick<Reply, "bytes" | "aliases">,
  asked: Omit<Question, "name" | "local">,
  compiled: CompiledBlock,
): DecidedAlias | null {
  for (const at of aliases) {
    copyName(bytes, at, target);
    const verdict = decide({ ...asked, name: target }, compiled);
    if (verdict.kind === "block" || verdict.kind === "answer") {
      return { name: nameText(target), verdict };
    }
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return null;
  }
  return null;
}
