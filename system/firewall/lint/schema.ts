import * as z from "zod";
import { RULE_LISTS } from "../rule_kinds.ts";

/** A rule among its list: `pointer` leads to it in the answer of `GET /firewall/config`. */
export const RuleReference = z.object({
  list: z.enum(RULE_LISTS),
  index: z.number(),
  pointer: z.string(),
  /** What people call it: its name, else what it does. */
  name: z.string(),
}).meta({ id: "RuleReference" });
export type RuleReference = z.output<typeof RuleReference>;

/**
 * A possible problem of a rule. `duplicate`: another does the same; `shadowed`: it can
 * never match, because another comes first and covers it; `contradiction`: another says the opposite
 * of a part of it; `dangling`: it is about a link, device, group or tag that does not exist;
 * `useless`: it does nothing.
 */
export const LintFinding = z.object({
  kind: z.enum(["duplicate", "shadowed", "contradiction", "dangling", "useless"]),
  /** `info`: may well be meant. */
  severity: z.enum(["warning", "info"]),
  rule: RuleReference,
  /** The other rule; null where there is none. */
  other: RuleReference.nullable(),
  /** One sentence. */
  text: z.string(),
  /** A write that puts it right; null where only people know what was meant. */
  fix: z.object({
    summary: z.string(),
    method: z.enum(["PUT", "DELETE"]),
    path: z.string(),
    body: z.unknown(),
  }).nullable(),
}).meta({ id: "LintFinding" });
export type LintFinding = z.output<typeof LintFinding>;
