import type { DnsClient } from "../../resolver/client.ts";
import { nameBytes } from "../../codec/name.ts";
import type { CompiledFilter, CompiledOverride } from "./compiled_filter.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../table/name_hash.ts";
import { displayName } from "../names.ts";
import { bypassAnswer, filterOf } from "./bypass_names.ts";
import { matchesTags, mismatchOf } from "./compiled_filter.ts";
import { overridesAt } from "./verdict.ts";
import type { OverrideRef, Verdict } from "./verdict_schema.ts";
import type { Explanation } from "../api_schema.ts";

/** A query to explain. */
export interface ExplainRequest {
  /** In ASCII and lower case, without final dot. */
  readonly name: string;
  readonly client?: DnsClient | undefined;
  /** Address of the client. */
  readonly address: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** True for a local name. */
  readonly local?: boolean;
  /** CNAME targets of the cached answer in order, in the form of {@link name}. */
  readonly cnameChain?: readonly string[];
}

/** Explains the verdict on one name, without its CNAME targets. */
export function explainName(
  request: ExplainRequest,
  verdict: Verdict,
  compiled: CompiledFilter,
): Explanation {
  const { name, client, address } = request;
  const by = "by" in verdict
    ? verdict.by
    : verdict.kind === "pass"
    ? verdict.permitted ?? null
    : null;
  const overrides = overridesOf(request, compiled);
  return {
    name,
    display: displayName(name),
    client: { address, identity: client?.identity ?? "", name: client?.name ?? "" },
    verdict: verdict.kind,
    answer: rewrittenAnswer(verdict),
    by,
    categories: "categories" in verdict ? [...verdict.categories] : [],
    reason: reasonOf(verdict, request, compiled),
    lists: listsOf(request, compiled),
    overrides: by !== null && "override" in by ? decidingFirst(overrides, by) : overrides,
  };
}

/** The rewritten answer; "" for none. */
function rewrittenAnswer(verdict: Verdict): string {
  if (verdict.kind === "rewrite") return verdict.address ?? verdict.cname ?? "";
  return verdict.kind === "quarantine" ? verdict.address ?? "" : "";
}

/** The reason as a sentence without its full stop. */
function reasonOf(
  verdict: Verdict,
  request: ExplainRequest,
  compiled: CompiledFilter,
): string {
  const who = request.client?.name || request.address || "This client";
  switch (verdict.kind) {
    case "quarantine":
      return verdict.address === undefined
        ? `${who} is in quarantine, so no name is resolved`
        : `${who} is in quarantine, so every name resolves to ${verdict.address}`;
    case "rewrite":
      return `An override rewrites ${displayDomain(verdict.by)} to ${shownAnswer(verdict)}`;
    case "block":
      if ("builtin" in verdict.by) {
        return "Devices look up this name to bypass the router's DNS, and names are filtered " +
          `for ${who}: ${filterText(request, compiled)}`;
      }
      return "list" in verdict.by
        ? `Blocked by the list ${verdict.by.list}`
        : `An override blocks ${displayDomain(verdict.by)}`;
    case "pass":
      if (compiled.excluded.has(request.address)) return `${who} is excluded from blocking`;
      if (verdict.permitted !== undefined) {
        return `An override permits ${displayDomain(verdict.permitted)}`;
      }
      if (bypassAnswer(nameBytes(request.name) ?? new Uint8Array(1)) !== null) {
        return "Devices look up this name to bypass the router's DNS. It is resolved as usual, " +
          (compiled.config.BypassCheckDisable
            ? "because the check of such names is off"
            : `because no names are filtered for ${who}`);
      }
      if (request.local) return "It is a local name, which block lists do not apply to";
      return verdict.categories.length > 0
        ? "It is only in lists that log its category"
        : "No block list for this client contains it";
  }
}

function filterText({ client, address }: ExplainRequest, compiled: CompiledFilter): string {
  return filterOf(client, address, compiled) === "family"
    ? "it uses the family filter"
    : "block lists or custom rules apply to it";
}

