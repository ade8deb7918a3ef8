import type { Command, PatchEntry } from "../change.ts";
import type { Documents } from "../../config/document.ts";
import type { ChangeRow } from "./journal.ts";
import { withoutDirectionMarks } from "../files/stored_text.ts";
import { canonical } from "../../config/json.ts";
import { applyPatch, invertPatch } from "./patch.ts";
import { conflict, pointer } from "../../errors/problem.ts";

/**
 * The command that takes a change back. Entries whose place is gone are passed over; what comes out
 * must be valid, else it throws Problem 409. `later`: every change active after it, oldest first.
 */
export function undoCommand<C>(
  row: ChangeRow,
  later: readonly ChangeRow[],
  documents: Documents<C>,
): Command<C> {
  const inverse = Map.groupBy(invertPatch(row.patch), (entry) => entry.document);
  return {
    kind: "undo",
    summary: `Undo: ${row.summary}`,
    reduce: (config) => {
      const parts = [...inverse].map(([document, entries]) => {
        const name = document as keyof C & string;
        return [name, undone(name, entries, { config, documents })] as const;
      });
      return [{ ...config, ...Object.fromEntries(parts) } as C, undefined];
    },
    // One that this change set to what it was, it also sets back to that.
    secrets: () => row.patch.filter(({ before, after }) => canonical(before) === canonical(after)),
    past: (config) => (name) =>
      [row, ...later].toReversed().reduce<unknown>((value, { patch }) => {
        const entries = patch.filter(({ document }) => document === name);
        return applyPatch(value, invertPatch(entries), documents[name].keyOf);
      }, config[name]) as C[typeof name],
  };
}

function undone<C, K extends keyof C & string>(
  name: K,
  entries: readonly PatchEntry[],
  context: { readonly config: C; readonly documents: Documents<C> },
): C[K] {
  const document = context.documents[name];
  if (document === undefined) throw conflict(`The document ${name} is no longer known`);
  const value = withoutDirectionMarks(
    applyPatch(context.config[name], entries, document.keyOf),
    document,
  );
  const checked = document.schema.safeParse(value);
  if (checked.success) {
    return document.fit?.(value as C[K], context.config[name]) ?? value as C[K];
  }
  const issue = checked.error.issues[0];
  throw conflict(
    `Today's configuration does not allow to undo this: ${issue?.message} (${
      pointer([name, ...issue?.path ?? []])
    })`,
  );
}
