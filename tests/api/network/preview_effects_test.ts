import assert from "node:assert/strict";
import type { Preview } from "../../../system/core/engine/change.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const TV = "02:00:00:00:0a:01", NAS = "02:00:00:00:0a:02";

/** A router with two devices that hold a lease on a LAN interface. */
async function home(): Promise<TestRouter> {
  const router = await testRouter();
  for (
    const [identity, Name, RecentIP] of [[TV, "TV", "192.168.2.6"], [NAS, "NAS", "192.168.2.10"]]
  ) {
    const body = { MAC: identity, Name, RecentIP, Policies: ["wan", "noapi"], Groups: ["media"] };
    await router.json("PUT", `/device?identity=${identity}`, { body });
  }
  const seen = { firstSeen: 1, lastSeen: 1, link: "lan0", online: true };
  await router.engine.observe((observed) => ({
    ...observed,
    devices: { ...observed.devices, [TV!]: seen, [NAS!]: seen },
  }));
  return router;
}

const preview = (router: TestRouter, path: string, body: unknown, method = "PUT") =>
  router.json<Preview>(method, `${path}${path.includes("?") ? "&" : "?"}dryRun=true`, { body });

Deno.test("a preview names the devices that an interface is taken from, and all that they lose", async () => {
  await using router = await home();
  const uplink = { Name: "lan0", Type: "Uplink", Enabled: true, DisableDHCP: false };
  for (
    const [body, reason] of [
      [uplink, "lan0 becomes a WAN uplink"],
      [{ Name: "lan0", Type: "Other", Enabled: true }, "lan0 no longer serves the LAN"],
      [{ Name: "lan0", Type: "Downlink", Enabled: false }, "lan0 is turned off"],
    ] as const
  ) {
    const { effects, reach } = await preview(router, "/link/config", body);
    assert.ok(effects.includes(`${reason}: TV and NAS lose their connection`), effects.join());
    const lost = new Set(reach.denied.map(({ from, to }) => `${from} ${to}`));
    for (const end of ["internet", "router", NAS]) assert.ok(lost.has(`${TV} ${end}`), end);
    assert.ok(reach.denied.every((one) => one.reason === reason));
    assert.deepEqual(reach.allowed.filter(({ from }) => from === TV || from === NAS), []);
  }
  const spare = await preview(router, "/link/config", {
    Name: "lan1",
    Type: "Other",
    Enabled: true,
  });
  assert.deepEqual([spare.effects, spare.reach.denied], [[], []]);
});

Deno.test("a preview says what happens outside of the packet filter", async () => {
  await using router = await home();
  const effectsOf = async (path: string, body: unknown) =>
    (await preview(router, path, body)).effects;
  assert.deepEqual(
    await effectsOf("/subnetConfig", { TinyNets: ["10.9.0.0/16"], LeaseTime: "1h0m0s" }),
    [
      "TV and NAS: another address at the next renewal of the lease",
      "This router is at 10.9.0.1 instead of 192.168.2.1",
    ],
  );
  assert.deepEqual(await effectsOf("/plugins/dns/log/host_privacy_list", ["192.168.2.6"]), [
    "Queries of TV are no longer recorded",
  ]);
  assert.deepEqual(await effectsOf(`/device?identity=${TV}`, { RecentIP: "192.168.2.18" }), [
    "TV has no connection until it renews its lease and gets 192.168.2.18",
  ]);
  assert.deepEqual(
    (await effectsOf("/plugins/wireguard/peer", {
      Name: "Phone",
      Policies: ["wan", "dns", "noapi"],
    }))
      .slice(
        0,
        1,
      ),
    ["UDP port 51280 is open to the Internet"],
  );
});
