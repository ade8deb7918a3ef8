import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";

const PATH = "/admin/topology";

Deno.test("the map shows who is where, finds devices and outlines what one reaches", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: PATH, size, dark });
      const lan2 = page.getByRole("list", { name: "Devices: lan2" });
      await lan2.getByRole("button").first().waitFor();
      const tablet = page.getByRole("button", { name: "Kids’ tablet" });
      await tablet.click();
      assert.equal(await tablet.getAttribute("aria-pressed"), "true");
      await page.getByText("by its policies and groups").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `topology-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
    const page = await open({ path: PATH });
    await page.getByRole("button", { name: "Kids’ tablet" }).waitFor();
    await page.getByLabel("Filter devices").fill("tablet");
    await page.getByText("2 devices", { exact: true }).waitFor();
    await page.getByText("Group", { exact: true }).click();
    await page.getByRole("list", { name: "Devices: kids" }).waitFor();
    await page.getByRole("button", { name: "Kids’ tablet" }).click();
    await page.getByRole("link", { name: "Open Kids’ tablet" }).click();
    await page.waitForURL("**/admin/devices/**");
    await page.close();
  });
});

Deno.test("300 devices are folded, and a filter finds one of them", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router }) => {
    const style = { Icon: "", Color: "" };
    const topology = await router.json<{ Nodes: unknown[]; Edges: unknown[] }>("GET", "/topology");
    for (let at = 0; at < 300; at++) {
      const ID = `dev:02:00:00:00:${(at >> 8).toString(16).padStart(2, "0")}:${
        (at & 255).toString(16).padStart(2, "0")
      }`;
      const Iface = `lan${1 + at % 2}`;
      topology.Nodes.push({
        ...{ ID, Kind: "device", Name: `sensor ${at}`, Online: at % 7 > 0, Style: style, Iface },
        IP: `10.3.${at >> 6}.${(at & 63) * 4 + 2}`,
      });
      topology.Edges.push({ From: ID, To: `iface:${Iface}`, Layer: "l1", Kind: "wired" });
    }
    const page = await open({ path: "/admin/groups" });
    await page.route(
      "**/topology",
      (route) =>
        route.request().resourceType() === "document"
          ? route.fallback()
          : route.fulfill({ json: topology }),
    );
    // One device moved 30 MB in five minutes, another 3 MB, the others nothing.
    const none = { LanIn: 0, LanOut: 0, WanIn: 0, WanOut: 0 };
    const snapshots = Array.from({ length: 6 }, (_, at) => ({
      "10.3.0.6": { ...none, WanIn: (5 - at) * 6_000_000 },
      "10.3.0.10": { ...none, LanOut: (5 - at) * 600_000 },
      "10.3.0.46": { ...none, WanIn: 7_000_000 },
    }));
    await page.route("**/traffic_history?*", (route) => route.fulfill({ json: snapshots }));
    await page.goto(new URL(PATH, page.url()).href);
    const busy = page.locator('.devices > [data-width="2"]');
    await busy.getByText("800 kbit/s").waitFor();
    assert.match(await busy.innerText(), /sensor 1\b/);
    assert.equal(await page.locator('.devices > [data-width="1"]').count(), 1);
    await page.getByText("Wider lines: more traffic").waitFor();
    for (const { size, dark } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `topology-300-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
    }
    const drawn = page.getByRole("list", { name: "Devices: lan1" }).getByRole("button");
    await drawn.first().waitFor();
    assert.equal(await drawn.count(), 25);
    await page.getByRole("button", { name: "126 more devices" }).first().click();
    assert.equal(await drawn.count(), 150);
    await page.getByLabel("Filter devices").fill("sensor 298");
    await page.getByText("1 device", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "sensor 298" }).count(), 1);
    await page.close();
  });
});
