import assert from "node:assert/strict";
import type { Preview } from "../../../system/core/engine/change.ts";
import { testRouter } from "../../kit/router.ts";

const TABLET = "02:00:00:00:0a:01";
const PATH = `/device?identity=${TABLET}`;

Deno.test("names with direction marks and control characters are refused with their field", async () => {
  await using router = await testRouter();
  const cases: ReadonlyArray<readonly [path: string, body: unknown, pointer: string]> = [
    [PATH, { Name: "gnp\u202e.exe" }, "/Name"],
    [PATH, { DeviceTags: ["a", "b\u2066"] }, "/DeviceTags/1"],
    [PATH, { Groups: ["a\u0007"] }, "/Groups/0"],
    ["/groups", { Name: "kids\u200f" }, "/Name"],
    ["/plugins/wireguard/peer", { Name: "Phone\u202e" }, "/Name"],
    ["/plugins/wireguard/site", { Name: "Cabin\u202d", Networks: ["10.7.0.0/16"] }, "/Name"],
    ["/multicastSettings", {
      Addresses: [{ Address: "224.0.0.251:5353", Description: "\u202e" }],
    }, "/Addresses/0/Description"],
  ];
  for (const [path, body, pointer] of cases) {
    const answer = await router.ask("PUT", path, { body });
    assert.equal(answer.status, 400, path);
    const { errors } = await answer.json() as { errors: { pointer: string }[] };
    assert.deepEqual(errors.map((one) => one.pointer), [pointer], path);
  }
});

Deno.test("a group or tag that looks like another is refused, foretold, and passes where it is meant", async () => {
  await using router = await testRouter();
  await router.json("PUT", PATH, { body: { Groups: ["media"], DeviceTags: ["kids"] } });
  const twin = { DeviceTags: ["kids", "k\u0456ds"] };
  const { refusals } = await router.json<Preview>("PUT", `${PATH}&dryRun=true`, { body: twin });
  assert.equal(refusals[0]?.kind, "guard");
  const refused = await router.ask("PUT", PATH, { body: twin });
  assert.equal(refused.status, 409);
  assert.equal((await refused.json() as { looksLike: string }).looksLike, "kids");
  const group = await router.ask("PUT", "/groups", { body: { Name: "m\u0435dia" } });
  await group.body?.cancel();
  assert.equal(group.status, 409);
  const same = await router.ask("PUT", "/groups", { body: { Name: "ＭＥＤＩＡ" } });
  await same.body?.cancel();
  assert.equal(same.status, 200, "another form of it is the same group");
  await router.json("PUT", `${PATH}&force=true`, { body: twin });
  assert.deepEqual(router.engine.config.devices[TABLET]?.DeviceTags, ["kids", "k\u0456ds"]);
});

Deno.test("a file of an earlier version keeps its devices, without their direction marks", async () => {
  const before = await testRouter();
  await before.json("PUT", PATH, { body: { Name: "Tablet" } });
  const path = `${before.home}/configs/devices/devices.json`;
  await before.close();
  const text = (await Deno.readTextFile(path)).replace('"Tablet"', '"\\u202eTablet"');
  await Deno.writeTextFile(path, text);
  await using after = await before.reopen();
  assert.equal(after.engine.config.devices[TABLET]?.Name, "Tablet");
});
