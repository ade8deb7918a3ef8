import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { isRefused, Refusal } from "../../../system/core/errors/refusal.ts";

Deno.test("only what a person must correct keeps a process from being tried again", () => {
  assert.ok(isRefused(new Refusal("Set SLUICE_HTTP")));
  assert.ok(isRefused(new Problem(503, "Another program listens on 0.0.0.0:80")));
  assert.ok(!isRefused(new Problem(502, "ip did not end within 10 seconds and was stopped")));
  assert.ok(!isRefused(new Error("anything else")));
  assert.ok(!isRefused("nothing"));
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  assert.ok(!isRefused(new Problem(500, "Cannot write", { cause: full })), "room may come back");
});
