import assert from "node:assert/strict";
import type { Page } from "playwright";
import { assertAccessible, onStage, picture } from "../../kit/browser/browser.ts";
import { editsApplied, reviewEdits } from "../../kit/browser/staged_edits.ts";
import { press } from "../../kit/browser/keyboard.ts";
import { sampleGroups, sampleHome, sampleId } from "../../kit/builders/ui_samples.ts";

const TABLET = sampleId(1);
const LAPTOP = sampleId(4);
const home = () => ({ devices: sampleHome(Date.now()), groups: sampleGroups, self: LAPTOP });
const at = (identity: string) => ({ path: `/admin/devices/${encodeURIComponent(identity)}` });
const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });

Deno.test("a switch shows its preview, moves when it is applied, and Undo takes it back", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog", { name: "Preview: Internet off" });
    await drawer.getByText("cannot open connections to the Internet").waitFor();
    await drawer.getByText("Kids’ tablet to Internet").waitFor();
    await drawer.getByText("You keep admin access").waitFor();
    await assertAccessible(page);
    await picture(page, "preview-desk-light");
    assert.ok(api.state.devices[TABLET]?.Policies.includes("wan"), "nothing moved yet");
    await drawer.getByRole("button", { name: "Turn off Internet" }).click();
    await editsApplied(page);
    await page.locator('[role="switch"][aria-label="Internet"][aria-checked="false"]').waitFor();
    assert.equal(api.state.devices[TABLET]?.Policies.includes("wan"), false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator('[role="switch"][aria-label="Internet"][aria-checked="true"]').waitFor();
    assert.ok(api.state.devices[TABLET]?.Policies.includes("wan"));
  });
});

Deno.test("Esc closes the preview without a change, and the edit stays until it is discarded", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await toggle(page, "DNS").focus();
    await page.keyboard.press("Space");
    await press(page, page.getByRole("button", { name: "Review 1 change" }));
    await page.getByText("Who loses access").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.equal(focused, "Review 1 change");
    await press(page, page.getByRole("button", { name: "Discard" }));
    await page.getByText("Not applied yet").waitFor({ state: "detached" });
    assert.ok(api.state.devices[TABLET]?.Policies.includes("dns"));
  });
});

Deno.test("a change that would lock the caller out needs a confirm window, and can be confirmed", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(LAPTOP));
    await toggle(page, "Admin access").click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("This would lock you out.").waitFor();
    await assertAccessible(page);
    await picture(page, "lock-out-desk-light");
    await drawer.getByRole("button", { name: "Apply for 90 s" }).click();
    const banner = page.getByRole("region", { name: "Change to confirm" });
    await banner.getByText("awaits confirmation").waitFor();
    await assertAccessible(page);
    await picture(page, "trial-desk-light");
    await page.reload();
    await banner.getByRole("timer").getByText(/^1 min( [12]?\d s)?$|^1 min 30 s$/).waitFor();
    await banner.getByRole("button", { name: "Keep changes" }).click();
    await banner.waitFor({ state: "detached" });
    assert.equal(api.window, null);
    assert.ok(api.state.devices[LAPTOP]?.Policies.includes("noapi"));
  });
});

Deno.test("a confirm window can be reverted at once, and other changes say what they wait for", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(LAPTOP));
    await toggle(page, "Admin access").click();
    await reviewEdits(page);
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByText("awaits confirmation").waitFor();
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Another change awaits confirmation.").waitFor();
    assert.ok(await drawer.getByRole("button", { name: "Turn off Internet" }).isDisabled());
    await assertAccessible(page);
    await picture(page, "trial-stands-against");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Revert now" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor({ state: "detached" });
    assert.equal(api.state.devices[LAPTOP]?.Policies.includes("noapi"), false);
  });
});

Deno.test("a device that someone else changed is previewed again, not overwritten", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    await page.getByText("Who loses access").waitFor();
    api.touch(TABLET, { Policies: ["wan", "dns", "noapi", "lan"] });
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByText("Changed by someone else.").waitFor();
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.deepEqual(api.state.devices[TABLET]?.Policies, ["dns", "noapi", "lan"]);
  });
});

