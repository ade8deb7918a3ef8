import type { AnswerCache } from "./cache.ts";
import type { CacheQuestion } from "./cache_entry.ts";
import type { Lookup } from "./lookups.ts";
import type { QueryView } from "../codec/query.ts";
import { nameText } from "../codec/name.ts";
import type { Group } from "../upstream/upstreams.ts";
import { TYPE } from "../codec/constants.ts";

/** What sets apart answers to one name and type: whom they are of, and what of signatures they hold. */
function variantOf(group: Group, dnssecOk: boolean, checkingDisabled: boolean): number {
  return group.id * 4 + (dnssecOk ? 2 : 0) + (checkingDisabled ? 1 : 0);
}

/** A query as it is looked up in memory; shares the view's own name. */
export function cacheQuestion(view: QueryView, group: Group): CacheQuestion {
  const { name, nameLength, type } = view;
  return {
    name,
    nameLength,
    type,
    variant: variantOf(group, view.dnssecOk, view.checkingDisabled),
  };
}

/** A query as it is asked outside. */
export function lookupOf(view: QueryView, group: Group, key: number): Lookup {
  const { type, dnssecOk, checkingDisabled, nameLength } = view;
  const name = view.name.slice(0, nameLength);
  const variant = variantOf(group, dnssecOk, checkingDisabled);
  return { key, group, question: { name, nameLength, type, variant, dnssecOk, checkingDisabled } };
}

/** A name and type of our own asking. The name is on the wire, in lower case. */
export function plainLookup(
  name: Uint8Array,
  { type, group, cache }: {
    readonly type: number;
    readonly group: Group;
    readonly cache: Pick<AnswerCache, "keyOf">;
  },
): Lookup {
  const variant = variantOf(group, false, false);
  const asked = { name, nameLength: name.length, type, variant };
  return {
    key: cache.keyOf(asked),
    group,
    question: { ...asked, dnssecOk: false, checkingDisabled: false },
  };
}

/** Names that what is remembered of a name leads over, without final dot. The name is on the wire, in lower case. */
export function rememberedAliases(
  name: Uint8Array,
  { group, cache }: {
    readonly group: Group;
    readonly cache: Pick<AnswerCache, "keyOf" | "find">;
  },
): readonly string[] {
  for (const type of [TYPE.A, TYPE.AAAA, TYPE.HTTPS]) {
    for (const dnssecOk of [false, true]) {
      const variant = variantOf(group, dnssecOk, false);
      const question = { name, nameLength: name.length, type, variant };
      const known = cache.find(cache.keyOf(question), question);
      if (known === null || known.reply.aliases.length === 0) continue;
      const { bytes, aliases } = known.reply;
      return aliases.map((at) => nameText(bytes, at).toLowerCase().slice(0, -1));
    }
  }
  return [];
}
