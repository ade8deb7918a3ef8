import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

async function refused(
  router: TestRouter,
  [method, path, body]: readonly [string, string, unknown?],
): Promise<string> {
  const answer = await router.ask(method, path, body === undefined ? {} : { body });
  const text = await answer.text();
  assert.ok(answer.status === 400 || answer.status === 413, `${path}: ${answer.status} ${text}`);
  return text;
}

const RULE = { Name: "a rule", Actions: [{ StoreAlert: true }], TopicPrefix: "auth:" };

Deno.test("events: a wildcard is refused where topics are named by their beginnings", async () => {
  await using router = await testRouter();
  const settings = await router.json<Record<string, unknown>>("GET", "/plugins/db/config");
  const rules = await router.json<readonly unknown[]>("GET", "/alerts");
  for (const topic of ["*", "dns:*", "auth:?ailure", "dns: serve"]) {
    const texts = [
      await refused(router, ["GET", `/events?topics=${encodeURIComponent(topic)}`]),
      await refused(router, ["PUT", "/plugins/db/config", { ...settings, SaveEvents: [topic] }]),
      await refused(router, ["PUT", "/plugins/db/config", {
        ...settings,
        TopicLimits: [{ Name: topic, Size: 1 }],
      }]),
      await refused(router, ["PUT", "/alerts", { ...RULE, TopicPrefix: topic }]),
    ];
    for (const text of texts) assert.match(text, /without wildcards/);
  }
  assert.deepEqual(await router.json("GET", "/plugins/db/config"), settings);
  assert.deepEqual(await router.json("GET", "/alerts"), rules);
});

Deno.test("events: an item of 1 MB is refused or stored whole, and what comes after it is stored", async () => {
  await using router = await testRouter();
  const text = "x".repeat(1 << 20);
  const big = await router.ask("PUT", "/plugins/db/bucket/of:clients", { body: { text } });
  await big.body?.cancel();
  const items = () => router.json<{ text: string }[] | null>("GET", "/plugins/db/items/of:clients");
  if (big.status === 200) assert.equal((await items())?.[0]?.text.length, text.length);
  else assert.equal(big.status, 413);
  await router.json("PUT", "/plugins/db/bucket/of:clients", { body: { text: "small" } });
  assert.equal((await items())?.[0]?.text, "small");
  // What the router publishes itself is stored by its length alone.
  router.bus.publish("log:api", {
    ...{ level: "info", msg: text, time: new Date(0).toISOString(), func: "", file: "" },
  });
  router.bus.publish("wan:uplink:up", { Iface: "wan0" });
  const [logged] = await router.json<{ truncated: boolean; length: number }[]>(
    "GET",
    "/plugins/db/items/log:api?num=1",
  );
  assert.equal(logged?.truncated, true);
  assert.ok(logged!.length > text.length);
  const after = await router.json<{ Iface: string }[]>("GET", "/plugins/db/items/wan:uplink:up");
  assert.equal(after[0]?.Iface, "wan0");
});

Deno.test("events: conditions that never end are refused or match nothing, soon", async () => {
  await using router = await testRouter();
  for (let n = 0; n < 50; n++) {
    await router.json("PUT", "/plugins/db/bucket/of:clients", {
      body: { n, deep: Array.from({ length: 60 }, () => ({ a: { b: [1, 2, 3] } })) },
    });
  }
  const bombs = [
    `$${"..*".repeat(40)}`,
    "$[?(@..*..*..*..*..*..* == 1)]",
    `$[?(${"(".repeat(900)}1${")".repeat(900)})]`,
    '$[?(@.deep =~ "(a+)+$")]',
    `$[?(${"9**9**".repeat(20)}9 > 1)]`,
  ];
  const began = performance.now();
  for (const bomb of bombs) {
    const path = `/plugins/db/items/of:clients?filter=${encodeURIComponent(bomb)}`;
    const answer = await router.ask("GET", path);
    const text = await answer.text();
    assert.ok(answer.status === 200 || answer.status === 400, `${bomb}: ${answer.status} ${text}`);
    const rule = { ...RULE, Conditions: [{ JPath: bomb }] };
    const put = await router.ask("PUT", "/alerts?dryRun=true", { body: rule });
    await put.body?.cancel();
    assert.ok(put.status < 500, `${bomb}: ${put.status}`);
  }
  const each = (performance.now() - began) / (2 * bombs.length);
  assert.ok(each < 3000, `${each} ms`);
});
