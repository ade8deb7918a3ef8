import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const MULTICAST = "/admin/multicast";

interface Settings {
  readonly Disabled: boolean;
  readonly Addresses: readonly {
    readonly Address: string;
    readonly Disabled: boolean;
    readonly Tags: readonly string[];
  }[];
  readonly MDNSName: string;
}

Deno.test("Discovery shows the reflected groups and discovered senders, on desktop and phone", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: MULTICAST, size, dark, signIn: true });
      await page.getByRole("switch", { name: "Reflect mDNS" }).waitFor();
      await page.getByText("Nothing yet").waitFor();
      await page.route("**/multicast/discovered", (route) =>
        route.fulfill({
          json: {
            items: [{
              address: "224.0.0.251:5353",
              source: "192.168.2.6",
              link: "lan0",
              identity: "02:00:5e:00:53:01",
              services: ["_ipp._tcp.local", "<b>Printer</b>"],
              lastSeen: Date.now() - 360_000,
            }],
          },
        }));
      await page.evaluate(() => dispatchEvent(new Event("focus")));
      await page.getByText("<b>Printer</b>").waitFor();
      await page.getByText("6 min").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `multicast-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
  });
});

Deno.test("a multicast group is validated at its field, added, disabled, undone and deleted", async () => {
  await onRouter({}, async ({ open, router }) => {
    const settings = () => router.json<Settings>("GET", "/multicastSettings");
    const before = (await settings()).Addresses.length;
    const page = await open({ path: MULTICAST });
    await page.getByRole("button", { name: "Add multicast group" }).click();
    await page.getByLabel("Address and port").fill("192.168.2.1:5353");
    await page.getByRole("button", { name: "Preview group" }).click();
    await page.getByText("Write an IPv4 multicast address and a port").waitFor();
    await assertAccessible(page);
    await picture(page, "multicast-refused");
    await page.getByLabel("Address and port").fill("239.1.2.3:4000");
    await page.getByLabel("Description").fill("Speakers");
    await page.getByLabel("Tags").fill("music");
    await page.getByRole("button", { name: "Preview group" }).click();
    await page.getByText("reflected between interfaces with a device tagged music").waitFor();
    await assertAccessible(page);
    await picture(page, "multicast-preview");
    await page.getByRole("button", { name: "Add group" }).click();
    await page.getByRole("switch", { name: "Reflect Speakers" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.locator('[aria-label="Reflect Speakers"][aria-checked="false"]').waitFor();
    assert.equal((await settings()).Addresses.at(-1)?.Disabled, true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator('[aria-label="Reflect Speakers"][aria-checked="true"]').waitFor();
    await page.getByRole("button", { name: "Delete Speakers" }).click();
    await page.getByRole("button", { name: "Delete group" }).click();
    await page.getByRole("switch", { name: "Reflect Speakers" })
      .waitFor({ state: "detached" });
    assert.equal((await settings()).Addresses.length, before);
  });
});

Deno.test("the reflector is turned off by preview, and the mDNS name is set", async () => {
  await onRouter({}, async ({ open, router }) => {
    const settings = () => router.json<Settings>("GET", "/multicastSettings");
    const page = await open({ path: MULTICAST, size: PHONE });
    await page.getByRole("switch", { name: "mDNS/SSDP reflector" }).click();
    await page.getByText("not discovered across interfaces").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("inactive while the reflector is off").first().waitFor();
    assert.equal((await settings()).Disabled, true);
    await page.getByLabel("Name", { exact: true }).fill("my router");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.locator(".field.bad").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("gate.local");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByText("responds to gate.local").waitFor();
    assert.equal((await settings()).MDNSName, "gate");
    const name = page.getByLabel("Name", { exact: true });
    await eventually("the name is shown as it is stored", async () => {
      assert.equal(await name.inputValue(), "gate");
    });
    // What somebody else calls it meanwhile does not take away what is being typed.
    await name.fill("entrance");
    const answer = await router.ask("PUT", "/multicastSettings", {
      body: { ...(await settings()), MDNSName: "door", Disabled: false },
    });
    assert.equal(answer.status, 200, await answer.text());
    await page.getByText("inactive while the reflector is off").first()
      .waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "entrance");
  });
});

Deno.test("editing a group keeps what someone else changed meanwhile", async () => {
  await onRouter({}, async ({ open, router }) => {
    const settings = () => router.json<Settings>("GET", "/multicastSettings");
    const elsewhere = async (next: (now: Settings) => unknown) => {
      const answer = await router.ask("PUT", "/multicastSettings", {
        body: next(await settings()),
      });
      assert.equal(answer.status, 200, await answer.text());
    };
    const page = await open({ path: MULTICAST });
    await page.getByRole("button", { name: /Edit\s*mDNS/ }).click();
    await page.getByLabel("Description").fill("Printers");
    await page.getByLabel("Tags").fill(`home, ${"x".repeat(65)}`);
    await page.getByRole("button", { name: "Preview group" }).click();
    await page.locator(".field.bad").waitFor();
    await page.getByLabel("Tags").fill("home");
    // Between the form and its preview.
    await elsewhere((now) => ({ ...now, MDNSName: "gate" }));
    await page.getByRole("button", { name: "Preview group" }).click();
    await page.getByText("with a device tagged home").waitFor();
    await assertAccessible(page);
    // Between the preview and its button: noticed, shown anew, and then applied.
    await elsewhere((now) => ({ ...now, Disabled: true }));
    await page.getByRole("button", { name: "Save group" }).click();
    await page.getByText("Changed by someone else").waitFor();
    await page.getByRole("button", { name: "Save group" }).click();
    await page.getByText("was changed.").waitFor();
    const now = await settings();
    assert.deepEqual([now.Disabled, now.MDNSName], [true, "gate"]);
    assert.deepEqual(now.Addresses[0]?.Tags, ["home"]);
    // One that is gone is not brought back by its form.
    await page.getByRole("button", { name: /Edit\s*Printers/ }).click();
    await page.getByLabel("Tags").fill("");
    await elsewhere((before) => ({ ...before, Addresses: before.Addresses.slice(1) }));
    await page.getByRole("switch", { name: "Reflect Printers", includeHidden: true })
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Preview group" }).click();
    await page.getByText("Someone else deleted this group").waitFor();
  });
});
