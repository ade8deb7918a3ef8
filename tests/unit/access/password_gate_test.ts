import assert from "node:assert/strict";
import { PasswordGate } from "../../../system/access/password/password_gate.ts";
import { LOCK_RULE } from "../../../system/access/password/failures.ts";

interface Setup {
  readonly gate: PasswordGate;
  readonly clock: { now: number };
  /** Passwords that were hashed, in order. */
  readonly hashed: string[];
  readonly failed: { key: string; user: string; until: number | null }[];
  try(password: string, options?: { user?: string; source?: string }): Promise<boolean>;
  /** The status that stops an attempt, or its result. */
  outcome(
    password: string,
    options?: { user?: string; source?: string },
  ): Promise<boolean | number>;
}

/** A gate whose hashes take no time; the right password of everyone is `right`. */
function setup(verify?: (password: string) => Promise<boolean>): Setup {
  const clock = { now: 1_000_000_000 };
  const hashed: string[] = [];
  const failed: Setup["failed"] = [];
  const gate = new PasswordGate({
    now: () => clock.now,
    key: new Uint8Array(32),
    verify: (password) => {
      hashed.push(password);
      return verify?.(password) ?? Promise.resolve(password === "right");
    },
    failed: (key, user, until) => failed.push({ key, user, until }),
  });
  const attempt: Setup["try"] = (password, { user = "admin", source = "192.0.2.1" } = {}) =>
    gate.check({ source, user, password, stored: user === "admin" ? "record" : undefined });
  return {
    gate,
    clock,
    hashed,
    failed,
    try: attempt,
    outcome: (password, options) =>
      attempt(password, options).catch((error: { status: number }) => error.status),
  };
}

/** Tries wrong passwords at a pace that the buckets allow. */
async function guess(
  kit: Setup,
  count: number,
  options: { user?: (i: number) => string; source?: string; from?: number } = {},
): Promise<(boolean | number)[]> {
  const results = [];
  for (let i = 0; i < count; i++) {
    kit.clock.now += 2000;
    const user = options.user?.(i) ?? "admin";
    const source = options.source ?? "192.0.2.1";
    results.push(await kit.outcome(`wrong ${(options.from ?? 0) + i}`, { user, source }));
  }
  return results;
}

Deno.test("ten distinct wrong passwords lock the source for five minutes", async () => {
  const kit = setup();
  assert.deepEqual(await guess(kit, 10), Array(10).fill(false));
  assert.equal(await kit.outcome("right"), 429);
  assert.equal(kit.failed.at(-1)?.until, kit.clock.now + LOCK_RULE.lock);
  kit.clock.now += LOCK_RULE.lock;
  assert.equal(await kit.try("right"), true);
});

Deno.test("a lockout says when to retry", async () => {
  const kit = setup();
  await guess(kit, 10);
  await assert.rejects(kit.try("right"), { status: 429, headers: { "retry-after": "300" } });
});

Deno.test("a lockout cannot be bypassed by varying user names", async () => {
  const kit = setup();
  await guess(kit, 10, { user: (i) => `user ${i}` });
  assert.equal(await kit.outcome("right"), 429);
});

Deno.test("a lockout cannot be bypassed by signing in to one's own account in between", async () => {
  const kit = setup();
  await guess(kit, 9);
  assert.equal(await kit.try("right", { user: "eve" }), true);
  await guess(kit, 1, { from: 9 });
  assert.equal(await kit.outcome("another"), 429);
});

Deno.test("a failure soon after a lockout locks again at once", async () => {
  const kit = setup();
  await guess(kit, 10);
  kit.clock.now += LOCK_RULE.lock;
  assert.equal(await kit.outcome("one more"), false);
  assert.equal(await kit.outcome("right"), 429);
});

Deno.test("failures are forgotten after fifteen minutes", async () => {
  const kit = setup();
  await guess(kit, 9);
  kit.clock.now += LOCK_RULE.window;
  await guess(kit, 9, { from: 20 });
  assert.equal(await kit.try("right"), true);
});

Deno.test("the same wrong password again is neither counted nor hashed", async () => {
  const kit = setup();
  for (let i = 0; i < 500; i++) assert.equal(await kit.try("stale"), false);
  assert.equal(kit.hashed.length, 1);
  assert.equal(kit.failed.length, 1);
  assert.equal(await kit.try("right"), true);
});

Deno.test("a lockout affects neither other sources nor verified credentials", async () => {
  const kit = setup();
  assert.equal(await kit.try("right"), true);
  await guess(kit, 10);
  assert.equal(await kit.outcome("wrong again"), 429);
  assert.equal(await kit.try("right"), true);
  assert.equal(await kit.try("right", { source: "192.0.2.2" }), true);
  assert.equal(kit.hashed.filter((password) => password === "right").length, 1);
});

