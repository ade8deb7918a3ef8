import assert from "node:assert/strict";
import { globSync } from "node:fs";

/** A call of a log with the name of its event and, where it is plain text, its message. */
const CALL =
  /\blog\s*\.(?:debug|info|warn|error)\(\s*(?:"(?<event>[^"]*)",\s*(?:"(?<message>[^"]*)"|`)?)?/gi;
const EVENT = /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/;

Deno.test("every line of the log has a well formed event, which means one thing only", async () => {
  const messages = new Map<string, Set<string>>();
  for (const path of ["program.ts", ...globSync("{routes,system}/**/*.ts")]) {
    for (const { groups, 0: call } of (await Deno.readTextFile(path)).matchAll(CALL)) {
      const { event, message } = groups!;
      assert.ok(event !== undefined, `${path}: ${call} needs the name of an event as literal text`);
      assert.match(event, EVENT, path);
      const known = messages.get(event) ?? new Set();
      messages.set(event, message === undefined ? known : known.add(message));
    }
  }
  assert.ok(messages.size > 80, `only ${messages.size} events found`);
  for (const [event, texts] of messages) {
    assert.ok(texts.size <= 1, `${event} stands for ${[...texts].join(" and ")}`);
  }
});
