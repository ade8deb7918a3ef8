import { useMemo } from "preact/hooks";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { type Kind, KINDS, rulesOf } from "./kinds.ts";
import type { Line } from "./lines.ts";
import type { AnyRule, Finding, Firewall } from "./wire.ts";

/** What the router finds about its rules, by rule. */
export interface Findings {
  readonly of: (line: Line) => readonly Finding[];
  /** Rules that something was found about. */
  readonly rules: number;
  /** Findings beyond those listed. */
  readonly more: number;
  readonly problem: Loaded<unknown>["problem"];
}

const NONE: readonly Finding[] = [];

/** What a rule of a kind is known as among all. */
function keyOf(kind: Kind, rule: AnyRule): string {
  return `${kind.path} ${kind.key(rule)}`;
}

/** Findings by the rule that they are about, whatever its place in a later list. */
function findingsByRule(
  items: readonly Finding[],
  firewall: Firewall,
): ReadonlyMap<string, readonly Finding[]> {
  const kinds = new Map(KINDS.map((kind) => [kind.list, kind]));
  const entries = items.flatMap((finding): readonly (readonly [string, Finding])[] => {
    const kind = kinds.get(finding.rule.list);
    const rule = kind && rulesOf(kind, firewall)[finding.rule.index];
    return kind && rule ? [[keyOf(kind, rule), finding]] : [];
  });
  const groups = Map.groupBy(entries, ([key]) => key);
  return new Map([...groups].map(([key, list]) => [key, list.map(([, finding]) => finding)]));
}

/** Loads the possible problems of these rules, again with every change of them. */
export function useFindings(firewall: Firewall | null): Findings {
  const { body, problem } = useLoaded<
    { readonly items: readonly Finding[]; readonly more: number }
  >(
    firewall === null ? null : { path: "/firewall/lint" },
    [firewall],
  );
  // By the answer alone: its positions belong to the list that it was requested for.
  const known = useMemo(
    () => body === null || firewall === null ? new Map() : findingsByRule(body.items, firewall),
    [body],
  );
  return {
    of: ({ kind, members }) =>
      members.flatMap((rule): readonly Finding[] => known.get(keyOf(kind, rule)) ?? NONE),
    rules: known.size,
    more: body?.more ?? 0,
    problem,
  };
}
