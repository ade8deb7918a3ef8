import type { Command, PatchEntry } from "../change.ts";
import type { Documents } from "../../config/document.ts";
import type { ChangeRow } from "./journal.ts";
import { withoutMarksSteps } from "../files/stored_text.ts";
import { checkLarge } from "../../config/check_large.ts";
import { sameJson } from "../../config/same_json.ts";
import { atOnce } from "../../time/slices.ts";
import { applyPatch, applySteps, invertPatch } from "./patch.ts";
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
  function* steps(config: C): Generator<void, readonly [C, void]> {
    const parts: [string, unknown][] = [];
    for (const [document, entries] of inverse) {
      const name = document as keyof C & string;
      parts.push([name, yield* undone(name, entries, { config, documents })]);
    }
    return [{ ...config, ...Object.fromEntries(parts) } as C, undefined];
  }
  return {
    kind: "undo",
    summary: `Undo: ${row.summary}`,
    reduce: (config) => atOnce(steps(config)),
    reduceSteps: steps,
    // One that this change set to what it was, it also sets back to that.
    secrets: () => row.patch.filter(({ before, after }) => sameJson(before, after)),
    past: (config) => (name) =>
      [row, ...later].toReversed().reduce<unknown>((value, { patch }) => {
        const entries = patch.filter(({ document }) => document === name);
        return applyPatch(value, invertPatch(entries), documents[name].keyOf);
      }, config[name]) as C[typeof name],
  };
}

function* undone<C, K extends keyof C & string>(
  name: K,
  entries: readonly PatchEntry[],
  context: { readonly config: C; readonly documents: Documents<C> },
): Generator<void, C[K]> {
  const document = context.documents[name];
  if (document === undefined) throw conflict(`The document ${name} is no longer known`);
  const applied = yield* applySteps(context.config[name], entries, document.keyOf);
  const value = yield* withoutMarksSteps(applied, document);
  const checked = yield* checkLarge(document.schema, value, 1);
  if (checked.success) {
    return document.fit?.(value as C[K], context.config[name]) ?? value as C[K];
  }
  const issue = checked.issues[0];
  throw conflict(
    `Today's configuration does not allow to undo this: ${issue?.message} (${
      pointer([name, ...issue?.path ?? []])
    })`,
  );
}
