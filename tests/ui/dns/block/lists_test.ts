import assert from "node:assert/strict";
import { assertAccessible } from "../../../kit/browser/browser.ts";
import { looks, withResolver } from "../../../kit/dns/stage.ts";

interface Named {
  readonly Name: string;
  readonly Enabled: boolean;
  readonly Tags: readonly string[];
  readonly BlockDomains: readonly { readonly Domain: string }[];
}

Deno.test("an override list is added, filled, renamed, tagged, disabled and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const lists = async () => {
      const { OverrideLists } = await router.json<{ OverrideLists: readonly Named[] }>(
        "GET",
        "/plugins/dns/block/config",
      );
      return OverrideLists;
    };
    const page = await open({ path: "/admin/dns/overrides" });
    await page.getByText("No custom rules").waitFor();
    assert.equal(await page.getByLabel("Rule list").count(), 0);
    await page.getByRole("button", { name: "Add rule list" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await drawer.getByText("This field is required").waitFor();
    await drawer.getByLabel("Name").fill("a/b");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await drawer.getByText("Do not use /").waitFor();
    await drawer.getByLabel("Name").fill("Homework & <b>sleep");
    await drawer.getByLabel("Device tags").fill("kids");
    await looks(page, "dns-override-list");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await page.getByText("to devices with the tag kids").waitFor();
    await page.getByRole("button", { name: "Add list" }).click();
    const panel = page.getByRole("region", { name: "Homework & <b>sleep" });
    await panel.getByText("No rules yet").waitFor();

    await page.getByLabel("Domain", { exact: true }).fill("video.example");
    await page.getByLabel("Rule list").selectOption("Homework & <b>sleep");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await panel.getByText("video.example").first().waitFor();
    await assertAccessible(page);
    assert.deepEqual((await lists()).map(({ Name, BlockDomains }) => [Name, BlockDomains.length]), [
      ["Homework & <b>sleep", 1],
    ]);

    const more = (name: string) => page.getByRole("button", { name: `More for ${name}` });
    await more("Homework & <b>sleep").click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await drawer.getByLabel("Name").fill("Evenings");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("region", { name: "Evenings" }).getByText("video.example").first()
      .waitFor();

    await page.getByRole("button", { name: "Add rule list" }).click();
    await drawer.getByLabel("Name").fill("Evenings");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await drawer.getByText("A list with this name already exists").waitFor();
    await drawer.getByRole("button", { name: "Cancel" }).click();

    await more("Evenings").click();
    await page.getByRole("menuitem", { name: "Applies to" }).click();
    await drawer.getByLabel("Device tags").fill("kids, guest");
    await drawer.getByRole("button", { name: "Preview list" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("region", { name: "Evenings" }).getByText("guest").waitFor();
    await page.getByRole("switch", { name: "Evenings is on" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("disabled").first().waitFor();
    const [one, ...others] = await lists();
    assert.deepEqual([one!.Name, one!.Enabled, one!.Tags, others.length], [
      "Evenings",
      false,
      ["kids", "guest"],
      0,
    ]);

    await more("Evenings").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("1 rule is deleted with it").waitFor();
    await page.getByRole("button", { name: "Delete list" }).click();
    await page.getByText("No custom rules").waitFor();
    assert.deepEqual(await lists(), []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("region", { name: "Evenings" }).waitFor();
    assert.equal((await lists())[0]!.BlockDomains.length, 1);
  });
});

Deno.test("the use of ISP DNS is selected with an explanation", async () => {
  await withResolver(async ({ open, router }) => {
    const mode = async () =>
      (await router.json<{ ProviderResolvers: string }>("GET", "/dnsSettings")).ProviderResolvers;
    const page = await open({ path: "/admin/dns/settings" });
    const choice = page.getByLabel("Use ISP DNS", { exact: true });
    await choice.waitFor();
    assert.equal(await choice.inputValue(), "never");
    await choice.selectOption("fallback");
    await page.getByRole("button", { name: "Preview choice" }).click();
    await page.getByText("Your ISP and anyone on the path to it can then read").waitFor();
    await looks(page, "dns-provider");
    await page.getByRole("button", { name: "Use ISP DNS" }).click();
    await page.getByRole("button", { name: "Preview choice" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "fallback");
    // To change whom to ask changes nothing of that.
    await page.getByRole("button", { name: "Add server: Upstream DNS servers" }).click();
    await page.getByRole("menuitem", { name: "Quad9" }).click();
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: "Save servers" }).click();
    await page.getByRole("button", { name: "Preview change" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "fallback");
    await choice.selectOption("never");
    await page.getByRole("button", { name: "Preview choice" }).click();
    await page.getByRole("button", { name: "Do not use" }).click();
    await page.getByRole("button", { name: "Preview choice" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "never");
  });
});