Deno.test("a verified credential is hashed again after five minutes", async () => {
  const kit = setup();
  await kit.try("right");
  kit.clock.now += 5 * 60_000;
  await kit.try("right");
  assert.equal(kit.hashed.length, 2);
});

Deno.test("many guesses do not evict verified credentials", async () => {
  const kit = setup();
  await kit.try("right");
  for (let i = 0; i < 3000; i++) {
    await kit.outcome(`wrong ${i}`, { source: `10.0.${i >> 8}.${i & 255}` });
    kit.clock.now += i % 2 === 0 ? 190 : 0;
    if (kit.clock.now > 1_000_000_000 + 4 * 60_000) break;
  }
  const hashed = kit.hashed.length;
  assert.equal(await kit.try("right"), true);
  assert.equal(kit.hashed.length, hashed);
});

Deno.test("all hosts of an IPv6 /64 share one rate limit", async () => {
  const kit = setup();
  for (let i = 0; i < 100; i++) {
    await kit.outcome(`wrong ${i}`, { user: `user ${i}`, source: `2001:db8::${i}` });
  }
  assert.equal(kit.hashed.length, 10);
  assert.equal(await kit.outcome("right", { source: "2001:db8::ffff" }), 429);
  assert.equal(await kit.outcome("right", { source: "2001:db8:0:1::1" }), true);
});

Deno.test("all sources together may cause thirty hashes at once, and five a second", async () => {
  const kit = setup();
  for (let i = 0; i < 200; i++) {
    await kit.outcome(`wrong ${i}`, { source: `10.0.0.${i}` });
  }
  assert.equal(kit.hashed.length, 30);
  kit.clock.now += 1000;
  for (let i = 0; i < 10; i++) await kit.outcome(`more ${i}`, { source: `10.0.1.${i}` });
  assert.equal(kit.hashed.length, 35);
});

Deno.test("one source may cause twenty hashes at once, then one every two seconds", async () => {
  const kit = setup(() => Promise.resolve(true));
  for (let i = 0; i < 50; i++) await kit.outcome(`right ${i}`);
  assert.equal(kit.hashed.length, 20);
  kit.clock.now += 2000;
  for (let i = 50; i < 60; i++) await kit.outcome(`right ${i}`);
  assert.equal(kit.hashed.length, 21);
});

Deno.test("a flood from other sources does not lock out the owner", async () => {
  const kit = setup();
  await kit.try("right");
  kit.clock.now += 6 * 60_000;
  for (let i = 0; i < 200; i++) await kit.outcome(`wrong ${i}`, { source: `10.0.0.${i}` });
  assert.equal(await kit.try("right"), true);
});

Deno.test("requests with the same credential share one running hash", async () => {
  const running = Promise.withResolvers<boolean>();
  const kit = setup(() => running.promise);
  const tries = Array.from({ length: 50 }, () => kit.try("right"));
  running.resolve(true);
  assert.deepEqual(new Set(await Promise.all(tries)), new Set([true]));
  assert.equal(kit.hashed.length, 1);
});

Deno.test("two hashes run at once, and a request that waits too long has to retry", async () => {
  const running = Promise.withResolvers<boolean>();
  const timers: (() => void)[] = [];
  const hashed: string[] = [];
  const gate = new PasswordGate({
    now: () => 0,
    key: new Uint8Array(32),
    verify: (password) => {
      hashed.push(password);
      return running.promise;
    },
    timer: (ms, run) => {
      assert.equal(ms, 2000);
      timers.push(run);
      return () => {};
    },
  });
  const check = (password: string) =>
    gate.check({ source: "192.0.2.1", user: "admin", password, stored: "r" });
  const first = ["a", "b"].map(check);
  const [late, patient] = ["c", "d"].map(check);
  await Promise.resolve();
  assert.deepEqual(hashed, ["a", "b"]);
  timers[0]!();
  await assert.rejects(late!, { status: 429 });
  running.resolve(true);
  assert.deepEqual(await Promise.all([...first, patient]), [true, true, true]);
  assert.deepEqual(hashed, ["a", "b", "d"]);
});

Deno.test("a changed password invalidates cached verdicts", async () => {
  const kit = setup();
  const check = (stored: string, password: string) =>
    kit.gate.check({ source: "192.0.2.1", user: "admin", password, stored });
  await check("old", "right");
  await check("old", "wrong");
  await check("new", "right");
  await check("new", "wrong");
  assert.deepEqual(kit.hashed, ["right", "wrong", "right", "wrong"]);
});

Deno.test("a lockout survives a restart, never for longer than five minutes", async () => {
  const kit = setup();
  kit.gate.failures.restore("192.0.2.1", kit.clock.now + 3600_000);
  assert.equal(await kit.outcome("right"), 429);
  kit.clock.now += LOCK_RULE.lock;
  assert.equal(await kit.try("right"), true);
});
