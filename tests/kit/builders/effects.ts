import type { Config } from "../../../system/config.ts";
import type { EffectContext, PatchEntry } from "../../../system/core/engine/change.ts";
import { seenOn } from "./small_network.ts";

/** The sentences of a change, without the steps between them. */
export function sentencesOf(effects: Iterable<string | undefined>): readonly string[] {
  return [...effects].filter((one) => one !== undefined);
}

/** A change from one configuration to another, with devices where they were seen. */
export function changeOf(
  before: Config,
  after: Config,
  more: {
    readonly seen?: Readonly<Record<string, string>>;
    readonly patch?: readonly PatchEntry[];
  } = {},
): EffectContext<Config> {
  return { before, after, observed: seenOn(more.seen), patch: more.patch ?? [] };
}
