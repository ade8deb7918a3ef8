import assert from "node:assert/strict";
import { isRecord } from "../../../../system/core/config/json.ts";
import { readList } from "../../../../system/core/config/read_list.ts";
import type { Reading } from "../../../../system/core/config/document.ts";
import { Problem } from "../../../../system/core/errors/problem.ts";
import { documents } from "../../../../system/documents.ts";
import * as z from "zod";

/** Entries that no document takes. */
const BAD = [7, {}, { Name: 7, Iface: 7, Enabled: "x" }, null];

/** What stands at a JSON pointer. */
function at(file: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    file,
  );
}

function reading(read: () => Reading<unknown>): Reading<unknown> | null {
  try {
    return read();
  } catch (error) {
    // The whole file is refused.
    assert.ok(error instanceof Problem, String(error));
    return null;
  }
}

Deno.test("every document reports a rejected entry where all of it stands in the file", () => {
  const rejecting = new Set<string>();
  for (const [name, { read, fallback, write }] of Object.entries(documents)) {
    const whole: unknown = (write as ((value: unknown) => unknown) | undefined)?.(fallback) ??
      fallback;
    const lists = isRecord(whole)
      ? Object.keys(whole).map((field) => ({ ...whole, [field]: BAD }))
      : [];
    for (const file of [BAD, { a: 7, eth0: {}, wlan0: { Country: 7 } }, ...lists]) {
      for (const { pointer, raw } of reading(() => read(file))?.rejected ?? []) {
        rejecting.add(name);
        assert.deepEqual(at(file, pointer), raw, `${name}: ${pointer}`);
      }
    }
  }
  for (const name of ["devices", "groups", "interfaces", "ppp", "wpa", "mesh", "radios"]) {
    assert.ok(rejecting.has(name), name);
  }
});

Deno.test("a list is read without the entries that are malformed or at fault", () => {
  const list = [{ id: 1 }, { id: "x" }, null, { id: 1 }, { id: 2 }];
  const form = {
    schema: z.object({ id: z.int({ error: "Write a number" }) }, { error: "Write an object" }),
    at: ["a/b"],
    fault: ({ id }: { readonly id: number }, before: readonly { readonly id: number }[]) =>
      before.some((one) => one.id === id) ? "Twice" : null,
  };
  assert.deepEqual(readList(list, form), {
    value: [{ id: 1 }, { id: 2 }],
    rejected: [
      { pointer: "/a~1b/1", message: "/id: Write a number", raw: { id: "x" } },
      { pointer: "/a~1b/2", message: "Write an object", raw: null },
      { pointer: "/a~1b/3", message: "Twice", raw: { id: 1 } },
    ],
  });
});
