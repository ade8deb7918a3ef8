import assert from "node:assert/strict";
import type { UplinkSettings } from "../../../system/uplink/schema.ts";
import type { UplinkStatus } from "../../../system/uplink/status_schema.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press, tabTo } from "../../kit/browser/keyboard.ts";
import { eventually } from "../../kit/eventually.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

const INTERNET = "/admin/uplink";

const FILES = {
  "base/interfaces.json": [
    {
      ...{ Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true },
      ...{ IP: "203.0.113.2/24", Router: "203.0.113.1" },
    },
    { Name: "lan1", Type: "Uplink", Enabled: true },
    { Name: "lan0", Type: "Downlink", Enabled: true },
  ],
};

async function report(stage: RealStage, path: string, body: unknown): Promise<void> {
  const answer = await stage.router.inside("uplink", "PUT", path, body);
  assert.equal(answer.status, 200, await answer.text());
}

/** Some minutes of two uplinks, of which the second dies at the end. */
async function past(stage: RealStage): Promise<void> {
  const lease = { address: "100.64.5.9/24", router: "100.64.5.1", dns: [], seconds: 3600 };
  await report(stage, "/lease", { name: "lan1", lease });
  for (let round = 0; round < 12; round++) {
    stage.later(30_000);
    const items = [{ name: "wan0", latency: 8 + round % 4 }, {
      name: "lan1",
      latency: round < 7 ? 21 : null,
    }];
    await report(stage, "/probes", { items });
  }
}

