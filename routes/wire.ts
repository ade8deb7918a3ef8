/** What the API answers, as types for its pages: one source for both sides of the wire. */
import type { z } from "zod";
import type { PatchEntry } from "../system/core/change.ts";
import type * as changes from "../system/changes/schema.ts";
import type * as notices from "../system/notices/schema.ts";

export type { PatchEntry, Preview, ReachFlip, Refusal } from "../system/core/change.ts";
export type { Judgement } from "../system/core/ruleset.ts";

/** A change in a list. */
export type Change = z.output<typeof changes.ChangeSummary>;

/** A change in full. */
export interface ChangeDetail extends Change {
  readonly patch: readonly PatchEntry[];
  /** What changed in the kernel, in nft and ip words. */
  readonly system: readonly string[];
}

/** The change that undoes itself unless it is kept. */
export type ConfirmWindow = NonNullable<z.output<typeof changes.WindowState>["window"]>;

/** What is the matter until somebody has seen to it. */
export type Notice = z.output<typeof notices.Notice>;
