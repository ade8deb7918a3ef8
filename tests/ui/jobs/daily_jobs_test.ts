import assert from "node:assert/strict";
import { assertAccessible, DESK, PHONE, picture } from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press, typeInto } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

const WIDE = { ...DESK, width: 1440 };

Deno.test("a port is forwarded with 6 clicks at most, by cards", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const forwards = () => router.engine.config.firewall.ForwardingRules;
    const before = forwards().length;
    const { RecentIP, Name } = router.engine.config.devices[demoId(1)]!;
    const page = await open({ path: "/admin/firewall", size: WIDE });
    const dialog = page.getByRole("dialog");
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "New rule" }));
    await clicks.on(dialog.getByText("Forward a port"));
    await clicks.on(dialog.getByLabel("WAN port"));
    await page.keyboard.type("2222");
    await clicks.on(dialog.getByLabel("Forward to"));
    await page.keyboard.type(RecentIP);
    await dialog.getByText(`This is ${Name}`).waitFor();
    await assertAccessible(page);
    await picture(page, "rule-cards-desk-light");
    await clicks.on(page.getByRole("button", { name: "Preview rule" }));
    await clicks.on(page.getByRole("button", { name: "Add port forward" }));
    await page.getByText("is added.").waitFor();
    clicks.atMost(6);
    assert.equal(forwards().length, before + 1);

    // By keyboard.
    await press(page, page.getByRole("button", { name: "New rule" }));
    await typeInto(page, dialog.getByLabel("WAN port"), "2223");
    await typeInto(page, dialog.getByLabel("Forward to"), RecentIP);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add port forward", disabled: false }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("is added.").waitFor();
    assert.equal(forwards().length, before + 2);

    const phone = await open({ path: "/admin/firewall", size: PHONE, dark: true });
    await phone.getByRole("button", { name: "New rule" }).click();
    await phone.getByText("Allow a service").click();
    await phone.getByRole("dialog", { name: "New endpoint" }).waitFor();
    await assertAccessible(phone);
    await picture(phone, "rule-cards-phone-dark");
  });
});

Deno.test("a device is renamed and expires with 5 clicks at most", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const device = () => router.engine.config.devices[demoId(1)]!;
    const page = await open({
      path: `/admin/devices/${encodeURIComponent(demoId(1))}`,
      size: WIDE,
    });
    const dialog = page.getByRole("dialog");
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Rename" }));
    await dialog.getByLabel("Name").fill("Tablet of Ida");
    await clicks.on(dialog.getByRole("button", { name: "Rename" }));
    await page.getByRole("heading", { name: "Tablet of Ida" }).waitFor();
    await clicks.on(page.getByRole("tab", { name: "Details" }));
    await clicks.on(page.getByRole("button", { name: "Change when it expires" }));
    await clicks.on(dialog.getByRole("button", { name: "Save" }));
    await dialog.waitFor({ state: "detached" });
    clicks.atMost(5);
    assert.equal(device().Name, "Tablet of Ida");
    assert.ok(device().DeviceExpiration > 0);

    // By keyboard.
    await press(page, page.getByRole("button", { name: "Rename" }));
    await typeInto(page, dialog.getByLabel("Name"), "Tablet");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Tablet", exact: true }).waitFor();
    const before = device().DeviceExpiration;
    await press(page, page.getByRole("button", { name: "Change when it expires" }));
    await dialog.getByLabel("Expires").focus();
    await page.keyboard.type("Never");
    await press(page, dialog.getByRole("button", { name: "Save" }));
    await dialog.waitFor({ state: "detached" });
    assert.ok(before > 0);
    assert.equal(device().DeviceExpiration, 0);
  });
});

Deno.test("an older change is undone with 4 clicks at most", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const group = (name: string) => router.engine.config.groups.find(({ Name }) => Name === name);
    for (const Name of ["first", "second", "third"]) {
      const answer = await router.ask("PUT", "/groups", { body: { Name } });
      assert.equal(answer.status, 200, await answer.text());
    }
    const page = await open({ path: "/admin/changes", size: WIDE });
    const revert = page.getByRole("button", { name: "Revert", exact: true });
    const apply = page.getByRole("button", { name: "Revert change" });
    const clicks = new Clicks();
    await clicks.on(page.getByText("Created group first").first());
    await clicks.on(revert);
    await clicks.on(apply);
    await apply.waitFor({ state: "detached" });
    clicks.atMost(4);
    assert.equal(group("first"), undefined);
    assert.ok(group("second") && group("third"));

    // By keyboard.
    await page.goto(new URL("/admin/changes", page.url()).href);
    await press(page, page.getByRole("link", { name: /Created group second/ }).first());
    await press(page, revert);
    await page.getByRole("button", { name: "Revert change", disabled: false }).waitFor();
    await page.keyboard.press("Control+Enter");
    await apply.waitFor({ state: "detached" });
    assert.equal(group("second"), undefined);
    assert.ok(group("third"));
  });
});
