import assert from "node:assert/strict";
import { join } from "node:path";
import type { RuleCounter } from "../../../system/firewall/counters/counters.ts";
import { UseRecord } from "../../../system/firewall/counters/use_record.ts";
import { noteUses } from "../../../system/firewall/counters/uses.ts";

const counted = (packets: number | null, rule = "a"): RuleCounter => ({
  kind: "block",
  rule,
  packets,
  bytes: packets,
});

Deno.test("a rule is used when its count grows, also after the kernel began at zero again", () => {
  const first = noteUses({}, [counted(0)], 1);
  assert.deepEqual(first, { "block a": { since: 1, packets: 0, lastUsed: null } });
  assert.equal(noteUses(first, [counted(0)], 2), first, "nothing new is the same value");
  const used = noteUses(first, [counted(5)], 3);
  assert.deepEqual(used["block a"], { since: 1, packets: 5, lastUsed: 3 });
  const loadedAnew = noteUses(used, [counted(0)], 4);
  assert.deepEqual(loadedAnew["block a"], { since: 1, packets: 0, lastUsed: 3 });
  assert.equal(noteUses(loadedAnew, [counted(2)], 5)["block a"]?.lastUsed, 5);
  assert.equal(noteUses(used, [counted(2)], 6)["block a"]?.lastUsed, 6, "anew and used at once");
});

Deno.test("what nobody counts keeps what is known, and a rule that is gone is forgotten", () => {
  const known = noteUses({}, [counted(1), counted(1, "b")], 1);
  assert.equal(noteUses(known, [counted(null), counted(1, "b")], 2), known);
  assert.deepEqual(Object.keys(noteUses(known, [counted(1, "b")], 3)), ["block b"]);
  assert.deepEqual(noteUses({}, [counted(null)], 4), {});
  assert.equal(noteUses({}, [{ ...counted(1), kind: "__proto__" }], 5)["__proto__ a"]?.since, 5);
});

Deno.test("uses are kept over restarts, and a broken file begins anew", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "uses.json");
  const failed: unknown[] = [];
  let now = 1000, packets = 0;
  const open = () =>
    UseRecord.open({
      path,
      count: () => Promise.resolve([counted(packets)]),
      now: () => now,
      failed: (error) => failed.push(error),
      live: false,
    });
  try {
    const one = await open();
    await one.sample();
    packets = 3;
    now = 2000;
    assert.deepEqual(await one.sample(), [{ ...counted(3), since: 1000, lastUsed: 2000 }]);
    await one.close();
    now = 3000;
    packets = 0;
    const two = await open();
    assert.deepEqual(await two.sample(), [{ ...counted(0), since: 1000, lastUsed: 2000 }]);
    await two.close();
    await Deno.writeTextFile(path, "[1");
    const three = await open();
    assert.deepEqual(await three.sample(), [{ ...counted(0), since: 3000, lastUsed: null }]);
    await three.close();
    assert.deepEqual(failed, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
