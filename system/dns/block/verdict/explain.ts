import type { BlockVerdict, RewriteVerdict } from "./cname_verdict.ts";
import type { CompiledFilter } from "./compiled_filter.ts";
import { displayDomain, explainName, type ExplainRequest } from "./explain_name.ts";
import { followRewrite } from "./rewrite.ts";
import { displayName } from "../names.ts";
import { decide } from "./verdict.ts";
import type { Explanation } from "../api_schema.ts";

/** Explains why a name is answered as it is: the verdict, and every list and override that was checked. */
export function explain(request: ExplainRequest, compiled: CompiledFilter): Explanation {
  const verdict = decide(request, compiled);
  const plain = explainName(request, verdict, compiled);
  if (verdict.kind === "rewrite") {
    return explainRewrite(plain, verdict, { request, chain: [request] }, compiled);
  }
  if (verdict.kind !== "pass" || verdict.permitted !== undefined) return plain;
  const found = decidedCname(request, compiled);
  if (found === null) return plain;
  const { target, verdict: decided } = found;
  const there = explainName(target, decided, compiled);
  const whole = mergeExplanations(plain, {
    ...there,
    reason: `It is an alias of ${displayName(target.name)}. ${there.reason}`,
  });
  return decided.kind === "block"
    ? whole
    : explainRewrite(whole, decided, { request, chain: [request, target] }, compiled);
}

/** Adds a later step: its verdict counts, and its overrides come first. */
function mergeExplanations(plain: Explanation, further: Explanation): Explanation {
  const { verdict, answer, by, categories, lists, overrides } = further;
  const known = new Set(plain.lists.map(({ uri, domain }) => `${uri} ${domain}`));
  const added = new Set(overrides.map(overrideKey));
  return {
    ...plain,
    ...{ verdict, answer, by, categories, reason: further.reason },
    lists: [...plain.lists, ...lists.filter(({ uri, domain }) => !known.has(`${uri} ${domain}`))],
    overrides: [...overrides, ...plain.overrides.filter((one) => !added.has(overrideKey(one)))],
  };
}

function overrideKey({ list, type, domain, client }: Explanation["overrides"][number]): string {
  return `${list} ${type} ${domain} ${client}`;
}

/** The first CNAME target with a verdict; null when one before it is permitted. */
function decidedCname(
  request: ExplainRequest,
  compiled: CompiledFilter,
): { readonly target: ExplainRequest; readonly verdict: BlockVerdict | RewriteVerdict } | null {
  const { cnameChain = [], ...rest } = request;
  for (const name of cnameChain) {
    const target = { ...rest, name, local: false };
    const verdict = decide(target, compiled);
    if (verdict.kind === "block" || verdict.kind === "rewrite") return { target, verdict };
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return null;
  }
  return null;
}

/** Extends an explanation by the names that an override rewrites to. */
function explainRewrite(
  plain: Explanation,
  verdict: RewriteVerdict,
  { request, chain }: {
    readonly request: ExplainRequest;
    readonly chain: readonly ExplainRequest[];
  },
  compiled: CompiledFilter,
): Explanation {
  const dotted = chain.map(({ name }) => `${name}.`);
  const { names, verdicts, end } = followRewrite(verdict, dotted, request, compiled);
  if (names.length === 0 && end === null) {
    const text = `An override rewrites ${displayDomain(verdict.by)} to this very name, ` +
      "so it is resolved as usual";
    return { ...plain, verdict: "pass", answer: "", reason: text };
  }
  return verdicts.slice(1).reduce((whole, next, at) => {
    const name = names[chain.length - 1 + at]!.slice(0, -1);
    const there = explainName({ ...request, name, local: true }, next, compiled);
    return mergeExplanations(whole, { ...there, reason: `${whole.reason}. ${there.reason}` });
  }, plain);
}
