import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press, typeInto } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("a group of guests with two members is made, changed and deleted", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const { devices } = router.engine.config;
    const [one, two] = [demoId(1), demoId(2)];
    const names = [one, two].map((identity) => devices[identity]!.Name);
    const group = (name: string) => router.engine.config.groups.find(({ Name }) => Name === name);
    const member = (identity: string, name: string) =>
      router.engine.config.devices[identity]!.Groups.includes(name);
    const page = await open({ path: "/admin/groups", size: { ...DESK, width: 1440 } });
    const apply = page.getByRole("dialog").getByRole("button", { name: "Create group" });

    // By mouse.
    const clicks = new Clicks();
    await clicks.on(page.getByLabel("Name", { exact: true }));
    await page.keyboard.type("Visitors");
    await clicks.on(page.getByLabel("Access of new members"));
    await page.getByLabel("Access of new members").selectOption("Guest");
    assert.equal(await page.getByLabel("Members may reach each other").isChecked(), false);
    await clicks.on(page.getByLabel(names[0]!, { exact: true }));
    await clicks.on(page.getByLabel(names[1]!, { exact: true }));
    await picture(page, "groups-desk-light");
    await assertAccessible(page);
    await clicks.on(page.getByRole("button", { name: "Create group" }));
    await page.getByText("was created.").or(apply).first().waitFor();
    if (await apply.isVisible()) await clicks.on(apply);
    await page.getByText("was created.").waitFor();
    clicks.atMost(7);
    assert.equal(group("visitors")?.Title, "Visitors");
    assert.equal(group("visitors")?.Isolated, true);
    assert.ok(member(one, "visitors") && member(two, "visitors"));

    // Its page: a member leaves, another joins, and members reach each other.
    await page.getByRole("link", { name: "Visitors" }).click();
    await page.getByRole("heading", { name: "Visitors", level: 1 }).waitFor();
    await page.getByText("2 members · isolated from each other").waitFor();
    await picture(page, "group-desk-light");
    await assertAccessible(page);
    await page.getByRole("button", { name: `Remove ${names[0]}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("was removed from Visitors").waitFor();
    assert.ok(!member(one, "visitors"));
    await page.getByLabel(names[0]!, { exact: true }).check();
    await page.getByRole("button", { name: "Add 1 device" }).click();
    await page.getByText("was added to Visitors").waitFor();
    assert.ok(member(one, "visitors") && member(two, "visitors"));
    await page.getByLabel("Members may reach each other").check();
    await page.getByRole("button", { name: "Save" }).click();
    const save = page.getByRole("dialog").getByRole("button", { name: "Save" });
    const changed = page.getByText("was changed.");
    await changed.or(save).first().waitFor();
    if (await save.isVisible()) await save.click();
    await changed.waitFor();
    assert.equal(group("visitors")?.Isolated, undefined);

    // By keyboard.
    await page.goto(new URL("/admin/groups", page.url()).href);
    await typeInto(page, page.getByLabel("Name", { exact: true }), "Friends");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Guest");
    await press(page, page.getByLabel(names[0]!, { exact: true }), "Space");
    await press(page, page.getByLabel(names[1]!, { exact: true }), "Space");
    await page.keyboard.press("Enter");
    await page.getByText("was created.").or(apply).first().waitFor();
    if (await apply.isVisible()) await page.keyboard.press("Control+Enter");
    await page.getByText("was created.").waitFor();
    assert.equal(group("friends")?.Isolated, true);
    assert.ok(member(one, "friends") && member(two, "friends"));

    const phone = await open({ path: "/admin/groups/visitors", size: PHONE, dark: true });
    await phone.getByRole("heading", { name: "Visitors", level: 1 }).waitFor();
    await assertNoSidewaysScroll(phone);
    await assertAccessible(phone);
    await picture(phone, "group-phone-dark");
    await phone.getByRole("button", { name: "Delete group" }).click();
    await phone.getByRole("dialog").getByRole("button", { name: "Delete group" }).click();
    await phone.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
    assert.equal(group("visitors"), undefined);
  });
});
