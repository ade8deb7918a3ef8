import type { DnsCache } from "./cache.ts";
import type { CacheQuery } from "./cache_entry.ts";
import type { Lookup } from "./lookups.ts";
import type { QueryView } from "../codec/query.ts";
import { nameText } from "../codec/name.ts";
import type { ResolverGroup } from "../upstream/upstreams.ts";
import { TYPE } from "../codec/constants.ts";

/** What sets apart responses for one name and type: the resolvers, and whether they hold signatures. */
function variantOf(group: ResolverGroup, dnssecOk: boolean, checkingDisabled: boolean): number {
  return group.id * 4 + (dnssecOk ? 2 : 0) + (checkingDisabled ? 1 : 0);
}

/** A query as the cache looks it up; shares the view's own name. */
export function cacheQuery(view: QueryView, group: ResolverGroup): CacheQuery {
  const { name, nameLength, type } = view;
  return {
    name,
    nameLength,
    type,
    variant: variantOf(group, view.dnssecOk, view.checkingDisabled),
  };
}

/** A query as it goes to upstream resolvers. */
export function lookupOf(view: QueryView, group: ResolverGroup, key: number): Lookup {
  const { type, dnssecOk, checkingDisabled, nameLength } = view;
  const name = view.name.slice(0, nameLength);
  const variant = variantOf(group, dnssecOk, checkingDisabled);
  return { key, group, query: { name, nameLength, type, variant, dnssecOk, checkingDisabled } };
}

/** A lookup of our own. The name is in wire format, in lower case. */
export function internalLookup(
  name: Uint8Array,
  { type, group, cache }: {
    readonly type: number;
    readonly group: ResolverGroup;
    readonly cache: Pick<DnsCache, "keyOf">;
  },
): Lookup {
  const variant = variantOf(group, false, false);
  const query = { name, nameLength: name.length, type, variant };
  return {
    key: cache.keyOf(query),
    group,
    query: { ...query, dnssecOk: false, checkingDisabled: false },
  };
}

/** Aliases in the cached response for a name, without final dot. The name is in wire format, in lower case. */
export function cachedAliases(
  name: Uint8Array,
  { group, cache }: {
    readonly group: ResolverGroup;
    readonly cache: Pick<DnsCache, "keyOf" | "find">;
  },
): readonly string[] {
  for (const type of [TYPE.A, TYPE.AAAA, TYPE.HTTPS]) {
    for (const dnssecOk of [false, true]) {
      const variant = variantOf(group, dnssecOk, false);
      const query = { name, nameLength: name.length, type, variant };
      const cached = cache.find(cache.keyOf(query), query);
      if (cached === null || cached.response.aliases.length === 0) continue;
      const { bytes, aliases } = cached.response;
      return aliases.map((at) => nameText(bytes, at).toLowerCase().slice(0, -1));
    }
  }
  return [];
}
