import type { Documents } from "../config/document.ts";
import { isRecord } from "../config/json.ts";
import { derive, onceEach, perVersion } from "../config/memo.ts";
import type { PatchEntry } from "./change.ts";
import { maskAt, maskPatch, type Secrets } from "./journal/mask.ts";

/**
 * Counts how often secrets of a document, or of an entry of it, were set. Entity tags are made of this
 * and of the value without its secrets: a new password gives a new tag, and the tag never tells whether
 * it is another one. It counts since the start: a tag from before a password was set and a restart
 * asks its holder to read again.
 */
export class SecretVersions<C> {
  readonly #documents: Documents<C>;
  readonly #versions = new WeakMap<object, number>();
  #last = 0;

  constructor(documents: Documents<C>) {
    this.#documents = documents;
  }

  /** The version of a document, or of a member of one. */
  of(value: unknown): number {
    return typeof value === "object" && value !== null ? this.#versions.get(value) ?? 0 : 0;
  }

  /** Notes what a decided change makes of the versions. */
  note(before: C, after: C, patch: readonly PatchEntry[]): void {
    for (const [document, entries] of Map.groupBy(patch, (entry) => entry.document)) {
      const name = document as keyof C & string;
      this.#carry(before[name], after[name], entries);
      for (const [member, about] of Map.groupBy(entries, ({ path }) => path[0])) {
        if (member === undefined) continue;
        this.#carry(memberOf(before[name], member), memberOf(after[name], member), about);
      }
    }
  }

  #carry(before: unknown, after: unknown, entries: readonly PatchEntry[]): void {
    if (typeof after !== "object" || after === null || before === after) return;
    const version = entries.some((entry) => this.#isSecret(entry)) ? ++this.#last : this.of(before);
    if (version > 0) this.#versions.set(after, version);
  }

  #isSecret(entry: PatchEntry): boolean {
    const [masked] = maskPatch([entry], (name) => this.#documents[name as keyof C] ?? {});
    return masked!.before !== entry.before || masked!.after !== entry.after;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Makes copies of the values of a document in which every secret is hidden. */
export function hiding(document: Secrets): (value: object) => object {
  const members = (record: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, maskAt(record[name], [name], document)]));
  const record = perVersion<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>>({
    compute: (value) => members(value, Object.keys(value)),
    update: (earlier, value, changed) => derive(earlier, members(value, changed)),
  });
  const list = onceEach((value: object) => maskAt(value, [], document) as object);
  return (value) => isRecord(value) ? record(value) : list(value);
}
