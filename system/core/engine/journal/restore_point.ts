import type { Command, PatchEntry } from "../change.ts";
import type { Documents } from "../../config/document.ts";
import { digest, isRecord } from "../../config/json.ts";
import { sameJson } from "../../config/same_json.ts";
import { withoutDirectionMarks } from "../files/stored_text.ts";
import { secretsIn } from "./secrets.ts";
import { conflict, pointer, type Problem } from "../../errors/problem.ts";
import type { ChangeRow } from "./journal.ts";
import { applyPatch, elementKeys, invertPatch, type KeyOf } from "./patch.ts";

/** A point of the history, and what has happened since. */
export interface RestorePoint {
  readonly row: ChangeRow;
  /** Every change active after it, oldest first. */
  readonly later: readonly ChangeRow[];
}

/** What restoring needs beside the history. */
export interface RestoreOptions<C> {
  readonly documents: Documents<C>;
  /** Throws Problem where the caller may not change these documents. */
  readonly permit?: ((documents: readonly string[]) => void) | undefined;
}

/**
 * The command that brings the whole configuration back to what it was right after a change. It throws
 * Problem 409 where the history does not lead there, or what it leads to is not valid any more.
 */
export function restoreCommand<C>(point: RestorePoint, rules: RestoreOptions<C>): Command<C> {
  return {
    kind: "restore",
    summary: `Restore to: ${point.row.summary}`,
    secrets: () => point.later.flatMap(({ patch }) => secretsIn(patch, rules.documents)),
    reduce: (config) => {
      const names = documentsOf(point.later) as readonly (keyof C & string)[];
      const parts = names.map((name) => [name, valueAt(name, { config, point, rules })] as const);
      const moved = parts.filter(([name, value]) => value !== config[name]);
      rules.permit?.(moved.map(([name]) => name));
      return moved.length === 0
        ? [config, undefined]
        : [{ ...config, ...Object.fromEntries(moved) } as C, undefined];
    },
  };
}

function documentsOf(rows: readonly ChangeRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ patch }) => patch.map(({ document }) => document)))];
}

interface RestoreContext<C> {
  readonly config: C;
  readonly point: RestorePoint;
  readonly rules: RestoreOptions<C>;
}

/** What a document was at the point; today's own value where the two are equal. */
function valueAt<C, K extends keyof C & string>(name: K, context: RestoreContext<C>): C[K] {
  const document = context.rules.documents[name];
  if (document === undefined) throw conflict(`The document ${name} is no longer known`);
  const { row, later } = context.point;
  const today = context.config[name];
  let past: unknown = today;
  for (const { patch } of [row, ...later].toReversed()) {
    const entries = patch.filter((entry) => entry.document === name);
    if (!entries.every((entry) => stands(past, entry, document.keyOf))) throw gap(name, row);
    if (patch !== row.patch) past = applyPatch(past, invertPatch(entries), document.keyOf);
  }
  if (digest(past) === digest(today)) return today;
  const value = withoutDirectionMarks(past, document);
  const checked = document.schema.safeParse(value);
  if (checked.success) return value as C[K];
  const issue = checked.error.issues[0];
  throw conflict(
    `The configuration of then is not valid any more: ${issue?.message} (${
      pointer([name, ...issue?.path ?? []])
    })`,
  );
}

/** True when a value is as a change left it. */
function stands(value: unknown, entry: PatchEntry, keyOf: KeyOf | undefined): boolean {
  const found = entry.path.reduce<unknown>((at, segment) => {
    if (Array.isArray(at)) return at[elementKeys(at, keyOf).indexOf(segment)];
    return isRecord(at) && Object.hasOwn(at, segment) ? at[segment] : undefined;
  }, value);
  return sameJson(found, entry.after);
}

function gap(document: string, row: ChangeRow): Problem {
  return conflict(
    `Entries of the history since then are gone, so that nobody can say what ${document} was`,
    { change: row.id },
  );
}
