import assert from "node:assert/strict";
import { assertAccessible } from "../../../kit/browser/browser.ts";
import { looks, withResolver } from "../../../kit/dns/stage.ts";

interface Named {
  readonly Name: string;
  readonly Enabled: boolean;
  readonly Tags: readonly string[];
  readonly BlockDomains: readonly { readonly Domain: string }[];
}

Deno.test("a list of overrides is added, filled, renamed, given other devices, switched off and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const lists = async () => {
      const { OverrideLists } = await router.json<{ OverrideLists: readonly Named[] }>(
        "GET",
        "/plugins/dns/block/config",
      );
      return OverrideLists;
    };
    const page = await open({ path: "/admin/dns/overrides" });
    await page.getByText("You decided about no name").waitFor();
    assert.equal(await page.getByLabel("In which list").count(), 0);
    await page.getByRole("button", { name: "Add a list of overrides" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await drawer.getByText("This field is required").waitFor();
    await drawer.getByLabel("Name").fill("a/b");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await drawer.getByText("Leave out the characters /").waitFor();
    await drawer.getByLabel("Name").fill("Homework & <b>sleep");
    await drawer.getByLabel("Only for devices with a tag").fill("kids");
    await looks(page, "dns-override-list");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await page.getByText("for devices with the tag kids").waitFor();
    await page.getByRole("button", { name: "Add this list" }).click();
    const panel = page.getByRole("region", { name: "Homework & <b>sleep" });
    await panel.getByText("Nothing is decided in this list yet").waitFor();

    await page.getByLabel("Name", { exact: true }).fill("video.example");
    await page.getByLabel("In which list").selectOption("Homework & <b>sleep");
    await page.getByRole("button", { name: "Decide it so" }).click();
    await panel.getByText("video.example").first().waitFor();
    await assertAccessible(page);
    assert.deepEqual((await lists()).map(({ Name, BlockDomains }) => [Name, BlockDomains.length]), [
      ["Homework & <b>sleep", 1],
    ]);

    const more = (name: string) => page.getByRole("button", { name: `More for ${name}` });
    await more("Homework & <b>sleep").click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await drawer.getByLabel("Name").fill("Evenings");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await page.getByRole("button", { name: "Call it so" }).click();
    await page.getByRole("region", { name: "Evenings" }).getByText("video.example").first()
      .waitFor();

    await page.getByRole("button", { name: "Add a list of overrides" }).click();
    await drawer.getByLabel("Name").fill("Evenings");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await drawer.getByText("There is a list of this name already").waitFor();
    await drawer.getByRole("button", { name: "Cancel" }).click();

    await more("Evenings").click();
    await page.getByRole("menuitem", { name: "For whom" }).click();
    await drawer.getByLabel("Only for devices with a tag").fill("kids, guest");
    await drawer.getByRole("button", { name: "Preview this list" }).click();
    await page.getByRole("button", { name: "Decide for these" }).click();
    await page.getByRole("region", { name: "Evenings" }).getByText("guest").waitFor();
    await page.getByRole("switch", { name: "Evenings is on" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("switched off").first().waitFor();
    const [one, ...others] = await lists();
    assert.deepEqual([one!.Name, one!.Enabled, one!.Tags, others.length], [
      "Evenings",
      false,
      ["kids", "guest"],
      0,
    ]);

    await more("Evenings").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("1 decision goes with it").waitFor();
    await page.getByRole("button", { name: "Delete this list" }).click();
    await page.getByText("You decided about no name").waitFor();
    assert.deepEqual(await lists(), []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("region", { name: "Evenings" }).waitFor();
    assert.equal((await lists())[0]!.BlockDomains.length, 1);
  });
});

Deno.test("whether the provider's resolvers are asked is chosen with what it means", async () => {
  await withResolver(async ({ open, router }) => {
    const mode = async () =>
      (await router.json<{ ProviderResolvers: string }>("GET", "/dnsSettings")).ProviderResolvers;
    const page = await open({ path: "/admin/dns/settings" });
    const choice = page.getByLabel("Asked", { exact: true });
    await choice.waitFor();
    assert.equal(await choice.inputValue(), "never");
    await choice.selectOption("fallback");
    await page.getByRole("button", { name: "Preview this choice" }).click();
    await page.getByText("Your provider, and who is on the way to it, then reads").waitFor();
    await looks(page, "dns-provider");
    await page.getByRole("button", { name: "Ask them so" }).click();
    await page.getByRole("button", { name: "Preview this choice" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "fallback");
    // To change whom to ask changes nothing of that.
    await page.getByRole("button", { name: "Another resolver: Resolvers outside" }).click();
    await page.getByRole("menuitem", { name: "Quad9" }).click();
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: "Ask these resolvers" }).click();
    await page.getByRole("button", { name: "Preview change" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "fallback");
    await choice.selectOption("never");
    await page.getByRole("button", { name: "Preview this choice" }).click();
    await page.getByRole("button", { name: "Ask them nothing" }).click();
    await page.getByRole("button", { name: "Preview this choice" }).waitFor({ state: "detached" });
    assert.equal(await mode(), "never");
  });
});
