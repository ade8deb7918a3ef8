import assert from "node:assert/strict";
import { assertAccessible, assertNoSidewaysScroll, DESK, PHONE, picture } from "../kit/browser.ts";
import { onRouter, type RealStage } from "../kit/real_stage.ts";

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

Deno.test("the matrix shows yes and no, moves by keyboard, opens Reach, and follows a change", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({ path: "/admin/matrix", size: DESK });
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
    await page.getByRole("heading", { name: "No. Kids’ tablet cannot open TCP 443 on Home server" })
      .waitFor();
  });
});

Deno.test("a hostile name is text, rows are found by name, and a phone lists where one reaches", async () => {
  await onRouter({}, async (stage) => {
    const hostile = "<img src=x onerror=alert(1)>";
    await home(stage, hostile);
    const page = await stage.open({ path: "/admin/matrix", size: PHONE, dark: true });
    await page.getByLabel("Rows with").fill("home server");
    await page.getByRole("listitem").filter({ hasText: "Internet" }).getByText("no", {
      exact: true,
    }).waitFor();
    assert.equal(await page.getByLabel("Start at").locator("option").count(), 1);
    assert.equal(await page.locator("main img").count(), 0);
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "matrix-phone-dark");
    await page.getByLabel("Rows with").fill("nobody has this");
    await page.getByText("Nothing has this name or group.").waitFor();
  });
});