function shownAnswer({ address, cname = "" }: Extract<Verdict, { kind: "rewrite" }>): string {
  return address ?? displayName(cname.slice(0, -1));
}

/** The domain of an override for display. */
export function displayDomain({ override: { domain } }: OverrideRef): string {
  return domain === "." ? "every name" : displayName(domain.slice(0, -1));
}

const hashes = new Uint32Array(SUFFIX_WORDS);

/** The name and its parent domains with their hashes, the longest first, the root last. */
function suffixes(
  name: string,
  { table }: CompiledFilter,
): { readonly text: string; readonly a: number; readonly b: number }[] {
  const bytes = nameBytes(name);
  if (bytes === null) return [];
  const labels = hashSuffixes(table.image.key, bytes, hashes);
  const labelTexts = name.split(".");
  return Array.from({ length: labels + 1 }, (_, i) => {
    const depth = labels - i;
    return {
      text: depth === 0 ? "." : labelTexts.slice(i).join("."),
      a: hashes[2 * depth]!,
      b: hashes[2 * depth + 1]!,
    };
  });
}

function listsOf({ name, client, local }: ExplainRequest, compiled: CompiledFilter) {
  const tags = client?.tags ?? [];
  const found = suffixes(name, compiled).slice(0, -1)
    .map(({ text, a, b }) => ({ text, set: compiled.sets[compiled.table.find(a, b)]! }));
  const important = new Set(found.flatMap(({ set }) => set.importantBlocks));
  const exceptions = new Map(
    found.flatMap(({ text, set }) =>
      set.exceptions
        .filter((index) => !important.has(index) || set.importantExceptions.includes(index))
        .map((index) => [index, text] as const)
    ),
  );
  return found.flatMap(({ text, set }) =>
    set.blocks.map((index) => {
      const { URI, Tags, DontBlock } = compiled.lists[index]!;
      const exception = exceptions.get(index);
      const reason = exception !== undefined
        ? `The list has an exception for ${exception}`
        : !matchesTags(Tags, tags)
        ? `It applies only to devices with the tag ${Tags.join(" or ")}`
        : DontBlock
        ? "It only logs its category"
        : local
        ? "It is a local name"
        : "";
      return { uri: URI, domain: text, applies: reason === "", reason };
    })
  );
}

type ExplainedOverride = Explanation["overrides"][number];

function overridesOf(request: ExplainRequest, compiled: CompiledFilter): ExplainedOverride[] {
  const { address, client, now } = request;
  const context = { address, tags: client?.tags ?? [], groups: client?.groups ?? [], now };
  return suffixes(request.name, compiled).flatMap(({ a, b }) =>
    overridesAt(compiled, a, b).map((one): ExplainedOverride => {
      const reason = mismatchOf(one, context);
      return {
        type: one.permits ? "permit" : "block",
        list: one.list.Name,
        domain: one.override.Domain,
        client: one.override.ClientIP,
        expiration: one.override.Expiration,
        applies: reason === null,
        reason: reason === null ? "" : mismatchText(reason, one),
      };
    })
  );
}

function mismatchText(
  reason: NonNullable<ReturnType<typeof mismatchOf>>,
  { override, list }: CompiledOverride,
): string {
  if (reason === "client") return `It applies only to ${override.ClientIP}`;
  if (reason === "expired") return "It has expired";
  if (reason === "groups") {
    return `It applies only to the group ${override.Groups?.join(" or ") ?? ""}`;
  }
  const tags = [...list.Tags, ...override.Tags];
  return `It applies only to devices with the tag ${tags.join(" or ")}`;
}

function decidingFirst(
  overrides: readonly ExplainedOverride[],
  { override: { list, domain, client } }: OverrideRef,
): ExplainedOverride[] {
  const at = overrides.findIndex((one) =>
    one.applies && one.list === list && one.domain === domain && one.client === client
  );
  return at < 0 ? [...overrides] : [overrides[at]!, ...overrides.toSpliced(at, 1)];
}
