import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

const KIDS = "/admin/groups/kids";
const SUNDAY = { Days: ["sun"], From: "10:00", To: "12:00" };
const MONDAY = { Days: ["mon"], From: "10:00", To: "12:00" };

async function write({ router }: RealStage, fields: Record<string, unknown>): Promise<void> {
  const body = { Name: "kids", Title: "Kids", Policies: ["wan", "dns"], ...fields };
  const made = await router.ask("PUT", "/groups", { body });
  assert.equal(made.status, 200, await made.text());
}

function hours({ router }: RealStage): unknown {
  return router.engine.config.groups.find(({ Name }) => Name === "kids")?.Schedule;
}

Deno.test("the form of a group's hours shows what is stored, and replaces nobody's unseen", async () => {
  await onRouter({}, async (stage) => {
    await write(stage, {});
    const page = await stage.open({ path: KIDS });
    const preview = page.getByRole("button", { name: "Preview the schedule" });
    const always = page.getByText("Members have their access at all times.");
    await page.getByRole("button", { name: "Add times" }).click();
    await preview.click();
    await page.getByRole("dialog").getByRole("button", { name: "Save schedule" }).click();
    await page.getByText("has a new schedule.").waitFor();
    await preview.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await always.waitFor();
    assert.equal(await preview.count(), 0, "what was undone is no edit");
    // Without edits the form follows what somebody else writes.
    await write(stage, { Schedule: [MONDAY] });
    await page.getByLabel("Monday").and(page.locator(":checked")).waitFor();
    assert.equal(await preview.count(), 0);

    await page.getByLabel("Tuesday").check();
    await write(stage, { Schedule: [SUNDAY] });
    const others = page.getByText("Changed by someone else.");
    await others.waitFor();
    await preview.click();
    await page.getByRole("button", { name: "Overwrite" }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.deepEqual(hours(stage), [SUNDAY]);
    await page.getByRole("button", { name: "Load current values" }).click();
    await page.getByLabel("Sunday").and(page.locator(":checked")).waitFor();
    await others.waitFor({ state: "detached" });

    // The person may want their own all the same.
    await page.getByLabel("Saturday").check();
    await write(stage, { Schedule: [MONDAY] });
    await others.waitFor();
    await preview.click();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save schedule" }).click();
    await page.getByText("has a new schedule.").waitFor();
    assert.deepEqual(hours(stage), [{ ...SUNDAY, Days: ["sat", "sun"] }]);
  });
});

Deno.test("the settings of a group show what is stored, and replace nobody's unseen", async () => {
  await onRouter({}, async (stage) => {
    await write(stage, {});
    const page = await stage.open({ path: KIDS });
    const reach = page.getByLabel("Members may reach each other");
    await page.getByLabel("Name", { exact: true }).fill("Children");
    await write(stage, { Isolated: true });
    await page.getByText("Changed by someone else.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Overwrite" }).waitFor();
    assert.equal(stage.router.engine.config.groups[0]?.Isolated, true);
    await page.getByRole("button", { name: "Load current values" }).click();
    await page.getByText("Changed by someone else.").waitFor({ state: "detached" });
    assert.equal(await reach.isChecked(), false);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Kids");
  });
});

Deno.test("each time of a group has its own errors, which are removed with it", async () => {
  await onRouter({}, async (stage) => {
    await write(stage, { Schedule: [SUNDAY, MONDAY] });
    const page = await stage.open({ path: KIDS });
    const second = page.getByRole("group", { name: "Times 2" });
    await second.getByLabel("Monday").uncheck();
    await page.getByRole("button", { name: "Preview the schedule" }).click();
    await second.getByText("Choose at least one day").waitFor();
    await page.getByRole("button", { name: "Remove times 1" }).click();
    const add = page.getByRole("button", { name: "Add times" });
    await add.and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Remove these times" }).waitFor();
    assert.equal(await page.getByText("Choose at least one day").count(), 0);
    await add.click();
    await page.getByRole("group", { name: "Times 2" }).getByRole("checkbox", { name: "Monday" })
      .and(page.locator(":focus")).waitFor();
  });
});

Deno.test("a preview says that the schedule of a group limits its members no longer", async () => {
  await onRouter({ files: manyDevices(2) }, async (stage) => {
    await write(stage, { Schedule: [SUNDAY], Members: [mac(0)] });
    const page = await stage.open({ path: KIDS });
    const dialog = page.getByRole("dialog");
    const says = async (button: RegExp, role: "button" | "switch", text: string) => {
      await page.locator("main").getByRole(role, { name: button }).click();
      await dialog.getByText(text).waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await says(/is on$/, "switch", "Its schedule no longer limits their access.");
    await says(/^Delete group/, "button", "Its schedule no longer limits their access.");
    await says(
      /^Remove Device/,
      "button",
      "leaves Kids. Its schedule no longer limits the access of the device.",
    );
    await write(stage, { Schedule: [], Members: [mac(0)] });
    await page.getByText("Members have their access at all times.").waitFor();
    await says(/^Remove Device/, "button", "leaves Kids. Other access stays as it is.");
  });
});
