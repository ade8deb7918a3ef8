import assert from "node:assert/strict";
import type { ReachMatrix } from "../../../ui/pages/reach/matrix/wire.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";

const TABLET = "02:00:5e:00:53:01";
const SERVER = "02:00:5e:00:53:02";

async function home({ router }: RealStage, tablet = "Kids’ tablet"): Promise<void> {
  const put = (identity: string, Name: string, Policies: string[]) =>
    router.ask("PUT", `/device?identity=${identity}`, {
      body: { Name, MAC: identity, Policies, Groups: [] },
    });
  await put(TABLET, tablet, ["wan", "dns"]);
  await put(SERVER, "Home server", ["dns"]);
  for (const MAC of [TABLET, SERVER]) {
    const sent = { MAC, Identifier: MAC, Name: "x", Iface: "lan0", Router: "" };
    await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
  }
}

Deno.test("the matrix shows access, moves by keyboard, explains beside it, and follows a change", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({ path: "/admin/reach/matrix", size: DESK });
    const cell = (name: string) => page.getByRole("gridcell", { name, exact: true });
    await cell("Kids’ tablet to Internet: yes").waitFor();
    await cell("Home server to Internet: no").waitFor();
    await cell("Kids’ tablet to Home server: no").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "matrix-desk-light");
    assert.equal(await page.locator('[role="gridcell"][tabindex="0"]').count(), 1);

    await stage.router.ask("PUT", `/device?identity=${TABLET}`, { body: { Policies: ["dns"] } });
    await page.getByRole("gridcell", { name: "Kids’ tablet to Internet: yes" })
      .waitFor({ state: "detached" });
    await stage.router.ask("PUT", `/device?identity=${TABLET}`, {
      body: { Policies: ["wan", "dns"] },
    });
    await cell("Kids’ tablet to Internet: yes").waitFor();

    await cell("Kids’ tablet to Internet: yes").click();
    const side = page.getByRole("region", { name: "Connection" });
    await side.getByText("Kids’ tablet can open TCP 443 on the Internet").waitFor();
    await side.getByText("policy wan").waitFor();
    await page.getByRole("heading", { name: "Ways to block" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    const label = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    assert.equal(await label(), "Kids’ tablet to Kids’ tablet: itself");
    await page.keyboard.press("Control+End");
    assert.match(await label() ?? "", /^This router to This router/);
    await page.keyboard.press("Control+Home");
    assert.match(await label() ?? "", /^Home server to Home server/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      "Home server to Kids’ tablet",
    );
    await page.keyboard.press("Escape");
    assert.equal(await label(), "Home server to Kids’ tablet: no");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: /^Preview: .* for Home server$/ }).click();
    await page.getByRole("button", { name: "Apply change" }).click();
    await cell("Home server to Internet: yes").waitFor();
    await side.getByText("Home server can open TCP 443 on the Internet").waitFor();
    await side.getByRole("link", { name: "Open in access test" }).click();
    await page.getByRole("heading", {
      name: "Allowed. Home server can open TCP 443 on the Internet",
    }).waitFor();
  });
});

Deno.test("the matrix begins with groups, which open to their devices by pointer and keyboard", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    for (
      const { size, dark } of [
        { size: { width: 1440, height: 900 }, dark: false },
        { size: { width: 1024, height: 768 }, dark: true },
      ]
    ) {
      const page = await open({ path: "/admin/reach/matrix", size, dark });
      await page.getByRole("gridcell", { name: "cameras to Internet: no", exact: true }).waitFor();
      assert.equal(await page.getByRole("rowheader", { name: "Doorbell" }).count(), 0);
      await page.getByRole("gridcell", { name: "kids to Internet: differs" }).click();
      const answers = page.getByRole("list", { name: "Answers" });
      await answers.getByText("Old tablet").waitFor({ state: "attached" });
      assert.ok(await answers.getByRole("listitem").count() > 1);
      await assertAccessible(page);
      await picture(page, `matrix-groups-${size.width}`);
      const seen = await page.evaluate(() => {
        const box = document.querySelector('[aria-label="Selected pair"]')!.getBoundingClientRect();
        const grid = document.querySelector(".matrix")!.getBoundingClientRect();
        return box.top < innerHeight / 2 && box.left >= grid.right;
      });
      assert.ok(seen, "the answer stands beside the grid");
      await page.getByRole("button", { name: "Show devices (4 devices)" }).click();
      await page.getByRole("gridcell", { name: "Game console to Internet: yes" }).first().click();
      await page.getByRole("heading", { name: "Ways to block" }).waitFor();
      await page.getByRole("list").getByText(/access/).first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `matrix-devices-${size.width}`);

      await page.getByRole("gridcell", { name: "cameras to automation: differs" }).click();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowLeft");
      const header = page.getByRole("rowheader", { name: "cameras" });
      assert.equal(await header.getAttribute("aria-expanded"), "false");
      await page.keyboard.press("Enter");
      await page.getByRole("rowheader", { name: "Doorbell" }).waitFor();
      assert.equal(await header.getAttribute("aria-expanded"), "true");
      assert.match(await page.locator(":focus").textContent() ?? "", /^cameras/);
      await page.getByRole("columnheader", { name: "media" }).click();
      await page.getByRole("columnheader", { name: "Living room TV" }).waitFor();
      await page.close();
    }
  });
});

