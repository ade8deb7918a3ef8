import assert from "node:assert/strict";
import { assertAccessible, PHONE, picture } from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press } from "../../kit/browser/keyboard.ts";
import { ask, withResolver } from "../../kit/dns/stage.ts";

Deno.test("a name is blocked until tonight within 5 clicks, from the query log", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const rules = () => router.engine.config.dnsBlock.OverrideLists[0]?.BlockDomains ?? [];
    const page = await open({ path: "/admin/dns" });

    // By mouse. A choice counts as two presses: to open it, and to choose.
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "www.example.com", exact: true }));
    const duration = page.getByLabel("Duration");
    await clicks.on(duration);
    const tonight = await duration.locator("option", { hasText: /^Until .* 20:00$/ })
      .getAttribute("value");
    await duration.selectOption(tonight);
    clicks.also();
    await clicks.on(page.getByRole("button", { name: "Block", exact: true }));
    await page.getByText(/is blocked for Tablet, including subdomains\. The rule ends \w+ 20:00/)
      .waitFor();
    clicks.atMost(5);
    const end = new Date(rules()[0]!.Expiration * 1000);
    assert.deepEqual([end.getHours(), end.getMinutes()], [20, 0]);
    assert.ok(end.getTime() > Date.now() && end.getTime() < Date.now() + 86_400_000);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("reverted").first().waitFor();

    // By keyboard.
    await press(page, page.getByRole("button", { name: "www.example.com", exact: true }));
    await duration.focus();
    await duration.press("U");
    await press(page, page.getByRole("button", { name: "Block", exact: true }));
    await page.getByText(/is blocked for Tablet, including subdomains\. The rule ends \w+ \d\d:00/)
      .waitFor();
    assert.equal(rules().length, 1);
  });
});

Deno.test("a row of the query log allows or blocks its name at once", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns" });
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("ads.example.com").getByRole("button", { name: /^Allow/ }).waitFor();
    assert.equal(await row("ads.example.com").getByRole("button", { name: /^Block/ }).count(), 0);
    assert.equal(
      await row("router.lan").getByRole("button", { name: /^(Allow|Block)/ }).count(),
      0,
    );
    await row("ads.example.com").getByRole("button", { name: /^Allow/ }).click();
    await page.getByText("is allowed for Tablet, including subdomains.").waitFor();
    const [list] = router.engine.config.dnsBlock.OverrideLists;
    assert.deepEqual(list!.PermitDomains.map(({ Domain, ClientIP }) => [Domain, ClientIP]), [
      ["ads.example.com.", "192.168.2.6"],
    ]);
    await page.getByRole("region", { name: "Queries over time" }).getByText("Blocked").waitFor();
    await page.getByRole("button", { name: "Domain" }).click();
    const names = await page.locator("tbody [data-row]").allTextContents();
    assert.deepEqual(names, names.toSorted((a, b) => a.localeCompare(b)));
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const copy = await Deno.makeTempFile();
    await (await saved).saveAs(copy);
    const file = await Deno.readTextFile(copy);
    await Deno.remove(copy);
    assert.match(file, /^time,device,address,domain,type,result,reason,answer,upstream,ms\r\n/);
    assert.equal(file.trim().split("\r\n").length, 5);
    assert.match(file, /,Tablet,192\.168\.2\.6,ads\.example\.com,A,Blocked,/);
  });
});

Deno.test("a well-known list is added within 4 clicks", async () => {
  await withResolver(async ({ open, router }) => {
    const lists = () => router.engine.config.dnsBlock.BlockLists.map(({ URI }) => URI);
    const page = await open({ path: "/admin/dns/lists" });
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Add list" }).first());
    await page.getByLabel("Well-known lists").selectOption({ label: label("OISD small") });
    clicks.also();
    await assertAccessible(page);
    await picture(page, "dns-list-catalogue");
    await clicks.on(page.getByRole("button", { name: "Preview list" }));
    await clicks.on(page.getByRole("button", { name: "Save list" }));
    await page.getByText("was saved and is loading.").waitFor();
    clicks.atMost(4);
    assert.deepEqual(lists(), ["https://small.oisd.nl/"]);

    // By keyboard; what is there already is not offered again.
    await press(page, page.getByRole("button", { name: "Add list" }).first());
    const known = page.getByLabel("Well-known lists");
    await known.focus();
    assert.equal(await known.locator("option", { hasText: "OISD small" }).count(), 0);
    await known.press("ArrowDown");
    await page.getByRole("button", { name: "Preview list" }).press("Enter");
    await page.getByRole("button", { name: "Save list", disabled: false }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("was saved and is loading.").waitFor();
    assert.equal(lists().length, 2);
  });
});

/** The whole text of a choice that begins so. */
function label(name: string): string {
  return `${name}: advertising, rarely breaks pages`;
}

Deno.test("a rule is made for a group on a schedule, and edited", async () => {
  await withResolver(async ({ open, router }) => {
    await router.ask("PUT", "/groups", { body: { Name: "kids", Disabled: false } });
    const rules = () => {
      const [list] = router.engine.config.dnsBlock.OverrideLists;
      return [...list?.PermitDomains ?? [], ...list?.BlockDomains ?? []];
    };
    for (const size of [undefined, PHONE]) {
      const page = await open({ path: "/admin/dns/overrides", ...(size && { size, dark: true }) });
      await page.getByLabel("Domain").fill("video.example");
      await page.getByLabel("Applies to").selectOption("Group kids");
      await page.getByLabel("Duration").selectOption("On a schedule…");
      await page.getByLabel("Monday").uncheck();
      await page.getByLabel("From").fill("19:30");
      await assertAccessible(page);
      await picture(page, `dns-rule-schedule-${size ? "phone" : "desk"}`);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("For the group kids, on Tue, Wed, Thu, Sun from 19:30 to 07:00")
        .waitFor();
      const [rule] = rules();
      assert.deepEqual(rule!.Groups, ["kids"]);
      const Days = ["tue", "wed", "thu", "sun"];
      assert.deepEqual(rule!.Schedule, { Days, From: "19:30", To: "07:00" });

      await page.getByRole("button", { name: /^Edit/ }).click();
      const dialog = page.getByRole("dialog", { name: "Edit rule" });
      await dialog.getByLabel("Domain").fill("films.example");
      await dialog.getByLabel("Applies to").selectOption("Tablet");
      await dialog.getByLabel("Duration").selectOption("Until a time…");
      await dialog.getByLabel("Until", { exact: true }).fill("2099-01-01T08:00");
      await assertAccessible(page);
      await picture(page, `dns-rule-edit-${size ? "phone" : "desk"}`);
      await dialog.getByRole("button", { name: "Save rule" }).click();
      await page.getByText("For Tablet, until 1 Jan 2099, 08:00").waitFor();
      assert.deepEqual(
        rules().map(({ Domain, ClientIP, Groups, Schedule }) => [
          ...[Domain, ClientIP, Groups, Schedule],
        ]),
        [["films.example.", "192.168.2.6", undefined, undefined]],
      );
      await page.getByRole("button", { name: /^Delete.*films/ }).click();
      await page.getByRole("button", { name: "Delete rule" }).click();
      await page.getByText("No custom rules").waitFor();
      await page.close();
    }
  });
});
