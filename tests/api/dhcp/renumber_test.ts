import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const NEXT = { TinyNets: ["10.20.0.0/24"], LeaseTime: "24h0m0s" };

async function say(router: TestRouter, kind: string, n: number, wanted = ""): Promise<string> {
  const body = { kind, mac: mac(n), link: "lan0", wanted };
  const answer = await (await router.inside("dhcp", "PUT", "/decide", body)).json();
  return answer.decision.IP;
}

async function join(router: TestRouter, n: number): Promise<string> {
  return await say(router, "request", n, await say(router, "discover", n));
}

/** The router's own addresses in the LAN. */
function standing(router: TestRouter): string[] {
  return router.engine.desired.addresses.map(({ address }) => address)
    .filter((address) => !address.startsWith("203.0.113.")).toSorted();
}

async function addressOf(router: TestRouter, n: number): Promise<string | undefined> {
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  return devices[mac(n)]?.RecentIP;
}

Deno.test("renumbering keeps the old network until the last online device has moved", async () => {
  await using router = await testRouter();
  await join(router, 1);
  await join(router, 2);
  const before = standing(router);
  await router.json("PUT", "/subnetConfig", { body: NEXT });
  assert.deepEqual(standing(router), ["10.20.0.1/24", ...before].toSorted());
  assert.equal(await addressOf(router, 1), "192.168.2.2");

  const offered = await say(router, "request", 1, "192.168.2.2");
  assert.equal(offered, "10.20.0.2", "which is another than it asks for: a NAK");
  assert.equal(await addressOf(router, 1), "192.168.2.2", "nothing is decided by that");
  assert.equal(await join(router, 1), offered);
  assert.deepEqual(standing(router), [
    "10.20.0.1/24",
    "10.20.0.1/30",
    "192.168.2.1/24",
    "192.168.2.5/30",
  ]);

  await join(router, 2);
  assert.deepEqual(standing(router), ["10.20.0.1/24", "10.20.0.1/30", "10.20.0.5/30"]);
});

Deno.test("an offline device does not keep the old network, and moves when it returns", async () => {
  await using router = await testRouter();
  const own = await join(router, 1);
  const body = { kind: "release", mac: mac(1), link: "lan0", wanted: own };
  await router.inside("dhcp", "PUT", "/decide", body);
  await router.json("PUT", "/subnetConfig", { body: NEXT });
  assert.deepEqual(standing(router), ["10.20.0.1/24"]);
  assert.equal(await join(router, 1), "10.20.0.2");
});

Deno.test("undoing a renumbering moves devices back without an interruption", async () => {
  await using router = await testRouter();
  await join(router, 1);
  const answer = await router.ask("PUT", "/subnetConfig", { body: NEXT });
  const id = answer.headers.get("change-id");
  await answer.body?.cancel();
  await join(router, 1);
  assert.equal((await router.ask("PUT", `/changes/${id}/undo`)).status, 200);
  assert.deepEqual(standing(router), [
    "10.20.0.1/24",
    "10.20.0.1/30",
    "192.168.2.1/24",
  ]);
  assert.equal(await join(router, 1), "192.168.2.2");
  assert.deepEqual(standing(router), ["192.168.2.1/24", "192.168.2.1/30"]);
});

Deno.test("enlarging a network keeps every address", async () => {
  await using router = await testRouter();
  const own = await join(router, 1);
  const body = { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" };
  await router.json("PUT", "/subnetConfig", { body });
  assert.equal(await say(router, "request", 1, own), own);
  assert.deepEqual(standing(router), ["192.168.0.1/16", "192.168.2.1/30"]);
});

Deno.test("a pool that overlaps an uplink's network is refused with a free proposal, which is accepted", async () => {
  await using router = await testRouter();
  const put = (net: string) =>
    router.ask("PUT", "/subnetConfig", { body: { TinyNets: [net], LeaseTime: "24h0m0s" } });
  const refused = await put("203.0.113.0/24");
  assert.equal(refused.status, 409);
  const { proposal } = await refused.json();
  assert.equal((await put(proposal)).status, 200);
});

Deno.test("a preview of a renumbering shows its effect and changes nothing", async () => {
  await using router = await testRouter();
  await join(router, 1);
  const before = standing(router);
  const preview = await router.json<{ system: string[] }>("PUT", "/subnetConfig?dryRun=true", {
    body: NEXT,
  });
  assert.ok(
    preview.system.some((line) => line.includes("10.20.0.1/24")),
    preview.system.join("\n"),
  );
  assert.ok(
    !preview.system.some((line) => line.includes("del") && line.includes("192.168.2.1/24")),
  );
  assert.deepEqual(standing(router), before);
});

Deno.test("renumbered under a confirm window, devices move, and return when it expires", async () => {
  let boot = 1000;
  await using router = await testRouter({ engine: { live: false, bootClock: () => boot } });
  await join(router, 1);
  const answer = await router.ask("PUT", "/subnetConfig", {
    body: NEXT,
    headers: { "confirm-within": "60" },
  });
  const text = await answer.text();
  assert.ok([200, 202].includes(answer.status), text);
  assert.equal(await join(router, 1), "10.20.0.2");
  boot += 61;
  await router.engine.tick();
  assert.deepEqual(router.engine.config.dhcp.TinyNets, ["192.168.2.0/24"]);
  assert.deepEqual(standing(router), ["10.20.0.1/24", "10.20.0.1/30", "192.168.2.1/24"]);
  assert.equal(await join(router, 1), "192.168.2.2");
  assert.deepEqual(standing(router), ["192.168.2.1/24", "192.168.2.1/30"]);
});

Deno.test("renumbering does not lock out a caller in the old network", async () => {
  await using router = await testRouter();
  await join(router, 1);
  await router.json("PUT", `/device?identity=${mac(1)}`, { body: { Policies: ["api"] } });
  const answer = await router.ask("PUT", "/subnetConfig", {
    body: NEXT,
    peer: { source: "192.168.2.2", local: { address: "192.168.2.1", port: 80 } },
  });
  const text = await answer.text();
  assert.ok([200, 202].includes(answer.status), text);
});
