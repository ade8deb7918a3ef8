import assert from "node:assert/strict";
import { memoryHost } from "../../../system/host/memory/host.ts";
import type { UplinkSettings } from "../../../system/uplink/schema.ts";
import type { UplinkStatus } from "../../../system/uplink/status_schema.ts";
import { testRouter } from "../../kit/router.ts";
import { FILES, LEASE, put, send, status } from "../../kit/lab/two_uplinks.ts";

Deno.test("order and weights of uplinks are set, shown with the shares, and validated", async () => {
  await using router = await testRouter({ files: FILES });
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  const shares = async () =>
    (await router.json<UplinkStatus[]>("GET", "/wan/status"))
      .map(({ Iface, Weight, SharePct, Active }) => [Iface, Weight, SharePct, Active]);
  assert.deepEqual(await shares(), [["wan0", 1, 50, true], ["lan1", 1, 50, true]]);
  const Uplinks = [{ Iface: "lan1", Weight: 3 }, { Iface: "wan0", Weight: 1 }];
  assert.equal(await status(router, "/wan/config", { Uplinks }), 200);
  assert.deepEqual(await shares(), [["lan1", 3, 75, true], ["wan0", 1, 25, true]]);
  const routes = async () =>
    (await router.host.facts()).routes.filter(({ destination }) => destination === "default");
  assert.deepEqual((await routes()).map(({ link }) => link), ["lan1"]);
  assert.equal(await status(router, "/wan/config", { Enabled: true }), 200);
  assert.deepEqual((await shares())[0], ["lan1", 3, 75, true], "an older client leaves them");
  assert.equal(
    await status(router, "/wan/config", { Uplinks: [{ Iface: "wan0", Weight: 0 }] }),
    200,
  );
  assert.deepEqual(await shares(), [["wan0", 0, 0, false], ["lan1", 1, 100, true]]);
  await send(router, "/lease", { name: "lan1", lease: null });
  assert.deepEqual((await shares())[0], ["wan0", 0, 100, true], "the spare stands in");
  const before = await router.json("GET", "/wan/config");
  for (
    const [list, pointer] of [
      [[{ Iface: "wan0", Weight: 101 }], "/Uplinks/0/Weight"],
      [[{ Iface: "wan0", Weight: -1 }], "/Uplinks/0/Weight"],
      [[{ Iface: "wan0", Weight: 1.5 }], "/Uplinks/0/Weight"],
      [[{ Iface: "wan0", Weight: "3" }], "/Uplinks/0/Weight"],
      [[{ Iface: "a;b", Weight: 1 }], "/Uplinks/0/Iface"],
      [[{ Weight: 1 }], "/Uplinks/0/Iface"],
      [[{ Iface: "lan0", Weight: 1 }], "/Uplinks/0/Iface"],
      [[{ Iface: "wan0" }, { Iface: "wan0" }], "/Uplinks/1/Iface"],
      ["wan0", "/Uplinks"],
      [Array.from({ length: 41 }, (_, at) => ({ Iface: `w${at}` })), "/Uplinks"],
    ] as const
  ) {
    const answer = await put(router, "/wan/config", { Uplinks: list });
    const body = await answer.json();
    assert.deepEqual([answer.status, body.errors?.[0]?.pointer], [400, pointer]);
  }
  assert.deepEqual(await router.json("GET", "/wan/config"), before);
});

