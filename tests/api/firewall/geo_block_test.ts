import assert from "node:assert/strict";
import type { GeoBlockConfig, GeoBlockStatus } from "../../../system/geo/schema.ts";
import { startTestLookup } from "../../kit/builders/lookup_data.ts";
import { testRouter } from "../../kit/router.ts";

const PATH = "/firewall/geo_block";

Deno.test("countries and networks are blocked and unblocked, in any spelling, each once", async (t) => {
  await using router = await testRouter();
  await using _lookup = await startTestLookup(router.home);
  const put = (path: string, body?: unknown) =>
    router.ask("PUT", `${PATH}${path}`, body === undefined ? {} : { body });
  const config = () => router.json<GeoBlockConfig>("GET", `${PATH}/config`);
  const status = () => router.json<GeoBlockStatus>("GET", `${PATH}/status`);

  await t.step("by default nothing is", async () => {
    const { Enabled, DenyCountries, DenyASNs, RefreshSeconds } = await config();
    assert.deepEqual([Enabled, DenyCountries, DenyASNs, RefreshSeconds], [false, [], [], 86_400]);
    assert.deepEqual(await status(), {
      Enabled: false,
      LastRefresh: "",
      RangesProgrammed: 0,
      Sources: [],
      Error: "",
    });
  });

  await t.step("what is no country and no network is refused", async () => {
    for (const cc of ["usa", "u", "U;", "U%3B", "1A", "%20", "N%2FL", "日本"]) {
      const { status } = await put(`/country/${encodeURI(cc)}`);
      assert.ok(status === 400 || status === 404, `${cc} ${status}`);
    }
    for (const asn of ["0", "4294967296", "4294967295", "-1", "x", "1.5", "AS"]) {
      assert.equal((await put(`/asn/${asn}`)).status, 400, asn);
    }
    for (
      const body of [
        { DenyCountries: ["USA"] },
        { DenyASNs: [{ ASN: 0 }] },
        { DenyASNs: [{ ASN: 2 ** 32 }] },
        { RefreshSeconds: 60 },
        { RefreshSeconds: -1 },
        { Lists: [{ URI: "file:///etc/passwd" }] },
        { Lists: [{ URI: "http://192.168.2.1/list" }] },
        { Lists: [{ URI: "http://localhost:53/" }, { URI: "ftp://x" }] },
      ]
    ) {
      assert.equal((await put("/config", body)).status, 400, JSON.stringify(body));
    }
    assert.deepEqual((await config()).DenyCountries, []);
  });

  await t.step("lower case is a country, twice is once, and a name is looked up", async () => {
    await put("/country/de");
    await put("/country/FR");
    await put("/country/DE");
    assert.deepEqual((await config()).DenyCountries, ["FR", "DE"]);
    await put("/asn/AS64498");
    assert.deepEqual((await config()).DenyASNs, [{ ASN: 64498, Name: "Third Networks" }]);
    assert.deepEqual(
      (await router.json<GeoBlockConfig>("DELETE", `${PATH}/country/fr`)).DenyCountries,
      ["DE"],
    );
    assert.equal((await router.ask("DELETE", `${PATH}/country/NL`)).status, 200, "not there");
  });

  await t.step("the kernel has it once it is enabled, and the status counts it", async () => {
    assert.equal((await status()).RangesProgrammed, 0);
    await put("/config", { ...await config(), Enabled: true, RefreshSeconds: 0 });
    assert.equal((await config()).RefreshSeconds, 86_400);
    let refreshed: unknown = null;
    const stop = router.bus.subscribe(({ data }) => refreshed = data, [
      "firewall:geo_block:refresh",
    ]);
    await put("/refresh");
    stop();
    assert.deepEqual(refreshed, await status(), "it is published as the status shows it");
    const { RangesProgrammed, LastRefresh, Sources, Error } = await status();
    assert.equal(Error, "");
    assert.equal(RangesProgrammed, await router.host.countBlocked());
    assert.match(LastRefresh, /^20/);
    // The network's part that is in DE counts there.
    assert.deepEqual(Sources.map(({ Type, Key, Ranges }) => [Type, Key, Ranges]), [
      ["country", "DE", 2],
      ["asn", "64498", 1],
    ]);
  });

  await t.step("reach answers with it, for what is blocked and for nothing else", async () => {
    const verdict = async (to: string) => (await router.json<{ verdict: string; reason: string }>(
      "GET",
      `/reach?from=router&to=${to}&protocol=tcp&port=443`,
    ));
    assert.deepEqual(
      await verdict("1.1.1.7").then(({ verdict, reason }) => [verdict, /Germany/.test(reason)]),
      ["drop", true],
    );
    assert.match((await verdict("9.9.200.1")).reason, /AS64498/);
    assert.equal((await verdict("1.0.0.7")).verdict, "accept");
  });

  await t.step("a preview names who exchanged traffic with what is to be blocked", async () => {
    const mac = "02:00:00:00:00:01";
    await router.json("PUT", `/device?identity=${mac}`, { body: { MAC: mac, Name: "Tablet" } });
    const pair = (device: string, remote: string) => [device, remote, "", 1, 300, 1, 5000] as const;
    const own = router.engine.config.devices[mac]!.RecentIP || "192.168.2.6";
    router.host.counted = {
      counters: {},
      flows: { id: "a.1", pairs: [pair(own, "1.0.0.7"), pair("192.168.2.250", "1.0.0.8")] },
    };
    const effects = async (path: string, body?: unknown) => {
      const preview = await put(`${path}?dryRun=true`, body);
      return (await preview.json() as { effects: readonly string[] }).effects;
    };
    const [one, ...others] = await effects("/country/AU");
    assert.match(one!, / and .* exchanged traffic with Australia in the last 7 days/);
    assert.deepEqual(others, []);
    assert.match((await effects("/asn/64496"))[0]!, /traffic with Example, Inc\. in the last/);
    assert.deepEqual(await effects("/country/JP"), [
      "No device exchanged traffic with Japan in the last 7 days",
    ]);
    assert.deepEqual(await effects("/config", { ...await config(), Enabled: false }), []);
  });

  await t.step("a preview moves nothing, and undo unblocks in the kernel as well", async () => {
    const before = await router.host.countBlocked();
    const preview = await put("/country/AU?dryRun=true");
    assert.equal(preview.status, 200);
    await preview.body?.cancel();
    assert.equal(await router.host.countBlocked(), before);
    const change = (await put("/country/AU")).headers.get("change-id");
    assert.ok(await router.host.countBlocked() > before);
    await router.ask("PUT", `/changes/${change}/undo`);
    await put("/refresh");
    assert.equal(await router.host.countBlocked(), before);
  });

  await t.step("nobody blocks the country that they are connected from", async () => {
    const peer = { source: "1.0.0.9", destination: "203.0.113.2", port: 443 };
    const locked = await router.ask("PUT", `${PATH}/country/AU`, { peer });
    assert.equal(locked.status, 409);
    assert.match((await locked.json()).detail, /1\.0\.0\.9/);
    const forced = await router.ask("PUT", `${PATH}/country/AU?force=true`, { peer });
    assert.equal(forced.status, 200);
    await forced.body?.cancel();
  });

  await t.step("turned off, the kernel has nothing", async () => {
    await put("/config", { ...await config(), Enabled: false });
    assert.equal(await router.host.blocked(), null);
    assert.equal((await status()).RangesProgrammed, 0);
  });
});

Deno.test("what stands stays while the lookup service or a list is away", async () => {
  await using router = await testRouter();
  {
    await using _lookup = await startTestLookup(router.home);
    await router.ask("PUT", `${PATH}/config`, { body: { Enabled: true, DenyCountries: ["DE"] } });
    assert.ok(await router.host.countBlocked() > 0);
    // No resolver runs, so that no list can be downloaded.
    await router.ask("PUT", `${PATH}/config`, {
      body: {
        Enabled: true,
        DenyCountries: ["DE"],
        Lists: [{ URI: "https://lists.example/drop.txt" }],
      },
    });
    const { Sources } = await router.json<GeoBlockStatus>("GET", `${PATH}/status`);
    assert.deepEqual(Sources.map(({ Type }) => Type), ["country", "list"]);
    assert.match(Sources[1]!.Error, /resolver/i);
  }
  const before = await router.host.countBlocked();
  await router.ask("PUT", `${PATH}/country/FR`);
  assert.equal(await router.host.countBlocked(), before);
  const { Error } = await router.json<GeoBlockStatus>("GET", `${PATH}/status`);
  assert.match(Error, /lookup service/i);
});