Deno.test("on a phone the answer of the matrix comes as a sheet", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const page = await open({ path: "/admin/reach/matrix", size: PHONE });
    await page.getByLabel("Filter sources").fill("Heat pump");
    await page.getByRole("button", { name: "cameras, 2 devices" }).click();
    await page.getByRole("button", { name: /^Doorbell/ }).click();
    const sheet = page.getByRole("dialog", { name: "Access" });
    await sheet.getByText("Heat pump cannot open TCP 443 on Doorbell").waitFor();
    await sheet.getByRole("heading", { name: "Ways to allow" }).waitFor();
    await sheet.getByText(/^Create group /).waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "matrix-sheet-phone");
    await sheet.getByRole("button", { name: /^Preview: Create group / }).click();
    await page.getByRole("button", { name: "Apply change" }).click();
    await sheet.getByText("Heat pump can open TCP 443 on Doorbell").waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await picture(page, "matrix-phone-light");
    await page.close();
  });
});

Deno.test("the matrix shows hostile names as text, filters by name, and is a list on a phone", async () => {
  await onRouter({}, async (stage) => {
    const hostile = "<img src=x onerror=alert(1)>";
    await home(stage, hostile);
    const page = await stage.open({ path: "/admin/reach/matrix", size: PHONE, dark: true });
    await page.getByLabel("Filter sources").fill("home server");
    await page.getByRole("listitem").filter({ hasText: "Internet" }).getByText("no", {
      exact: true,
    }).waitFor();
    assert.equal(await page.getByLabel("Source").locator("option").count(), 1);
    assert.equal(await page.locator("main img").count(), 0);
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "matrix-phone-dark");
    await page.getByLabel("Filter sources").fill("nobody has this");
    await page.getByText("No matches.").waitFor();
  });
});

/** A matrix of so many classes of one device each, before the Internet and the router. */
function crowd(size: number): ReachMatrix {
  const plain = { groups: [], policies: [] };
  const classes = [
    ...Array.from({ length: size }, (_, nth) => ({
      ...plain,
      kind: "device" as const,
      members: [mac(nth)],
    })),
    { ...plain, kind: "internet" as const, members: [] },
    { ...plain, kind: "router" as const, members: [] },
  ];
  return {
    classes,
    answers: [
      { access: "nothing", reason: "No rule opens it" },
      { access: "everything", reason: "Policy wan" },
    ],
    cells: classes.map((_, from) => classes.map((_, to) => from === to ? -1 : to === size ? 1 : 0)),
  };
}

Deno.test("a matrix of a thousand classes draws only what is visible, and scrolls to its end", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin" });
    await page.route(
      (url) => url.pathname === "/reach/matrix",
      (route) => route.fulfill({ json: crowd(1000) }),
    );
    await page.goto(new URL("/admin/reach/matrix", page.url()).href);
    await page.getByRole("gridcell").first().waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    const cells = await page.getByRole("gridcell").count();
    assert.ok(cells < 1000, `${cells} cells are drawn`);
    const grid = page.getByRole("grid");
    assert.equal(await grid.getAttribute("aria-rowcount"), "1003");
    await page.locator('[role="gridcell"][tabindex="0"]').focus();
    await page.keyboard.press("Control+End");
    await page.getByRole("gridcell", { name: "This router to This router: itself" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    const focused = page.locator('[role="gridcell"]:focus');
    assert.equal(await focused.getAttribute("aria-label"), "This router to Internet: yes");
    assert.ok(await focused.isVisible());
    await page.getByText("Policy wan").first().waitFor();
    await page.getByLabel("Filter sources").fill(mac(999));
    await page.waitForFunction(() =>
      document.querySelector('[role="grid"]')?.getAttribute("aria-rowcount") === "2"
    );
    await page.setViewportSize(PHONE);
    await page.getByLabel("Filter sources").fill("");
    await page.getByRole("button", { name: "Show more of 1,002" }).click();
    await page.waitForFunction(() => document.querySelectorAll("main .rows > li").length === 200);
    await assertNoSidewaysScroll(page);
    await page.close();
  });
});

Deno.test("the matrix explains that there are no devices, and keeps its data when loading fails", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/reach/matrix" });
    await page.getByText("No devices yet").waitFor();
    await page.getByRole("gridcell", { name: /^This router to Internet/ }).waitFor();
    await assertAccessible(page);
    await page.route((url) => url.pathname === "/reach/matrix", (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        body: JSON.stringify({ status: 503, title: "Not available", detail: "It is busy" }),
      }));
    await page.reload();
    await page.getByText("The access matrix could not be loaded").waitFor();
    await page.getByText("It is busy").waitFor();
    assert.equal(await page.getByRole("grid").count(), 0);
    await assertAccessible(page);
    await page.close();
  });
});
