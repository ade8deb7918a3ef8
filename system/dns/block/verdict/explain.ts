import type { Answered, Blocked } from "./cname_verdict.ts";
import type { CompiledBlock } from "./compile.ts";
import { domainOf, type Explained, explainName } from "./explain_name.ts";
import { led } from "./rewrite.ts";
import { displayName } from "../names.ts";
import { decide } from "./verdict.ts";
import type { Explanation } from "../api_schema.ts";

export type { Explained } from "./explain_name.ts";

/** Why a name is answered as it is: the verdict, and everything that was looked at on the way to it. */
export function explain(asked: Explained, compiled: CompiledBlock): Explanation {
  const verdict = decide(asked, compiled);
  const plain = explainName(asked, verdict, compiled);
  if (verdict.kind === "answer") return followed(plain, verdict, { asked, way: [asked] }, compiled);
  if (verdict.kind !== "pass" || verdict.permitted !== undefined) return plain;
  const found = decidedAliasOf(asked, compiled);
  if (found === null) return plain;
  const { alias, verdict: decided } = found;
  const there = explainName(alias, decided, compiled);
  const whole = joined(plain, {
    ...there,
    because: `It leads to ${displayName(alias.name)}. ${there.because}`,
  });
  return decided.kind === "block"
    ? whole
    : followed(whole, decided, { asked, way: [asked, alias] }, compiled);
}

/** What is explained further: its verdict counts, its lists and overrides are told before the others. */
function joined(plain: Explanation, further: Explanation): Explanation {
  const { verdict, answer, by, categories, lists, overrides } = further;
  const known = new Set(plain.lists.map(({ uri, name }) => `${uri} ${name}`));
  const told = new Set(overrides.map(overrideKey));
  return {
    ...plain,
    ...{ verdict, answer, by, categories, because: further.because },
    lists: [...plain.lists, ...lists.filter(({ uri, name }) => !known.has(`${uri} ${name}`))],
    overrides: [...overrides, ...plain.overrides.filter((one) => !told.has(overrideKey(one)))],
  };
}

function overrideKey({ list, type, domain, client }: Explanation["overrides"][number]): string {
  return `${list} ${type} ${domain} ${client}`;
}

/** The first name on the way for which something was decided; none behind one that a person permitted. */
function decidedAliasOf(
  asked: Explained,
  compiled: CompiledBlock,
): { readonly alias: Explained; readonly verdict: Blocked | Answered } | null {
  const { leadsOver = [], ...rest } = asked;
  for (const name of leadsOver) {
    const alias = { ...rest, name, local: false };
    const verdict = decide(alias, compiled);
    if (verdict.kind === "block" || verdict.kind === "answer") return { alias, verdict };
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return null;
  }
  return null;
}

/** An explanation with what the name that an override answers comes to. */
function followed(
  plain: Explanation,
  verdict: Answered,
  { asked, way }: { readonly asked: Explained; readonly way: readonly Explained[] },
  compiled: CompiledBlock,
): Explanation {
  const dotted = way.map(({ name }) => `${name}.`);
  const { names, verdicts, end } = led(verdict, dotted, asked, compiled);
  if (names.length === 0 && end === null) {
    const words = `An override of ${domainOf(verdict.by)} leads to this very name, ` +
      "so it is looked up as usual";
    return { ...plain, verdict: "pass", answer: "", because: words };
  }
  return verdicts.slice(1).reduce((whole, next, at) => {
    const name = names[way.length - 1 + at]!.slice(0, -1);
    const there = explainName({ ...asked, name, local: true }, next, compiled);
    return joined(whole, { ...there, because: `${whole.because}. ${there.because}` });
  }, plain);
}
