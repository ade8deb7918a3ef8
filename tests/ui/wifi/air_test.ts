import assert from "node:assert/strict";
import { CLIENT, FakeWifid, RADIO } from "../../kit/fakes/fake_wifid.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import type { IwNeighbour } from "../../../system/wifi/iw/schema.ts";
import type { RoamingRecord } from "../../../system/wifi/roaming/schema.ts";
import { NO_RADAR } from "../../../system/wifi/air/schema.ts";
import { airScale, heightOf, namedChannels, outlineOf } from "../../../ui/pages/wifi/air_layout.ts";
import { radarText } from "../../../ui/pages/wifi/radar_text.ts";
import { outcomeText, reasonText } from "../../../ui/pages/wifi/roaming_text.ts";

const WIFI = "/admin/wifi";
const HOSTILE = "<img src=x onerror=alert(1)>\\x0a\\xe2\\x80\\xae";

function neighbour(freq: number, signal: number, ssid = "other", more = {}): IwNeighbour {
  return {
    ...{ bssid: "02:00:00:00:0b:01", interface: "wlan0", freq, ssid, signal_dbm: signal },
    ...{ authentication_suites: "PSK", supported_rates: [] },
    ...more,
  };
}

/** A radio at 2.4 GHz on channel 1, and at 5 GHz with radar channels. */
function wifidWithAir(wifid: FakeWifid): void {
  const use = (channel: number, radar = false) => ({
    channel,
    frequency: channel < 15 ? 2407 + 5 * channel : 5000 + 5 * channel,
    maxPower: 20,
    use: radar ? "radar" as const : "usable" as const,
  });
  wifid.items = [{
    ...RADIO,
    bands: [
      { ...RADIO.bands[0]!, channels: Array.from({ length: 11 }, (_, n) => use(n + 1)) },
      {
        ...RADIO.bands[1]!,
        channels: [36, 40, 44, 48].map((n) => use(n)).concat(
          [52, 56, 60, 64, 100, 104, 108, 112].map((n) => use(n, true)),
        ),
      },
    ],
  }];
  wifid.scan = [
    neighbour(2412, -48),
    neighbour(2412, -61, HOSTILE),
    neighbour(2437, -70, "cafe", { secondary_channel_offset: "below" }),
    neighbour(2462, -84, ""),
    neighbour(5180, -50, "far", { channel_width: "1 (80 MHz)", center_freq_segment_1: 42 }),
    neighbour(5180, -55),
    neighbour(5300, -70),
  ];
}

Deno.test("networks are drawn where they are, and gaps between channels short", () => {
  const channel = (frequency: number) => ({
    ...{ channel: frequency, frequency, networks: 0, strongest: 0, load: 0 },
    dfs: "none" as const,
  });
  const scale = airScale([5180, 5200, 5320, 5500].map(channel));
  assert.deepEqual([5170, 5180, 5190, 5200].map(scale.x), [0, 10, 20, 30]);
  assert.equal(scale.x(5320) - scale.x(5200), 28);
  assert.equal(scale.width, scale.x(5500) + 10);
  assert.ok(scale.x(9000) <= scale.width && scale.x(0) >= 0);
  assert.equal(
    outlineOf({ from: 5170, to: 5190, signal: -25 }, scale, 70),
    "M0 70L3 0L17 0L20 70Z",
  );
  assert.ok(heightOf(-40) > heightOf(-80));
  assert.deepEqual(
    namedChannels([5180, 5200, 5320].map(channel), scale, 25).map((one) => one.frequency),
    [5180, 5320],
  );
  assert.equal(airScale([]).width, 20);
});

Deno.test("what radar and steering did is said in words", () => {
  const channels = [{
    ...{ channel: 52, frequency: 5260, networks: 0, strongest: 0, load: 0 },
    dfs: "unavailable" as const,
  }];
  const text = (radar: Partial<typeof NO_RADAR>) =>
    radarText({ radar: { ...NO_RADAR, ...radar }, channels });
  assert.equal(text({}), "");
  assert.match(text({ listening: 5260, until: 1 }), /listens for radar on channel 52/);
  assert.match(
    text({ seenAt: 1, seenOn: 5260, movedTo: 5180 }),
    /detected on channel 52 .* it moved to 5180 MHz/,
  );
  const record = { Origin: "auto", SourceRSSI: -78, DryRun: true } as const;
  assert.equal(reasonText(record, -70), "-78 dBm is at or below -70");
  const past: Parameters<typeof outcomeText>[0] = {
    ...{ ID: "1", RequestedAt: "", ObservedAt: "", MAC: "", DryRun: false },
    ...{ SourceInterface: "wlan0", TargetInterface: "wlan1", SourceRSSI: -78, PostRSSI: -60 },
    Origin: "auto",
    State: "succeeded",
  };
  assert.equal(outcomeText(past), "Moved, signal 18 dB better");
  assert.equal(outcomeText({ ...past, State: "ignored" }), "Stayed where it was");
});

