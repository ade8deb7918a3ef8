import type { DnsClient } from "../../resolver/client.ts";
import { nameBytes } from "../../codec/name.ts";
import type { CompiledBlock, CompiledOverride } from "./compile.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../table/name_hash.ts";
import { displayName } from "../names.ts";
import { missing, overridesAt, shares } from "./verdict.ts";
import type { OverrideRef, Verdict } from "./verdict_schema.ts";
import type { Explanation } from "../api_schema.ts";

/** What is to be explained. */
export interface Explained {
  /** In ASCII and lower case, without final dot. */
  readonly name: string;
  readonly client?: DnsClient | undefined;
  /** Address of the asker. */
  readonly address: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** True for a name of home. */
  readonly local?: boolean;
  /** Names that the remembered answer leads over, in its order; as {@link name}. */
  readonly leadsOver?: readonly string[];
}

/** What became of one name by itself, whatever it leads over. */
export function explainName(
  asked: Explained,
  verdict: Verdict,
  compiled: CompiledBlock,
): Explanation {
  const { name, client, address } = asked;
  const by = "by" in verdict
    ? verdict.by
    : verdict.kind === "pass"
    ? verdict.permitted ?? null
    : null;
  const overrides = overridesOf(asked, compiled);
  return {
    name,
    display: displayName(name),
    client: { address, identity: client?.identity ?? "", name: client?.name ?? "" },
    verdict: verdict.kind,
    answer: answerOf(verdict),
    by,
    categories: "categories" in verdict ? [...verdict.categories] : [],
    because: because(verdict, asked, compiled),
    lists: listsOf(asked, compiled),
    overrides: by !== null && "override" in by ? decidingFirst(overrides, by) : overrides,
  };
}

/** What is answered instead; "" for nothing. */
export function answerOf(verdict: Verdict): string {
  if (verdict.kind === "answer") return verdict.address ?? verdict.cname ?? "";
  return verdict.kind === "quarantine" ? verdict.address ?? "" : "";
}

/** One sentence for people, without its full stop. */
export function because(verdict: Verdict, asked: Explained, compiled: CompiledBlock): string {
  const who = asked.client?.name || asked.address || "This client";
  switch (verdict.kind) {
    case "quarantine":
      return verdict.address === undefined
        ? `${who} is in quarantine, so no name is found`
        : `${who} is in quarantine, so every name leads to ${verdict.address}`;
    case "answer":
      return `An override of ${domainOf(verdict.by)} answers ${shownAnswer(verdict)}`;
    case "block":
      return "list" in verdict.by
        ? `The list ${verdict.by.list} blocks it`
        : `An override blocks ${domainOf(verdict.by)}`;
    case "pass":
      if (compiled.excluded.has(asked.address)) return `Nothing is blocked for ${who}`;
      if (verdict.permitted !== undefined) {
        return `An override permits ${domainOf(verdict.permitted)}`;
      }
      if (asked.local) return "It is a name of home, which no list blocks";
      return verdict.categories.length > 0
        ? "It stands in a list that only names what it is"
        : "No list that is meant for this client blocks it";
  }
}

function shownAnswer({ address, cname = "" }: Extract<Verdict, { kind: "answer" }>): string {
  return address ?? displayName(cname.slice(0, -1));
}

/** The domain of an override in words. */
export function domainOf({ override: { domain } }: OverrideRef): string {
  return domain === "." ? "every name" : displayName(domain.slice(0, -1));
}

const hashes = new Uint32Array(SUFFIX_WORDS);

/** The name and its parents with their hashes, the longest first, the root last. */
function suffixes(
  name: string,
  { table }: CompiledBlock,
): { readonly text: string; readonly a: number; readonly b: number }[] {
  const bytes = nameBytes(name);
  if (bytes === null) return [];
  const labels = hashSuffixes(table.image.key, bytes, hashes);
  const words = name.split(".");
  return Array.from({ length: labels + 1 }, (_, i) => {
    const depth = labels - i;
    return {
      text: depth === 0 ? "." : words.slice(i).join("."),
      a: hashes[2 * depth]!,
      b: hashes[2 * depth + 1]!,
    };
  });
}

function listsOf({ name, client, local }: Explained, compiled: CompiledBlock) {
  const tags = client?.tags ?? [];
  const found = suffixes(name, compiled).slice(0, -1)
    .map(({ text, a, b }) => ({ text, set: compiled.sets[compiled.table.find(a, b)]! }));
  const exceptions = new Map(
    found.flatMap(({ text, set }) => set.exceptions.map((place) => [place, text] as const)),
  );
  return found.flatMap(({ text, set }) =>
    set.blocks.map((place) => {
      const { URI, Tags, DontBlock } = compiled.lists[place]!;
      const exception = exceptions.get(place);
      const why = exception !== undefined
        ? `The list makes an exception of ${exception}`
        : !shares(Tags, tags)
        ? `It is meant for devices with the tag ${Tags.join(" or ")}`
        : DontBlock
        ? "It only names categories"
        : local
        ? "It is a name of home"
        : "";
      return { uri: URI, name: text, holds: why === "", why };
    })
  );
}

type ExplainedOverride = Explanation["overrides"][number];

function overridesOf(asked: Explained, compiled: CompiledBlock): ExplainedOverride[] {
  const asker = { address: asked.address, tags: asked.client?.tags ?? [], now: asked.now };
  return suffixes(asked.name, compiled).flatMap(({ a, b }) =>
    overridesAt(compiled, a, b).map((one): ExplainedOverride => {
      const reason = missing(one, asker);
      return {
        type: one.permits ? "permit" : "block",
        list: one.list.Name,
        domain: one.override.Domain,
        client: one.override.ClientIP,
        expiration: one.override.Expiration,
        holds: reason === null,
        why: reason === null ? "" : wordsFor(reason, one),
      };
    })
  );
}

function wordsFor(reason: "client" | "tags" | "ended", { override, list }: CompiledOverride) {
  if (reason === "client") return `It is meant for ${override.ClientIP}`;
  if (reason === "ended") return "Its time is over";
  const tags = [...list.Tags, ...override.Tags];
  return `It is meant for devices with the tag ${tags.join(" or ")}`;
}

function decidingFirst(
  overrides: readonly ExplainedOverride[],
  { override: { list, domain, client } }: OverrideRef,
): ExplainedOverride[] {
  const at = overrides.findIndex((one) =>
    one.holds && one.list === list && one.domain === domain && one.client === client
  );
  return at < 0 ? [...overrides] : [overrides[at]!, ...overrides.toSpliced(at, 1)];
}
