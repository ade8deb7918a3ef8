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

Deno.test("a group's hours are set with a preview, shown where they matter, and removed", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const one = demoId(1);
    const name = router.engine.config.devices[one]!.Name;
    const body = { Name: "Children", Title: "Children", Policies: ["wan", "dns"], Members: [one] };
    const made = await router.ask("PUT", "/groups", { body });
    assert.equal(made.status, 200, await made.text());
    const page = await open({ path: "/admin/groups/children", size: { ...DESK, width: 1440 } });
    await page.getByText("Members have their access at all times.").waitFor();
    await press(page, page.getByRole("button", { name: "Add times" }));
    // Another day than today, whenever this runs.
    const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    const other = days[(new Date(Date.now()).getDay() + 3) % 7]!;
    for (const day of days) await page.getByLabel(day).setChecked(day === other);
    await picture(page, "group-hours-desk-light");
    await assertAccessible(page);
    await press(page, page.getByRole("button", { name: "Preview the schedule" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("limits its members' access to the scheduled times.")
      .waitFor();
    await dialog.getByText(`Members of Children have Internet and DNS only on`).waitFor();
    await press(page, dialog.getByRole("button", { name: "Save schedule" }));
    await page.getByText("has a new schedule.").waitFor();
    await page.getByText(/^Closed until /).waitFor();
    assert.ok(router.engine.observed.closedGroups?.["children"]);

    // The page of a member says why it has no access now.
    await page.getByRole("link", { name }).first().click();
    await page.getByText(/^Access paused by the schedule of Children until /).waitFor();

    await page.goBack();
    const phone = await open({ path: "/admin/groups/children", size: PHONE });
    await phone.getByText(/^Closed until /).waitFor();
    await assertNoSidewaysScroll(phone);
    await phone.getByRole("button", { name: "Remove these times" }).click();
    await phone.getByRole("button", { name: "Preview the schedule" }).click();
    await phone.getByRole("dialog").getByRole("button", { name: "Save schedule" }).click();
    await phone.getByText("no longer has a schedule.").waitFor();
    assert.equal(router.engine.observed.closedGroups, undefined);
  });
});

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
