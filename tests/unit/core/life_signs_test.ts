import assert from "node:assert/strict";
import { LifeWatch } from "../../../system/core/process/life_signs.ts";
import { PROCESSES } from "../../../system/processes.ts";

Deno.test("a process is stuck after so many looks without a sign, once, and not before its first", () => {
  const life = new LifeWatch(3);
  const looks = (): boolean[] => [life.look(), life.look(), life.look(), life.look()];
  assert.deepEqual(looks(), [false, false, false, false], "it has not begun");
  life.sign();
  assert.deepEqual(looks(), [false, false, true, false]);
  life.sign();
  assert.deepEqual([life.look(), life.look()], [false, false]);
  life.sign();
  assert.deepEqual(looks(), [false, false, true, false]);
});

Deno.test("dnsd is ended within ten seconds", () => {
  const { maxSilence } = PROCESSES.find(({ name }) => name === "dnsd")!;
  assert.ok(maxSilence !== undefined && maxSilence < 10);
});