Deno.test("the air is scanned, drawn and read as a table, and a better channel taken", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifidWithAir(wifid);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const put = await router.ask("PUT", "/hostapd/wlan0/config", {
      body: { Hw_mode: "g", Channel: 1 },
    });
    assert.equal(put.status, 200, await put.text());
    const page = await open({ path: WIFI });
    await page.getByRole("tab", { name: "Air" }).click();
    await page.getByText("Scan to see which channels").waitFor();
    await page.getByRole("button", { name: "Scan with wlan0" }).click();
    await page.getByText("Channel 11 is better.").waitFor();
    await page.getByText("1 other network uses channel 11, the strongest with -84 dBm").waitFor();
    await page.getByText("Channels as a table").click();
    await page.getByRole("rowheader", { name: "6", exact: true }).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Use channel 11" }).click();
    await page.getByText("moves to channel 11").waitFor();
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByRole("button", { name: "Keep changes" }).click();
    await page.getByText("Channel 11 is fine.").waitFor();
    assert.equal(router.engine.config.radios["wlan0"]!.channel, 11);
    wifid.scan = null;
    await page.getByRole("button", { name: "Scan with wlan0" }).click();
    await page.getByText("Device or resource busy").waitFor();
  });
});

Deno.test("radar channels and what radar did are shown, on desktop and phone", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifidWithAir(wifid);
    wifid.dfs = {
      items: [{
        radio: "wlan0",
        log: { ...NO_RADAR, seenAt: Date.now() - 60_000, seenOn: 5260, movedTo: 5180 },
        channels: [{ frequency: 5260, state: "unavailable", seconds: 60 }],
      }],
    };
    await router.ask("PUT", "/hostapd/wlan0/enable");
    await router.ask("PUT", "/hostapd/wlan0/config", { body: { Hw_mode: "a", Channel: 36 } });
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: WIFI, size, dark, signIn: true });
      await page.getByRole("tab", { name: "Air" }).click();
      await page.getByRole("button", { name: "Scan with wlan0" }).click();
      await page.getByText("Radar was detected on channel 52").waitFor();
      await page.getByRole("img", { name: /Channels around wlan0: 3 other networks/ }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `air-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
  });
});

Deno.test("a client is offered the other radio of its network by hand", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifid.items = [RADIO, { ...RADIO, name: "wlan1", phy: "phy1" }];
    wifid.clients.push(CLIENT);
    for (const name of ["wlan0", "wlan1"]) {
      await router.ask("PUT", `/hostapd/${name}/enable`, { body: { Ssid: "Home" } });
    }
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: WIFI, size, dark, signIn: true });
      await page.getByRole("tab", { name: "Roaming" }).click();
      await page.getByRole("button", { name: "Offer wlan1" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `move-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
    const page = await open({ path: WIFI, signIn: true });
    await page.getByRole("tab", { name: "Roaming" }).click();
    await page.getByRole("button", { name: "Offer wlan1" }).click();
    await page.getByText("was offered wlan1").waitFor();
    assert.ok(wifid.requests.includes(`transition wlan0 ${CLIENT.mac} wlan1`));
    // A radio of another name is none that it can be offered.
    await router.ask("PUT", "/hostapd/wlan1/config", { body: { Ssid: "Elsewhere" } });
    await page.getByRole("heading", { name: "Move a client" }).waitFor({ state: "detached" });
  });
});

Deno.test("client steering shows what it would do and why, and is let to do it", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    const at = "2026-01-01T12:00:00.000Z";
    const record: RoamingRecord = {
      ...{ ID: "1-1", RequestedAt: at, ObservedAt: "0001-01-01T00:00:00Z" },
      ...{ MAC: "02:00:00:00:0a:01", SourceInterface: "wlan0", TargetInterface: "wlan1" },
      ...{ SourceRSSI: -78, DryRun: true },
      Origin: "auto",
      State: "recommended",
    };
    wifid.history = [
      record,
      {
        ...record,
        ...{ ID: "1-2", DryRun: false, PostRSSI: -60, Reward: 18, PostInterface: "wlan1" },
        State: "succeeded",
      },
    ];
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: WIFI, size, dark, signIn: true });
      await page.getByRole("tab", { name: "Roaming" }).click();
      await page.getByText("Not sent: recommended only").waitFor();
      await page.getByText("Moved, signal 18 dB better").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `roaming-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
    const page = await open({ path: WIFI, signIn: true });
    await page.getByRole("tab", { name: "Roaming" }).click();
    await page.getByRole("switch", { name: "Recommend only" }).click();
    await page.getByText("offers clients with a weak signal").first().waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator('[aria-label="Recommend only"][aria-checked="false"]').waitFor();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByLabel("Weak signal (dBm)").fill("-20");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.locator("#roaming-form .problem").first().waitFor();
    await page.getByLabel("Weak signal (dBm)").fill("-75");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("at or below -75 dBm").waitFor();
    assert.equal(router.engine.config.roaming.RSSIThresholdDBM, -75);
    assert.equal(router.engine.config.roaming.DryRun, false);
  });
});
