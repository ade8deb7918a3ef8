import type { PatchEntry } from "./change.ts";
import type { Decided } from "./change_job.ts";
import type { ChangeRow } from "./journal/journal.ts";
import { maskPatch } from "./journal/mask.ts";
import type { Parts } from "./parts.ts";

/** Names of changed entries that an event carries at most. */
const NAMED = 100;

/**
 * Publishes a committed change: on `changes`, and on the topic of each document that it touched with
 * the names of the entries that changed (null: too many, read it anew).
 */
export function announce<C>(change: Decided<C>, row: ChangeRow, parts: Parts<C>): void {
  const masked = maskPatch(change.patch, (name) => parts.documents[name as keyof C]);
  const byDocument = Map.groupBy(masked, (entry) => entry.document);
  for (const [name, entries] of byDocument) {
    parts.bus.publish(parts.documents[name as keyof C].topic, {
      change: row.id,
      document: name,
      keys: changedKeys(entries),
    });
  }
  const { id, at, by, kind, summary } = row;
  parts.bus.publish("changes", { id, at, by, kind, summary, documents: [...byDocument.keys()] });
}

function changedKeys(entries: readonly PatchEntry[]): readonly string[] | null {
  if (entries.some((entry) => entry.path.length === 0)) return null;
  const keys = new Set(entries.map((entry) => entry.path[0]!));
  return keys.size > NAMED ? null : [...keys];
}
