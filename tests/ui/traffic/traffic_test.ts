import assert from "node:assert/strict";
import { assertAccessible, assertNoSidewaysScroll, picture } from "../../kit/browser/browser.ts";
import { answerReads } from "../../kit/browser/answered_reads.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";
import { type Narrowing, shadeOf, usageOf, type View } from "../../../ui/pages/traffic/usage.ts";
import { countryText } from "../../../ui/text/country.ts";
import { hourOf, windowQuery } from "../../../ui/pages/traffic/window.ts";
import { resolvedQuery } from "../../kit/dns/query_log.ts";

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

const NAMES = {
  ...{ Start: "", End: "" },
  Names: [
    {
      ...{ Name: "www.example.org", IP: "198.51.100.7", ASN: 0, ASNName: "", ...sums },
      Devices: [{ IP: "192.168.2.10", ...sums }],
    },
    { ...{ Name: "", IP: "198.51.100.9", ASN: 0, ASNName: "", ...sums }, Devices: [] },
  ],
};

Deno.test("usage is by device, name, country or network, and narrowed to one of them", () => {
  const sources = { overview: OVERVIEW, names: NAMES };
  const names = (view: View, within: Narrowing | null) =>
    usageOf(sources, view, within)?.map(({ name, down }) => [name, down]);
  assert.deepEqual(names("devices", null), [["192.168.2.6", 2000], ["192.168.2.10", 1000]]);
  assert.deepEqual(names("countries", null), [["Germany", 2000], ["Unknown country", 1000]]);
  assert.deepEqual(names("networks", null), [["AS64500", 1000]]);
  assert.deepEqual(names("names", null), [["www.example.org", 1000], ["198.51.100.9", 1000]]);
  const within = (view: Narrowing["view"], key: string) =>
    names("devices", { view, key, name: "shown" });
  assert.deepEqual(within("countries", ""), [["192.168.2.6", 1000]]);
  assert.deepEqual(within("networks", "64500"), [["192.168.2.10", 1000]]);
  assert.deepEqual(within("names", "www.example.org"), [["192.168.2.10", 1000]]);
  assert.deepEqual(within("networks", "1"), []);
  assert.equal(usageOf({ overview: OVERVIEW, names: null }, "names", null), null);
  assert.equal(countryText("not a code"), "not a code");
  assert.deepEqual([0, 1, 3, 30, 100].map((bytes) => shadeOf(bytes, 100)), [
    ...["", "some", "much", "most", "most"],
  ]);
});

Deno.test("a chosen moment is the hour, or the stretch of the chart, that is requested", () => {
  const at = Date.UTC(2026, 5, 15, 10, 42);
  assert.deepEqual(windowQuery("10080", null), { minutes: "10080" });
  const until = String(Date.UTC(2026, 5, 15, 11));
  assert.deepEqual(windowQuery("10080", hourOf(at)), { minutes: "60", until });
});

Deno.test("three clicks lead from a peak on a chart to the names behind it", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    const { router } = stage;
    const device = router.engine.config.devices[demoId(3)]!.RecentIP;
    router.bus.publish(
      `dns:serve:${device}`,
      resolvedQuery(device, "www.example.org", "198.51.100.7"),
    );
    const pairs = [[device, "198.51.100.7", "", 3, 300_000, 5, 9_000_000]] as const;
    router.host.counted = { counters: {}, flows: { id: "a.1", pairs } };
    router.host.track({
      ...{ protocol: "tcp", source: device, sport: 40_001, destination: "198.51.100.7" },
      ...{ dport: 443, replySource: "198.51.100.7", replySport: 443 },
      ...{ replyDestination: "203.0.113.2", replyDport: 40_001 },
    });
    await router.json("GET", "/traffic_insights/overview");
    const hour = Math.floor(stage.now() / 3_600_000) * 3_600_000;
    const minute = { LanIn: 0, LanOut: 0, WanIn: 1000, WanOut: 1000 };
    const rates = {
      items: [1, 2, 3, 4, 5].map((at) => ({
        ...{ at: hour + at * 60_000, ...minute },
        WanIn: at === 3 ? 9_000_000 : 1000,
      })),
      total: minute,
    };
    const page = await stage.open({ path: "/admin/" });
    await answerReads(page, (path) => path === "/traffic_rates" ? rates : undefined);
    await page.reload();
    const talkers = page.getByRole("region", { name: "Most traffic" });
    await talkers.getByRole("list", { name: "Countries" }).getByText("Unknown country").waitFor();
    await picture(page, "home-traffic");

    // 1: the peak, in the middle of the chart. 2: who. 3: with whom.
    await page.getByRole("slider", { name: /^Throughput/ }).click();
    await page.waitForURL(/\/admin\/traffic\?at=/);
    const usage = page.getByRole("region", { name: "Who uses it" });
    await usage.getByText(/\d\d:00–\d\d:00$/).waitFor();
    await usage.getByRole("button", { name: "Game console" }).click();
    const destinations = page.getByRole("region", { name: "Destinations of Game console" });
    await destinations.getByText("www.example.org").waitFor();
    await destinations.getByText("9.0 MB").waitFor();
    await page.getByRole("region", { name: "Live connections" })
      .getByText("www.example.org:443").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "traffic");

    // The same from a name, and from a country on the map, over days.
    await usage.getByText("Names", { exact: true }).click();
    await usage.getByRole("button", { name: "www.example.org" }).click();
    await page.getByRole("region", { name: "With www.example.org" })
      .getByRole("button", { name: "Game console" }).waitFor();
    await page.getByText("90 days", { exact: true }).click();
    await page.getByText("Names are summed up for at most a week", { exact: false }).waitFor();
    const usageNow = page.getByRole("region", { name: /^With www/ });
    await usageNow.getByText("Countries", { exact: true }).click();
    await page.locator("svg.world").waitFor();
    const history = page.getByRole("region", { name: "Day by day" });
    await history.getByText("Show as table").click();
    await history.getByRole("cell", { name: "9.0 MB" }).waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "traffic-countries");
    await page.getByRole("button", { name: "Unknown country" }).click();
    await page.getByRole("region", { name: "With Unknown country" })
      .getByRole("button", { name: "Game console" }).waitFor();

    // A device's own page says the same.
    await page.goto(new URL(`/admin/devices/${demoId(3)}?tab=activity`, page.url()).href);
    const own = page.getByRole("region", { name: "Destinations of Game console" });
    await own.getByText("www.example.org").waitFor();
    await own.getByText("9.0 MB").waitFor();
    await own.getByText("300.0 kB").or(own.getByText("300 kB")).waitFor();
    await page.getByRole("region", { name: "Live connections" })
      .getByText("www.example.org:443").waitFor();
    await page.getByRole("slider", { name: /^Throughput of Game console/ }).waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "device-traffic");
  });
});
