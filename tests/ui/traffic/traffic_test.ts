import assert from "node:assert/strict";
import { assertAccessible, assertNoSidewaysScroll, picture } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";
import { countryText, usageOf } from "../../../ui/pages/traffic/usage.ts";

const sums = { BytesIn: 1000, BytesOut: 10 };
const OVERVIEW = {
  ...{ Start: "", End: "", TotalIn: 3000, TotalOut: 30 },
  Countries: [
    {
      ...{ Country: "DE", BytesIn: 2000, BytesOut: 20, ASNs: [] },
      Devices: [{ IP: "192.168.2.6", ...sums }, { IP: "192.168.2.10", ...sums }],
    },
    { ...{ Country: "", ...sums, ASNs: [] }, Devices: [{ IP: "192.168.2.6", ...sums }] },
  ],
  ASNs: [{ ASN: 64500, Name: "", ...sums, Devices: [{ IP: "192.168.2.10", ...sums }] }],
};

Deno.test("usage is by device, country or network, and narrowed to one of them", () => {
  const names = (...args: [Parameters<typeof usageOf>[1], Parameters<typeof usageOf>[2]]) =>
    usageOf(OVERVIEW, ...args).map(({ name, down }) => [name, down]);
  assert.deepEqual(names("devices", null), [["192.168.2.6", 2000], ["192.168.2.10", 1000]]);
  assert.deepEqual(names("countries", null), [["Germany", 2000], ["Unknown country", 1000]]);
  assert.deepEqual(names("networks", null), [["AS64500", 1000]]);
  assert.deepEqual(names("devices", { view: "countries", name: "Unknown country" }), [
    ["192.168.2.6", 1000],
  ]);
  assert.deepEqual(names("devices", { view: "networks", name: "AS64500" }), [
    ["192.168.2.10", 1000],
  ]);
  assert.deepEqual(names("devices", { view: "networks", name: "gone" }), []);
  assert.equal(countryText("not a code"), "not a code");
});

Deno.test("three clicks lead from countries to the names that a device talks to", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    const { router } = stage;
    const device = router.engine.config.devices[demoId(3)]!.RecentIP;
    router.bus.publish(`dns:serve:${device}`, {
      Q: [{ Name: "www.example.org." }],
      A: [{ Hdr: {}, A: "198.51.100.7" }],
      ...{ FirstName: "www.example.org.", Type: "NOERROR", Remote: `${device}:5353` },
    });
    const pairs = [[device, "198.51.100.7", "", 3, 300_000, 5, 9_000_000]] as const;
    router.host.counted = { counters: {}, flows: { id: "a.1", pairs } };
    router.host.track({
      ...{ protocol: "tcp", source: device, sport: 40_001, destination: "198.51.100.7" },
      ...{ dport: 443, replySource: "198.51.100.7", replySport: 443 },
      ...{ replyDestination: "203.0.113.2", replyDport: 40_001 },
    });
    const page = await stage.open({ path: "/admin/traffic" });
    const usage = page.getByRole("region", { name: "Who uses it" });
    await usage.getByText("Countries", { exact: true }).click();
    await usage.getByRole("button", { name: "Unknown country" }).click();
    await page.getByRole("region", { name: "With Unknown country" })
      .getByRole("button", { name: "Game console" }).click();
    const destinations = page.getByRole("region", { name: "Destinations of Game console" });
    await destinations.getByText("www.example.org").waitFor();
    await destinations.getByText("9.0 MB").waitFor();
    await page.getByRole("region", { name: "Live connections" })
      .getByText("www.example.org:443").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "traffic");
  });
});
