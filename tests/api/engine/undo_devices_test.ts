import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const OLD = "02:00:00:00:0a:01";
const NEW = "02:00:00:00:0a:02";
const KEY = "aB+/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const byName = (identity: string) => `/device?identity=${encodeURIComponent(identity)}`;

/** Asks, expects success and gives the id of the change. */
async function change(
  router: TestRouter,
  method: string,
  path: string,
  sent: Parameters<TestRouter["ask"]>[2] = {},
): Promise<string> {
  const answer = await router.ask(method, path, sent);
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.get("change-id")!;
}

async function lease(router: TestRouter, MAC: string): Promise<string> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0" });
  return (await answer.json()).IP;
}

Deno.test("undoing a deletion gives no device an address that is another's by now", async () => {
  await using router = await testRouter();
  const address = await lease(router, OLD);
  const gone = await change(router, "DELETE", byName(OLD));
  assert.equal(await lease(router, NEW), address);
  await change(router, "PUT", `/changes/${gone}/undo`);
  const { devices } = router.engine.config;
  assert.equal(devices[NEW]!.RecentIP, address);
  assert.equal(devices[OLD]!.RecentIP, "");
  assert.notEqual(await lease(router, OLD), address);
});

Deno.test("a deletion that is not confirmed brings no second holder of an address", async () => {
  let clock = 0;
  await using router = await testRouter({ engine: { live: false, bootClock: () => clock } });
  const address = await lease(router, OLD);
  await change(router, "DELETE", byName(OLD), { headers: { "confirm-within": "10" } });
  assert.equal(await lease(router, NEW), address);
  clock += 11;
  await router.engine.tick();
  const { devices } = router.engine.config;
  assert.equal(devices[NEW]!.RecentIP, address);
  assert.equal(devices[OLD]!.RecentIP, "");
});

Deno.test("undoing a deletion gives no device a key that is another's by now", async () => {
  await using router = await testRouter();
  await change(router, "PUT", byName(OLD), { body: { Name: "old", WGPubKey: KEY } });
  const gone = await change(router, "DELETE", byName(OLD));
  const made = await change(router, "PUT", byName(KEY), { body: { Name: "peer" } });
  await change(router, "PUT", `/changes/${gone}/undo`);
  assert.equal(router.engine.config.devices[OLD]!.WGPubKey, "");
  assert.equal(router.engine.config.devices[KEY]!.WGPubKey, KEY);
  await change(router, "PUT", `/changes/${made}/undo`);
  assert.deepEqual(Object.keys(router.engine.config.devices), [OLD]);
});

Deno.test("a peer whose key a card took meanwhile does not come back beside it", async () => {
  await using router = await testRouter();
  await change(router, "PUT", byName(KEY), { body: { Name: "peer" } });
  const gone = await change(router, "DELETE", byName(KEY));
  await change(router, "PUT", byName(NEW), { body: { Name: "new", WGPubKey: KEY } });
  await router.ask("PUT", `/changes/${gone}/undo`);
  assert.deepEqual(Object.keys(router.engine.config.devices), [NEW]);
});

Deno.test("undoing a deletion brings back all of a device where nothing is in the way", async () => {
  await using router = await testRouter();
  await lease(router, OLD);
  await change(router, "PUT", byName(OLD), { body: { Name: "old", WGPubKey: KEY } });
  const before = router.engine.config.devices[OLD];
  const gone = await change(router, "DELETE", byName(OLD));
  await change(router, "PUT", `/changes/${gone}/undo`);
  assert.deepEqual(router.engine.config.devices[OLD], before);
});
