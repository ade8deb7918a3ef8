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

Deno.test("the matrix shows access, moves by keyboard, opens the access test, and follows a change", async () => {
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
    await page.keyboard.press("ArrowLeft");
    const label = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    assert.equal(await label(), "Kids’ tablet to Home server: no");
    await page.keyboard.press("Control+End");
    assert.match(await label() ?? "", /^This router to This router/);
    await page.keyboard.press("Control+Home");
    assert.match(await label() ?? "", /^Kids’ tablet to Kids’ tablet/);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", {
      name: "Blocked. Kids’ tablet cannot open TCP 443 on Home server",
    })
      .waitFor();
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
