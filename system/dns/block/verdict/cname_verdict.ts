import { copyName, nameText } from "../../codec/name.ts";
import type { ParsedResponse } from "../../codec/response_parser.ts";
import { MAX_NAME_BYTES } from "../../codec/constants.ts";
import type { CompiledFilter } from "./compiled_filter.ts";
import { decide, type FilterQuery, type Verdict } from "./verdict.ts";

export type BlockVerdict = Extract<Verdict, { kind: "block" }>;
export type RewriteVerdict = Extract<Verdict, { kind: "rewrite" }>;

/** A CNAME target of an answer that has a verdict of its own. */
export interface CnameVerdict {
  /** Lower case, with its final dot. */
  readonly name: string;
  readonly verdict: BlockVerdict | RewriteVerdict;
}

const target = new Uint8Array(MAX_NAME_BYTES);

/**
 * The verdict on the CNAME targets of an answer, so that an alias does not bypass blocks and rewrites.
 * The first target with a verdict counts: one that an override permits lets all after it pass. Null
 * when the answer is unchanged.
 */
export function cnameVerdict(
  { bytes, aliases }: Pick<ParsedResponse, "bytes" | "aliases">,
  query: Omit<FilterQuery, "name" | "local">,
  compiled: CompiledFilter,
): CnameVerdict | null {
  for (const at of aliases) {
    copyName(bytes, at, target);
    const verdict = decide({ ...query, name: target }, compiled);
    if (verdict.kind === "block" || verdict.kind === "rewrite") {
      return { name: nameText(target), verdict };
    }
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return null;
  }
  return null;
}
