import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  picture,
} from "../../kit/browser/browser.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";
import { answerReads } from "../../kit/browser/answered_reads.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { attentionItems, attentionTitle } from "../../../ui/pages/home/attention.ts";
import { rateSeries, topDevices, topNetworks } from "../../../ui/pages/home/rates.ts";
import { rateText } from "../../../ui/text/format.ts";
import { sampleHome } from "../../kit/builders/ui_samples.ts";

Deno.test("items that need attention are counted, and none when all is good", () => {
  const devices = sampleHome(Date.now());
  const link = (Name: string, Type: string, operstate: string, address = "192.0.2.2") => ({
    name: Name,
    decided: { Name, Type, Subtype: "", Enabled: true },
    kernel: {
      ifname: Name,
      operstate,
      flags: [],
      addr_info: address === ""
        ? []
        : [{ family: "inet", local: address, prefixlen: 24, scope: "global" }],
    },
  });
  const links = [link("wan0", "Uplink", "UP"), link("lan0", "Downlink", "DOWN")];
  const quiet = {
    confirm: false,
    network: { state: "applied", detail: null },
    notices: [],
    links,
  } as const;
  assert.deepEqual(attentionItems({ ...quiet, devices: {} }), []);
  assert.equal(attentionItems({ ...quiet, devices }).length, 1);
  assert.deepEqual(
    attentionItems({ ...quiet, links: [link("wan0", "Uplink", "UP", ""), links[1]!], devices: {} }),
    [{ kind: "uplink", name: "wan0", text: "has no address: check the provider’s box" }],
  );
  const notice = {
    ...{ id: "n", kind: "drift", at: 1, detail: "x", data: {} },
    ...{ lastAt: 1, count: 1, resolvedAt: null, resolvedBy: null, snoozedUntil: null },
  };
  const drift = [{ what: "a", expected: null, found: "b", urgent: false }];
  const loud = {
    confirm: true,
    network: { state: "applied", detail: null, drift } as const,
    notices: [notice],
    links: [link("wan0", "Uplink", "DOWN")],
  };
  const kinds = attentionItems({ ...loud, devices }).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["confirm", "network", "setup", "uplink", "notice", "device"]);
  assert.deepEqual(
    attentionItems({ ...quiet, devices: {}, links: null }),
    [],
    "what is not known is fine",
  );
  assert.equal(attentionItems({ ...quiet, devices: {}, links: [] })[0]?.kind, "setup");
  const model = { ...loud, network: { state: "model", detail: null } as const, devices: {} };
  assert.ok(attentionItems(model).every(({ kind }) => kind !== "uplink"), "a model has no cables");
  assert.deepEqual([0, 1, 2, 7].map(attentionTitle), [
    "All good",
    "1 item needs attention",
    "2 items need attention",
    "7 items need attention",
  ]);
});

Deno.test("Home leads from an item to its decision, and is clear afterwards", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    const page = await stage.open({ path: "/" });
    await page.getByRole("heading", { name: "1 item needs attention" }).waitFor();
    await page.getByText("first seen").waitFor();
    await page.getByRole("region", { name: "Interfaces" }).getByText("lan1").waitFor();
    await page.getByRole("region", { name: "Recent changes" }).locator("a").nth(2).waitFor();
    await page.getByRole("button", { name: /^Block/ }).click();
    await page.getByRole("button", { name: "Block device" }).click();
    await page.getByRole("heading", { name: "All good" }).waitFor();
    assert.ok(stage.router.engine.config.devices[demoId(12)]?.DeviceDisabled);
    await assertAccessible(page);
    await page.getByRole("link", { name: "All interfaces" }).click();
    await page.getByRole("heading", { name: "Interfaces", level: 1 }).waitFor();
  });
});

Deno.test("Home fits a phone in the dark theme, and a new device appears by itself", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: "/admin", size, dark });
      await page.getByRole("heading", { name: "1 item needs attention" }).waitFor();
      await page.getByRole("region", { name: "Interfaces" }).getByText("lan1").waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `home-${size.width}-${dark ? "dark" : "light"}`);
    }
    const page = await stage.open({ path: "/admin" });
    await page.getByText("Live").waitFor();
    const body = { MAC: "02:00:00:00:00:09", Iface: "lan1", Name: "phone" };
    await stage.router.inside("dhcp", "PUT", "/dhcpRequest", body);
    await page.getByRole("heading", { name: "2 items need attention" }).waitFor();
  });
});