Deno.test("blocking sets both DeviceDisabled and the policy", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await page.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByRole("button", { name: "Block device" }).click();
    await page.getByRole("button", { name: "Unblock" }).waitFor();
    assert.equal(api.state.devices[TABLET]?.DeviceDisabled, true);
    assert.ok(api.state.devices[TABLET]?.Policies.includes("disabled"));
  });
});

Deno.test("a rename applies at once, and a refusal is shown at its field", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await page.getByRole("button", { name: "Rename" }).click();
    const dialog = page.getByRole("dialog", { name: "Rename" });
    await dialog.getByLabel("Name").fill("n".repeat(60));
    await dialog.getByRole("button", { name: "Rename" }).click();
    await dialog.getByText("Use at most 40 characters").waitFor();
    assert.equal(await dialog.getByLabel("Name").getAttribute("aria-invalid"), "true");
    await assertAccessible(page);
    await picture(page, "rename-desk-light");
    await dialog.getByLabel("Name").fill("Reading tablet");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Reading tablet", level: 1 }).waitFor();
    assert.equal(api.state.devices[TABLET]?.Name, "Reading tablet");
  });
});

Deno.test("groups are joined and left by preview, tags change at once", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await page.getByLabel("Add to a group").fill("Media");
    await page.getByLabel("Add to a group").press("Enter");
    await reviewEdits(page);
    await page.getByText("Kids’ tablet with Living room TV").waitFor();
    await page.getByRole("button", { name: "Add to media" }).click();
    await page.getByRole("button", { name: "Leave group media" }).waitFor();
    assert.deepEqual(api.state.devices[TABLET]?.Groups, ["kids", "media"]);
    await page.getByRole("button", { name: "Leave group kids" }).click();
    await reviewEdits(page);
    await page.getByRole("button", { name: "Remove from kids" }).click();
    await page.getByRole("button", { name: "Leave group kids" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove tag school" }).click();
    await page.getByText("no longer has the tag school").waitFor();
    assert.deepEqual(api.state.devices[TABLET]?.DeviceTags, []);
  });
});

Deno.test("deleting shows what is lost, and undo restores the device", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open({ ...at(TABLET), dark: true });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Also deleted: its address 192.168.2.26").waitFor();
    await assertAccessible(page);
    await picture(page, "delete-desk-dark");
    await page.getByRole("button", { name: "Delete device" }).click();
    await page.getByRole("heading", { name: "Devices", level: 1 }).waitFor();
    assert.equal(api.state.devices[TABLET], undefined);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Kids’ tablet" }).waitFor();
  });
});

Deno.test("the page of a deleted device says so", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open(at("00:00:5e:00:53:ff"));
    await page.getByRole("heading", { name: "Device not found" }).waitFor();
    await assertAccessible(page);
  });
});

Deno.test("icon and expiry change at once, and a past time is refused at its field", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open(at(TABLET));
    await page.getByRole("button", { name: "Change icon" }).click();
    await page.getByRole("radio", { name: "Game console" }).check();
    await page.getByRole("radio", { name: "Orange" }).check();
    await assertAccessible(page);
    await picture(page, "look-desk-light");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("has a new icon.").waitFor();
    assert.deepEqual(api.state.devices[TABLET]?.Style, { Icon: "game", Color: "orange" });
    await page.getByRole("tab", { name: "Details" }).click();
    await page.getByRole("button", { name: "Change when it expires" }).click();
    await page.getByLabel("Expires").selectOption("date");
    await page.getByLabel("Date and time").fill("2020-01-01T10:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Select a time in the future").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Expires").selectOption("week");
    await page.getByLabel("On expiry").selectOption("delete");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("expires, and is then deleted.").waitFor();
    assert.equal(api.state.devices[TABLET]?.DeviceExpiration, 7 * 24 * 3600);
    assert.equal(api.state.devices[TABLET]?.DeleteExpiration, true);
  });
});
