import assert from "node:assert/strict";
import { assertAccessible, assertNoSidewaysScroll, picture } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("columns of the list of devices are chosen and remembered", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const device = router.engine.config.devices[demoId(3)]!;
    const page = await open({ path: "/admin/groups", size: { width: 1440, height: 900 } });
    const answers: Readonly<Record<string, unknown>> = {
      "/traffic_insights/overview": {
        ...{ Start: "", End: "", TotalIn: 0, TotalOut: 0, ASNs: [] },
        Countries: [{
          ...{ Country: "DE", BytesIn: 0, BytesOut: 0, ASNs: [] },
          Devices: [{ IP: device.RecentIP, BytesIn: 23_500_000_000, BytesOut: 900_000_000 }],
        }],
      },
      "/wifi/clients": { items: [{ mac: device.MAC, signal: -61 }] },
    };
    await page.route("**/*", (route) => {
      const answer = answers[new URL(route.request().url()).pathname];
      return answer === undefined ? route.fallback() : route.fulfill({ json: answer });
    });
    await page.goto(new URL("/admin/devices", page.url()).href);
    await page.getByRole("columnheader", { name: "Vendor" }).waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "MAC address" }).count(), 0);
    await page.getByRole("button", { name: "Columns" }).click();
    const menu = page.getByRole("group", { name: "Columns" });
    for (const name of ["MAC address", "Down, 24 h", "Up, 24 h", "Signal"]) {
      await menu.getByLabel(name).check();
    }
    for (const name of ["Vendor", "Interface"]) await menu.getByLabel(name).uncheck();
    await assertAccessible(page);
    await picture(page, "devices-columns-menu");
    await page.keyboard.press("Escape");
    const row = page.getByRole("row").filter({ hasText: device.Name });
    for (const text of ["24 GB", "900 MB", "-61 dBm", device.MAC]) {
      await row.getByText(text).waitFor();
    }
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await assertNoSidewaysScroll(page);
      await picture(page, `devices-columns-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await page.getByRole("columnheader", { name: "Signal" }).waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "Vendor" }).count(), 0);
  });
});

Deno.test("a fixed address is reserved on a device's page, and refused at its field", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const device = () => router.engine.config.devices[demoId(3)]!;
    const page = await open({ path: `/admin/devices/${demoId(3)}?tab=details` });
    await page.getByRole("button", { name: /^Reserve/ }).click();
    const dialog = page.getByRole("dialog", { name: "Reserve address" });
    await dialog.getByLabel("IP address").fill("10.255.0.300");
    await dialog.getByRole("button", { name: "Reserve", exact: true }).click();
    await dialog.locator(".field.bad").waitFor();
    await assertAccessible(page);
    await dialog.getByLabel("IP address").fill("192.168.2.230");
    await dialog.getByRole("button", { name: "Reserve", exact: true }).click();
    await page.getByText("gets the address 192.168.2.230").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("has the address 192.168.2.230 reserved.").waitFor();
    assert.equal(device().RecentIP, "192.168.2.230");
  });
});
