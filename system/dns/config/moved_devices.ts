import { nameList } from "../../devices/name_list.ts";
import { matchesAny, type View } from "./effect_text.ts";

/** The devices for which tags come to match, and those for which they no longer do. */
export function moved(
  was: View,
  is: View,
  identities: readonly string[],
  [old, now]: readonly [readonly string[], readonly string[]],
): readonly (readonly [names: string, applies: boolean])[] {
  const gained: string[] = [], lost: string[] = [];
  for (const identity of identities) {
    if (is.isExcluded(identity)) continue;
    const before = matchesAny(old, was.tagsOf(identity));
    const after = matchesAny(now, is.tagsOf(identity));
    if (before !== after) (after ? gained : lost).push(is.nameOf(identity));
  }
  return [
    ...(gained.length > 0 ? [[nameList(gained), true] as const] : []),
    ...(lost.length > 0 ? [[nameList(lost), false] as const] : []),
  ];
}
