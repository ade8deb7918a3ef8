import { parseRange4 } from "../../../system/core/net/net.ts";
import type { Element, Ruleset, Verdict } from "../../../system/core/kernel/ruleset.ts";

type Json = string | number | null | readonly Json[] | { readonly [key: string]: Json };

function part(value: Json): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (value !== null && !Array.isArray(value)) {
    const object = value as { readonly [key: string]: Json };
    if ("prefix" in object) {
      const { addr, len } = object["prefix"] as { addr: string; len: number };
      return `${addr}/${len}`;
    }
    // An element with a counter of its own.
    if ("elem" in object) return part((object["elem"] as { val: Json }).val);
    if ("range" in object) return (object["range"] as readonly Json[]).map(part).join("-");
    if ("concat" in object) return (object["concat"] as readonly Json[]).map(part).join(" . ");
    if ("jump" in object) return `jump ${(object["jump"] as { target: string }).target}`;
    const [word] = Object.keys(object);
    if (word !== undefined) return word;
  }
  throw new Error(`Unknown in nft's JSON: ${JSON.stringify(value)}`);
}

/** Every set and map of `nft -j list ruleset` with its elements, sorted, as texts. */
export function listedElements(json: string): ReadonlyMap<string, readonly string[]> {
  const { nftables } = JSON.parse(json) as { nftables: readonly { [key: string]: Json }[] };
  const found = new Map<string, readonly string[]>();
  for (const entry of nftables) {
    const set = (entry["set"] ?? entry["map"]) as { [key: string]: Json } | undefined;
    if (!set) continue;
    const elements = (set["elem"] ?? []) as readonly Json[];
    const texts = elements.map((one) =>
      "map" in entry ? (one as readonly Json[]).map(part).join(" : ") : part(one)
    );
    found.set(`${set["table"]} ${set["name"]}`, texts.sort());
  }
  return found;
}

function verdict(value: Verdict): string {
  return "chain" in value ? `${value.kind} ${value.chain}` : value.kind;
}

function text(element: Element): string {
  const key = element.key.map((one) =>
    parseRange4(one)?.prefix === 32 && one.includes("/") ? one.split("/")[0]! : one
  ).join(" . ");
  if (element.value === undefined) return key;
  return `${key} : ${"kind" in element.value ? verdict(element.value) : element.value.join(" . ")}`;
}

/** The same of a ruleset value. */
export function plannedElements(ruleset: Ruleset): ReadonlyMap<string, readonly string[]> {
  return new Map(
    ruleset.tables.flatMap((table) =>
      table.sets.map((set): [string, readonly string[]] => [
        `${table.name} ${set.name}`,
        [...set.elements.values()].map(text).sort(),
      ])
    ),
  );
}