Deno.test("reordering uplinks is a change: previewed, persistent, and undone", async () => {
  await using router = await testRouter({ files: FILES });
  const order = [{ Iface: "wan0", Weight: 2 }, { Iface: "lan1", Weight: 2 }];
  const stored = async (at = router) =>
    (await at.json<UplinkSettings>("GET", "/wan/config")).Uplinks.map(({ Iface, Weight }) =>
      `${Iface} ${Weight}`
    );
  assert.equal(await status(router, "/wan/config", { Uplinks: order }), 200);
  const turned = { Uplinks: order.toReversed() };
  const preview = await put(router, "/wan/config?dryRun=true", turned);
  const { config } = await preview.json();
  assert.ok(config.length > 0, "the preview names the change");
  assert.deepEqual(await stored(), ["wan0 2", "lan1 2"]);
  const change = await put(router, "/wan/config", turned);
  assert.deepEqual(await stored(), ["lan1 2", "wan0 2"]);
  const again = await router.reopen();
  assert.deepEqual(await stored(again), ["lan1 2", "wan0 2"]);
  const undone = `/changes/${change.headers.get("change-id")}/undo`;
  assert.equal(await status(again, undone), 200);
  assert.deepEqual(await stored(again), ["wan0 2", "lan1 2"]);
  const weighed = await put(again, "/wan/config", { Uplinks: [{ Iface: "lan1", Weight: 0 }] });
  assert.equal(await status(again, `/changes/${weighed.headers.get("change-id")}/undo`), 200);
  assert.deepEqual(await stored(again), ["wan0 2", "lan1 2"]);
  await again.close();
});

Deno.test("the interface gets its own MTU back when a lease ends, also across a restart", async () => {
  const host = memoryHost();
  await host.apply({ kind: "ip", ops: [{ op: "set-mtu", name: "lan1", mtu: 1492 }] });
  await using router = await testRouter({ files: FILES, host });
  const size = async (at = router) =>
    (await at.host.facts()).links.find(({ name }) => name === "lan1")?.mtu;
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, mtu: 1400 } });
  assert.equal(await size(), 1400);
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, mtu: 1300 } });
  assert.equal(await size(), 1300);
  const again = await router.reopen();
  await send(again, "/lease", { name: "lan1", lease: LEASE });
  assert.equal(await size(again), 1492);
  await again.close();
});

Deno.test("a renewed lease updates routes, resolvers and search domains", async () => {
  await using router = await testRouter({ files: FILES });
  const routes = async () =>
    (await router.host.facts()).routes.filter(({ link }) => link === "lan1")
      .map(({ destination, via }) => `${destination} ${via}`).filter((one) => !/^100\./.test(one));
  const seen = async () => {
    const all = await router.json<UplinkStatus[]>("GET", "/wan/status");
    const { Gateway, DNS, Search } = all.find(({ Iface }) => Iface === "lan1")!;
    return [Gateway, DNS, Search];
  };
  const first = {
    ...LEASE,
    search: ["isp.example"],
    routes: [{ destination: "172.16.0.0/12", via: "100.64.5.7" }],
  };
  await send(router, "/lease", { name: "lan1", lease: first });
  assert.deepEqual(await routes(), ["172.16.0.0/12 100.64.5.7"]);
  assert.deepEqual(await seen(), ["100.64.5.1", ["9.9.9.9"], ["isp.example"]]);
  const second = {
    ...LEASE,
    router: "100.64.5.2",
    dns: ["149.112.112.112"],
    routes: [{ destination: "172.16.0.0/12", via: "100.64.5.8" }, {
      ...{ destination: "198.18.0.0/15", via: null },
    }],
  };
  await send(router, "/lease", { name: "lan1", lease: second });
  assert.deepEqual((await routes()).sort(), ["172.16.0.0/12 100.64.5.8", "198.18.0.0/15 null"]);
  assert.deepEqual(await seen(), ["100.64.5.2", ["149.112.112.112"], []]);
  await send(router, "/lease", { name: "lan1", lease: null });
  assert.deepEqual(await routes(), []);
  for (
    const bad of [
      { routes: [{ destination: "x", via: null }] },
      { routes: [{ destination: "10.0.0.0/8", via: "gateway" }] },
      { routes: Array.from({ length: 65 }, () => first.routes[0]) },
      { search: ["a b"] },
      { search: ["$(id)"] },
    ]
  ) {
    const lease = { ...LEASE, ...bad };
    assert.equal(await send(router, "/lease", { name: "lan1", lease }), 400, JSON.stringify(bad));
  }
});