Deno.test("rates are bits per second, and what exchanged the most comes first", () => {
  const none = { LanIn: 0, LanOut: 0 };
  const items = [{ at: 1, ...none, WanIn: 7_500_000, WanOut: 60 }];
  const total = { ...none, WanIn: 0, WanOut: 0 };
  assert.deepEqual(rateSeries({ items, total }), { times: [1], down: [1_000_000], up: [8] });
  assert.deepEqual([0, 8, 999, 1000, 9_960_000, 12_345_678, 2.5e9].map(rateText), [
    "0 bit/s",
    ...["8 bit/s", "999 bit/s", "1 kbit/s", "10 Mbit/s", "12 Mbit/s", "2.5 Gbit/s"],
  ]);
  const use = (IP: string, BytesIn: number) => ({ IP, BytesIn, BytesOut: 1 });
  const overview = {
    ...{ Start: "", End: "", TotalIn: 0, TotalOut: 0 },
    Countries: [
      { Country: "DE", BytesIn: 0, BytesOut: 0, Devices: [use("a", 5), use("b", 9)], ASNs: [] },
      { Country: "", BytesIn: 0, BytesOut: 0, Devices: [use("a", 6)], ASNs: [] },
    ],
    ASNs: [
      { ASN: 64500, Name: "", BytesIn: 1, BytesOut: 1 },
      { ASN: 0, Name: "", BytesIn: 3, BytesOut: 1 },
    ],
  };
  assert.deepEqual(topDevices(overview, 1), [{ name: "a", down: 11, up: 2 }]);
  assert.deepEqual(topNetworks(overview, 5).map(({ name }) => name), [
    "Unknown network",
    "AS64500",
  ]);
});

Deno.test("Home shows uplinks, throughput, who uses it, and what DNS blocked", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    const page = await stage.open({ path: "/admin/groups" });
    const at = Date.now();
    const none = { LanIn: 0, LanOut: 0 };
    const items = Array.from({ length: 60 }, (_, minute) => ({
      at: at - (59 - minute) * 60_000,
      ...none,
      WanIn: 4_000_000 * (1 + Math.sin(minute / 6)),
      WanOut: 400_000,
    }));
    const uplink = {
      ...{ Iface: "wan0", Up: true, Active: true, Gateway: "203.0.113.1", LatencyMs: 11 },
      ...{
        JitterMs: 1,
        LossPct: 0,
        LastChange: Math.floor(at / 1000) - 273_900,
        IP: "203.0.113.7",
      },
      ...{
        TotalOutages: 0,
        Downtime24h: 0,
        Reason: "",
        Weight: 1,
        SharePct: 100,
        DNS: [],
        Search: [],
      },
    };
    const device = stage.router.engine.config.devices[demoId(3)]!.RecentIP;
    const answers: Readonly<Record<string, unknown>> = {
      "/traffic_rates": { items, total: { ...none, WanIn: 1, WanOut: 1 } },
      "/traffic_insights/overview": {
        ...{ Start: "", End: "", TotalIn: 0, TotalOut: 0 },
        Countries: [{
          ...{ Country: "DE", BytesIn: 0, BytesOut: 0, ASNs: [] },
          Devices: [{ IP: device, BytesIn: 23_500_000_000, BytesOut: 900_000_000 }],
        }],
        ASNs: [{ ASN: 64500, Name: "Example Cloud", BytesIn: 2e9, BytesOut: 1e9 }],
      },
      "/plugins/dns/log/status": {
        ...{ bytes: 1, oldest: 1, dropped: 0, counts: { pass: 10_500, block: 1500 } },
        series: Array.from({ length: 24 }, (_, hour) => ({
          time: at - (24 - hour) * 3_600_000,
          counts: { pass: 400 + 20 * hour, block: 40 + 2 * hour },
        })),
      },
      "/wan/status": [uplink],
      [`/wan/history/${uplink.Iface}`]: Array.from({ length: 60 }, (_, minute) => ({
        ...{ Time: Math.floor(at / 1000) - minute * 60, Up: true, LossPct: 0, JitterMs: 1 },
        LatencyMs: 11 + minute % 7,
      })),
    };
    await answerReads(page, (path) => answers[path]);
    await page.goto(new URL("/admin", page.url()).href);
    await page.getByRole("slider", { name: /^Throughput/ }).waitFor();
    const talkers = page.getByRole("region", { name: "Most traffic" });
    await talkers.getByRole("link", { name: "Game console" }).waitFor();
    await talkers.getByText("Example Cloud").waitFor();
    await page.getByRole("link", { name: "1,500 blocked (13 %)" }).waitFor();
    await page.getByText("12,000 queries").waitFor();
    await page.getByText(/203\.0\.113\.7 · for 3 d 4 h/).waitFor();
    await page.getByRole("slider", { name: "Latency of wan0 in the last hour" }).waitFor();
    await page.getByRole("slider", { name: /^Queries of the last 24 hours/ }).waitFor();
    await page.getByText("Uptime").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    for (const width of [1440, 1024, 390]) {
      for (const dark of [false, true]) {
        await page.setViewportSize({ width, height: 1600 });
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        await assertNoSidewaysScroll(page);
        await picture(page, `home-${width}-${dark ? "dark" : "light"}`);
      }
    }
  });
});
