import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  picture,
} from "../../kit/browser/browser.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { attentionItems, attentionTitle } from "../../../ui/pages/home/attention.ts";
import { sampleHome } from "../../kit/builders/ui_samples.ts";

Deno.test("items that need attention are counted, and none when all is good", () => {
  const devices = sampleHome(Date.now());
  const link = (Name: string, Type: string, operstate: string) => ({
    name: Name,
    decided: { Name, Type, Subtype: "", Enabled: true },
    kernel: { ifname: Name, operstate, flags: [], addr_info: [] },
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
  const notice = {
    ...{ id: "n", kind: "drift", at: 1, detail: "x", data: {} },
    ...{ lastAt: 1, count: 1, resolvedAt: null, resolvedBy: null },
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
    const body = { MAC: "02:00:00:00:00:09", Iface: "lan1", Name: "newcomer" };
    await stage.router.inside("dhcp", "PUT", "/dhcpRequest", body);
    await page.getByRole("heading", { name: "2 items need attention" }).waitFor();
  });
});
