import assert from "node:assert/strict";
import type { ProblemItem } from "../../../system/core/errors/problem.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";
const PATH = `/device?identity=${CARD}`;

/** Puts a body that must be refused, and gives the pointers of the complaints. */
async function refused(
  router: TestRouter,
  path: string,
  body: unknown,
): Promise<readonly string[]> {
  const before = router.engine.config;
  const answer = await router.ask("PUT", path, { body });
  const text = await answer.text();
  assert.equal(answer.status, 400, `${JSON.stringify(body)}: ${text}`);
  assert.equal(router.engine.config, before);
  return JSON.parse(text).errors.map(({ pointer }: ProblemItem) => pointer);
}

Deno.test("a password of blanks alone is refused, as it would be none after a restart", async () => {
  await using router = await testRouter();
  const body = { PSKEntry: { Type: "sae", Psk: " ".repeat(8) } };
  assert.deepEqual(await refused(router, PATH, body), ["/PSKEntry/Psk"]);
  assert.deepEqual(await refused(router, "/devices", { [CARD]: body }), [
    `/${CARD}/PSKEntry/Psk`,
  ]);
});

Deno.test("a name of half a character is refused", async () => {
  await using router = await testRouter();
  assert.deepEqual(await refused(router, PATH, { Name: "half \ud83d" }), ["/Name"]);
  assert.deepEqual(await refused(router, PATH, { Groups: ["half \ud83d"] }), ["/Groups/0"]);
  assert.deepEqual(await refused(router, "/groups", { Name: "half \ud83d" }), ["/Name"]);
});

Deno.test("a resolver of a device's own is the address of one machine", async () => {
  await using router = await testRouter();
  const odd = ["0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.251", "240.0.0.1", "255.255.255.255"];
  for (const address of [...odd, "::", "::1", "ff02::fb", "fe80::1%eth0", "::ffff:192.0.2.1"]) {
    assert.deepEqual(await refused(router, PATH, { DNSCustom: address }), ["/DNSCustom"], address);
  }
});

Deno.test("a device's own resolver is not the router, which would answer as it does anyone", async () => {
  await using router = await testRouter();
  for (const own of ["192.168.2.1", "192.168.2.5", "203.0.113.2"]) {
    assert.deepEqual(await refused(router, PATH, { DNSCustom: own }), ["/DNSCustom"], own);
  }
  const body = { DNSCustom: "192.168.2.6" };
  await router.json("PUT", PATH, { body });
});

Deno.test("adding to many devices leaves none with more labels than one may hold", async () => {
  await using router = await testRouter();
  await router.json("PUT", PATH, { body: { Name: "card" } });
  const labels = (from: number) => Array.from({ length: 40 }, (_, index) => `g${from + index}`);
  const body = (from: number) => ({ Identities: [CARD], Groups: labels(from) });
  await router.json("PUT", "/devices/bulk", { body: body(0) });
  assert.deepEqual(await refused(router, "/devices/bulk", body(100)), ["/Groups"]);
});

Deno.test("a sync that does not speak of the switch lets no disabled device back in", async () => {
  await using router = await testRouter();
  await router.json("PUT", PATH, { body: { Name: "card", DeviceDisabled: true } });
  const sync = async (device: unknown) => {
    const answer = await router.ask("PUT", "/devices", { body: { [CARD]: device } });
    assert.equal(answer.status, 200, await answer.text());
    return router.engine.config.devices[CARD]!;
  };
  const kept = await sync({ Name: "card", Policies: ["wan"] });
  assert.equal(kept.DeviceDisabled, true);
  assert.ok(kept.Policies.includes("disabled"));
  assert.equal((await sync({ Name: "card", DeviceDisabled: false })).DeviceDisabled, false);
});

Deno.test("a policy's name is no group and no tag, in any case and place", async () => {
  await using router = await testRouter();
  for (const name of ["WAN", " Lan ", "dns:Family", "DISABLED", "Quarantine"]) {
    assert.deepEqual(await refused(router, PATH, { Groups: [name] }), ["/Groups/0"]);
    assert.deepEqual(await refused(router, PATH, { DeviceTags: ["ok", name] }), ["/DeviceTags/1"]);
    assert.deepEqual(await refused(router, "/groups", { Name: name }), ["/Name"]);
    assert.deepEqual(
      await refused(router, "/groups", { Name: "ok", GroupTags: [name] }),
      ["/GroupTags/0"],
    );
    assert.deepEqual(
      await refused(router, "/devices/bulk", { Identities: [CARD], Tags: [name] }),
      ["/Tags/0"],
    );
  }
});
