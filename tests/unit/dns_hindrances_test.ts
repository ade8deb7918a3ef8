import assert from "node:assert/strict";
import { createHindranceNotices } from "../../system/dns/hindrance_notices.ts";

Deno.test("a hindrance that could not be told of is told of when it is reported again", async () => {
  const open = new Map<string, string>();
  let fails = true;
  const report = createHindranceNotices({
    open(_kind, detail, { subject } = {}) {
      if (fails) return Promise.reject(new Error("The store is busy"));
      open.set(String(subject), detail);
      return Promise.resolve();
    },
    settle(_kind, subject) {
      if (subject === undefined) open.clear();
      else open.delete(subject);
      return Promise.resolve();
    },
  });
  const items = [{ subject: "default", detail: "No resolver outside answers" }];
  await assert.rejects(report({ items }), /busy/);
  fails = false;
  await report({ items });
  assert.deepEqual([...open], [["default", "No resolver outside answers"]]);
  await report({ items: [] });
  assert.deepEqual([...open], []);
});
