import assert from "node:assert/strict";
import { assertAccessible, DESK, PHONE, picture } from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press, typeInto } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("why a device cannot reach another is found and corrected with 8 clicks at most", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const { devices } = router.engine.config;
    const groupsOf = (identity: string) => router.engine.config.devices[identity]!.Groups;
    const [from, to] = Object.entries(devices).filter(([, a]) => a.RecentIP !== "")
      .flatMap(([a, { Groups }]) =>
        Object.entries(devices)
          .filter(([b, other]) => b !== a && other.RecentIP !== "")
          .filter(([, other]) => !other.Groups.some((group) => Groups.includes(group)))
          .map(([b]) => [a, b] as const)
      ).find(([a, b]) =>
        ![a, b].some((one) => devices[one]!.DeviceDisabled || one === demoId(12)) &&
        !devices[a]!.Policies.includes("lan")
      )!;
    const [one, other] = [devices[from]!.Name, devices[to]!.Name];
    const page = await open({ path: "/admin/reach", size: { ...DESK, width: 1440 } });
    const blocked = page.getByRole("heading", { name: /^Blocked\./ });
    const allowed = page.getByRole("heading", { name: /^Allowed\./ });
    const create = page.getByRole("button", { name: /^Preview: Create group / });
    const test = page.getByRole("button", { name: "Test", exact: true });

    const clicks = new Clicks();
    await clicks.on(page.getByLabel("From"));
    await page.keyboard.type(one);
    await clicks.on(page.getByLabel("To", { exact: true }));
    await page.keyboard.type(other);
    await clicks.on(page.getByLabel("Port"));
    await page.keyboard.press("Control+A");
    await page.keyboard.type("445");
    await clicks.on(test);
    await blocked.waitFor();
    await clicks.on(create);
    await clicks.on(page.getByRole("button", { name: "Apply change" }));
    await allowed.waitFor();
    clicks.atMost(8);
    await picture(page, "mended-desk-light");
    await assertAccessible(page);
    assert.ok(groupsOf(from).some((group) => groupsOf(to).includes(group)));
    await page.getByRole("button", { name: "Undo" }).click();
    await blocked.waitFor();

    // By keyboard, on a phone's width.
    const phone = await open({ path: "/admin/reach", size: PHONE, dark: true });
    await typeInto(phone, phone.getByLabel("From"), one);
    await typeInto(phone, phone.getByLabel("To", { exact: true }), other);
    await typeInto(phone, phone.getByLabel("Port"), "445");
    await phone.keyboard.press("Enter");
    await phone.getByRole("heading", { name: /^Blocked\./ }).waitFor();
    await press(phone, phone.getByRole("button", { name: /^Preview: Create group / }));
    await phone.getByRole("button", { name: "Apply change", disabled: false }).waitFor();
    await phone.keyboard.press("Control+Enter");
    await phone.getByRole("heading", { name: /^Allowed\./ }).waitFor();
    await picture(phone, "mended-phone-dark");
  });
});
