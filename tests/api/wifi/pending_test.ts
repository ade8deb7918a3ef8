import assert from "node:assert/strict";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

const A = "02:00:00:00:0a:01", B = "02:00:00:00:0b:01", C = "02:00:00:00:0c:01";

/** A router with an access point and passwords that wait, the oldest first. */
async function waiting(
  ...passwords: readonly Readonly<Record<string, unknown>>[]
): Promise<TestRouter> {
  const point = { Name: "wlan0", Type: "AP", Enabled: true };
  const router = await testRouter({ files: { "base/interfaces.json": [...WIRED, point] } });
  for (const [at, more] of passwords.entries()) {
    const identity = at === 0 ? "pending" : `pending-${at + 1}`;
    const body = { PSKEntry: { Type: "sae", Psk: `password ${at + 1}` }, ...more };
    await router.json("PUT", `/device?identity=${identity}`, { body });
  }
  return router;
}

/** Reports a station; answers what came of it. */
async function join(router: TestRouter, MAC: string, more = {}): Promise<string> {
  const body = { Iface: "wlan0.4096", Event: "AP-STA-CONNECTED", MAC, ...more };
  const answer = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", body);
  return (await answer.json()).Status;
}

/** Notices about a station that took a password by guess. */
async function guesses(router: TestRouter): Promise<number> {
  const { items } = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
  return items.filter(({ kind }) => kind === "wifi-pending-ambiguous").length;
}

const passwordOf = (router: TestRouter, identity: string): string | undefined =>
  router.engine.config.devices[identity]?.PSKEntry.Psk;

Deno.test("of several pending passwords the one that the report names is taken", async () => {
  await using router = await waiting({ Name: "one" }, { Name: "two" });
  assert.equal(await join(router, A, { KeyId: "pending-2" }), "Installed Pending PSK");
  assert.equal(passwordOf(router, A), "password 2");
  assert.equal(passwordOf(router, "pending"), "password 1");
  assert.equal(await guesses(router), 0);
});

Deno.test("where no report can name it the oldest is taken, and the admin is notified", async () => {
  await using router = await waiting(
    { Name: "for guests", Policies: ["guestonly"] },
    { Name: "one" },
    { Name: "two" },
  );
  assert.equal(await join(router, A), "Installed Pending PSK");
  assert.equal(passwordOf(router, A), "password 2");
  assert.equal(await guesses(router), 1);
  // The only one that is left is no guess.
  assert.equal(await join(router, B), "Installed Pending PSK");
  assert.equal(passwordOf(router, B), "password 3");
  assert.equal(await guesses(router), 1);
  assert.equal(passwordOf(router, "pending"), "password 1", "it is not for this network");
  // One that names a password which is gone takes no other's.
  assert.equal(await join(router, C, { KeyId: "pending-3" }), "Okay");
  assert.equal(passwordOf(router, C), undefined);
});
