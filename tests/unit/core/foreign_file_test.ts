import assert from "node:assert/strict";
import { isForeign } from "../../../system/core/engine/files/foreign_file.ts";
import type { Document } from "../../../system/core/config/document.ts";
import { documents } from "../../../system/documents.ts";

Deno.test("no document takes JSON of another shape for an edit, and each takes its own", () => {
  for (const [name, document] of Object.entries(documents) as [string, Document<unknown>][]) {
    const judged = (raw: unknown): boolean | null => {
      try {
        return isForeign(raw, document, document.read(raw));
      } catch {
        return null; // Refused as a whole.
      }
    };
    assert.notEqual(judged({ x: 1 }), false, name);
    assert.notEqual(judged([{ x: 1 }, 7]), false, name);
    const { fallback, write } = document;
    assert.notEqual(judged(write === undefined ? fallback : write(fallback)), true, name);
  }
});