Deno.test("Internet shows uplinks, history and outages, on desktop and phone", async () => {
  await onRouter({ files: FILES, age: 3_600_000 }, async (stage) => {
    await past(stage);
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: INTERNET, size, dark, signIn: true });
      await page.getByText("In use").waitFor();
      await page.getByText("Health checks get no reply", { exact: true }).first().waitFor();
      await page.getByText("203.0.113.2/24, gateway 203.0.113.1, latency").waitFor();
      await page.getByText("ongoing").waitFor();
      await page.getByRole("slider", { name: "Latency of wan0" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      const name = `internet-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await picture(page, name);
      await page.close();
    }
  });
});

Deno.test("the latency chart follows the selected uplink, and is read by keyboard", async () => {
  await onRouter({ files: FILES, age: 3_600_000 }, async (stage) => {
    await past(stage);
    const page = await stage.open({ path: INTERNET });
    await page.getByLabel("WAN", { exact: true }).selectOption("lan1");
    const chart = page.getByRole("slider", { name: "Latency of lan1" });
    await chart.focus();
    const reads = (text: string) =>
      page.locator(`[role="slider"][aria-valuetext*="${text}"]`).waitFor();
    await page.keyboard.press("Home");
    await reads("21 ms");
    await page.keyboard.press("End");
    await reads("unknown");
    await page.getByRole("group", { name: "Time" }).getByLabel("30 days").check();
    await chart.waitFor();
  });
});

Deno.test("two uplinks are a failover, whose order takes 5 clicks at most", async () => {
  await onRouter({ files: FILES, age: 3_600_000 }, async (stage) => {
    const lease = { address: "100.64.5.9/24", router: "100.64.5.1", dns: [], seconds: 3600 };
    await report(stage, "/lease", { name: "lan1", lease });
    const config = () => stage.router.json<UplinkSettings>("GET", "/wan/config");
    const status = async () =>
      (await stage.router.json<UplinkStatus[]>("GET", "/wan/status"))
        .map(({ Iface, SharePct }) => [Iface, SharePct]);
    assert.deepEqual(await status(), [["wan0", 100], ["lan1", 0]], "failover is the default");
    const page = await stage.open({ path: INTERNET, size: { width: 1440, height: 900 } });
    const apply = page.getByRole("dialog").getByRole("button", { name: "Save order" });
    const saved = page.getByText("was saved.");
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Up lan1" }));
    await clicks.on(page.getByRole("button", { name: "Save order" }));
    await apply.or(saved).first().waitFor();
    if (await apply.isVisible()) await clicks.on(apply);
    await saved.waitFor();
    clicks.atMost(5);
    await picture(page, "failover-desk-light");
    await assertAccessible(page);
    assert.deepEqual((await config()).Uplinks.map(({ Iface }) => Iface), ["lan1", "wan0"]);
    assert.deepEqual(await status(), [["lan1", 100], ["wan0", 0]]);

    // By keyboard: balance, and failover again.
    await tabTo(page, page.getByLabel("Mode"));
    await page.keyboard.type("Balance by device");
    await press(page, page.getByRole("button", { name: "Save order" }));
    await apply.or(page.getByText("was saved.")).first().waitFor();
    if (await apply.isVisible()) await page.keyboard.press("Control+Enter");
    await eventually("it balances", async () => (await config()).Balance === "source");
    await tabTo(page, page.getByLabel("Mode"));
    await page.keyboard.type("Failover");
    await press(page, page.getByRole("button", { name: "Save order" }));
    await apply.or(page.getByText("was saved.")).first().waitFor();
    if (await apply.isVisible()) await page.keyboard.press("Control+Enter");
    await eventually("it is a failover again", async () => (await config()).Balance === "off");
  });
});

Deno.test("several uplinks are ordered and weighted, by keyboard and on a phone", async () => {
  await onRouter({ files: FILES, age: 3_600_000 }, async (stage) => {
    await past(stage);
    const lease = { address: "100.64.5.9/24", router: "100.64.5.1", dns: [], seconds: 3600 };
    await report(stage, "/lease", { name: "lan1", lease });
    const shares = async () =>
      (await stage.router.json<UplinkSettings>("GET", "/wan/config")).Uplinks;
    const page = await stage.open({ path: INTERNET, size: PHONE });
    const order = page.getByRole("list", { name: "WAN order" });
    await order.getByText("wan0").first().waitFor();
    assert.equal(
      await page.getByRole("heading", { level: 2 }).first().textContent(),
      "Failover and balancing",
    );
    assert.equal(await page.getByLabel("Mode").inputValue(), "off", "failover unless chosen");
    assert.ok(await order.getByRole("button", { name: "Up wan0" }).isDisabled());
    await page.getByLabel("Mode").selectOption("pair");
    await order.getByRole("button", { name: "Up lan1" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Weight of lan1").fill("300");
    await page.getByRole("button", { name: "Save order" }).click();
    await page.getByText("Enter a whole number from 0 to 100").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    assert.deepEqual(await shares(), []);
    await page.getByLabel("Weight of lan1").fill("3");
    await page.getByRole("button", { name: "Save order" }).click();
    await page.getByText("was saved.").waitFor();
    assert.deepEqual(await shares(), [{ Iface: "lan1", Weight: 3 }, { Iface: "wan0", Weight: 1 }]);
    await page.getByLabel("Weight of wan0").fill("0");
    await page.getByRole("button", { name: "Save order" }).click();
    await page.getByText("was saved.").first().waitFor();
    const names = await order.locator("li b").allTextContents();
    assert.deepEqual(names.map((name) => name.trim()), ["lan1", "wan0"]);
  });
});

Deno.test("health checks are validated at their fields, changed and undone", async () => {
  await onRouter({ files: FILES }, async ({ open, router }) => {
    const config = () => router.json<UplinkSettings>("GET", "/wan/config");
    const page = await open({ path: INTERNET, size: PHONE });
    await page.getByLabel("Additional targets").fill("9.9.9.9, example.org");
    await page.getByLabel("Interval (seconds)").fill("1");
    await page.getByLabel("Speed test URL").fill("ftp://x");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("example.org is not an IPv4 address").waitFor();
    await page.getByText("Enter a whole number from 2 to 60").waitFor();
    await page.getByText("begins with http:// or https://").waitFor();
    await assertAccessible(page);
    assert.deepEqual((await config()).ProbeTargets, []);
    await page.getByLabel("Additional targets").fill("9.9.9.9 149.112.112.112");
    await page.getByLabel("Interval (seconds)").fill("10");
    await page.getByLabel("Speed test URL").fill("https://speed.example/64mb");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("is monitored with these settings").waitFor();
    const now = await config();
    assert.deepEqual([now.ProbeTargets, now.IntervalSeconds], [
      ["9.9.9.9", "149.112.112.112"],
      10,
    ]);
    await page.getByRole("button", { name: "Measure speed of wan0" }).click();
    await page.getByText("The speed of wan0 was not measured").waitFor();
  });
});
