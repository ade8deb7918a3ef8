import type { Updates } from "./schema.ts";
import { sortedTags } from "./rules.ts";

/** Inputs of {@link wantedRelease}. */
export interface ReleaseChoice {
  /** The tag that runs. */
  readonly current: string;
  /** Tags that are known, oldest first. */
  readonly tags: readonly string[];
  readonly selected: Pick<Updates, "CustomChannel" | "CustomVersion">;
}

/**
 * The release that was selected, or else the newest known one of the channel, where another one runs;
 * null where nothing else is wanted. Only a selected release may be older than the one that runs.
 */
export function wantedRelease({ current, tags, selected }: ReleaseChoice): string | null {
  const { CustomChannel, CustomVersion } = selected;
  if (CustomVersion !== "") {
    const version = /^\d/.test(CustomVersion) ? `v${CustomVersion}` : CustomVersion;
    return version === current ? null : version;
  }
  const isOfChannel = (tag: string): boolean => CustomChannel !== "" || !tag.includes("-");
  const newest = sortedTags([...tags.filter(isOfChannel), current]).at(-1) ?? current;
  return newest === current ? null : newest;
}
