import assert from "node:assert/strict";
import { assertAccessible, LOOKS, PHONE, picture } from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { query } from "../../kit/dns/query.ts";
import { ask, DEVICES, LIST, looks, withResolver } from "../../kit/dns/stage.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { runResolver } from "../../kit/dns/running_resolver.ts";

Deno.test("every DNS page is readable on desktop and phone, in both themes", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    await router.json("PUT", "/plugins/dns/block/blocklists", {
      body: { URI: LIST, Category: "Ads" },
    });
    await router.ask("PUT", "/plugins/dns/block/override/Default", {
      body: { Type: "permit", Domain: "good.example.", Expiration: 3600 },
    });
    await router.json("PUT", "/dns/hostnames/files.lan", { body: { IPAddress: "192.168.2.10" } });
    const seen: [path: string, name: string, text: string][] = [
      ["/admin/dns", "log", "ads.example.com"],
      ["/admin/dns/lists", "lists", "The server responded with status 404"],
      ["/admin/dns/overrides", "overrides", "good.example"],
      ["/admin/dns/names", "names", "files.lan"],
      ["/admin/dns/settings", "settings", "The resolver does not run"],
      [`/admin/devices/${mac(1)}?tab=dns`, "device", "View query log"],
    ];
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: "/admin/dns", size, dark, signIn: true });
      for (const [path, name, text] of seen) {
        await page.goto(new URL(path, page.url()).href);
        await page.getByText(text).first().waitFor();
        const look = `${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
        await looks(page, `dns-${name}-${look}`);
        assert.notEqual(await page.title(), "gone");
      }
      await page.close();
    }
  });
});

Deno.test("the query log is live and filtered, and a query is explained and blocked", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns" });
    await page.getByRole("button", { name: "<b>x</b>.example", exact: true }).waitFor();
    await page.getByRole("button", { name: /^Blocked/ }).click();
    await page.getByRole("button", { name: "www.example.com", exact: true }).waitFor({
      state: "detached",
    });
    await page.getByRole("button", { name: "ads.example.com", exact: true }).waitFor();
    assert.match(page.url(), /show=blocked/);
    await page.getByRole("button", { name: /^All(?!ow)/ }).click();
    await page.getByRole("button", { name: "<b>x</b>.example", exact: true }).click();
    await page.getByText("No rule can be made for this name").waitFor();
    assert.equal(await page.getByRole("button", { name: "Block", exact: true }).count(), 0);
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByLabel("Device").selectOption("192.168.2.6");
    await page.getByRole("button", { name: "<b>x</b>.example", exact: true }).waitFor({
      state: "detached",
    });
    // What comes meanwhile waits until it is asked for, or goes on top.
    const telling = setInterval(() => {
      log.store.record(query({ identity: mac(1), name: "late.example." }));
    }, 300);
    try {
      await page.getByRole("button", { name: /new quer/ }).click();
      await page.getByRole("button", { name: "late.example", exact: true }).first().waitFor();
      await page.getByRole("switch", { name: "Live" }).click();
      const before = await page.getByRole("button", { name: "late.example", exact: true }).count();
      await page.waitForFunction(
        (count) => document.querySelectorAll("[data-row]").length > count + 2,
        before,
      );
    } finally {
      clearInterval(telling);
    }
    await page.getByLabel("Filter by domain").fill("www");
    await page.getByRole("button", { name: "www.example.com", exact: true }).click();
    await page.getByText("Answered by 9.9.9.9.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Allow", exact: true }).count(), 0);
    await page.getByText("192.0.2.1").first().waitFor();
    await assertAccessible(page);
    await picture(page, "dns-entry");
    await page.getByLabel("Applies to").selectOption("*");
    await page.getByLabel("Duration").selectOption("3600");
    await page.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByText(
      "is blocked for all devices, including subdomains. The rule ends after 1 hour.",
    ).waitFor();
    const { OverrideLists } = await router.json<
      { OverrideLists: { BlockDomains: { Domain: string; Expiration: number }[] }[] }
    >("GET", "/plugins/dns/block/config");
    const [one] = OverrideLists[0]!.BlockDomains;
    assert.equal(one!.Domain, "www.example.com.");
    assert.ok(one!.Expiration > Date.now() / 1000 + 3500);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("is reverted").or(page.getByText("reverted")).first().waitFor();
  });
});

Deno.test("a block list is validated at its field, added, disabled and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const lists = () => router.json<{ URI: string; Enabled: boolean }[]>("GET", LISTS);
    const page = await open({ path: "/admin/dns/lists", size: PHONE });
    await page.getByText("No block lists").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Add list" }).first().click();
    await page.getByLabel("URL").fill("ftp://lists.example.org/ads");
    await page.getByRole("button", { name: "Preview list" }).click();
    await page.locator(".field.bad").waitFor();
    await looks(page, "dns-list-refused");
    await page.getByLabel("URL").fill(LIST);
    await page.getByLabel("Category").fill("Advertising");
    await page.getByLabel("Device tags").fill("kids, guest");
    await page.getByRole("button", { name: "Preview list" }).click();
    await page.locator(".field.bad").getByText("The server responded with status 404").waitFor();
    await looks(page, "dns-list-missing");
    await page.getByLabel("Add it anyway").check();
    await page.getByRole("button", { name: "Preview list" }).click();
    await page.getByText("for devices with kids or guest").waitFor();
    await page.getByRole("button", { name: "Save list" }).click();
    await page.getByText("The server responded with status 404").waitFor();
    await page.getByRole("switch", { name: "ads.txt of lists.example.org is used" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Disabled", { exact: true }).waitFor();
    assert.deepEqual((await lists()).map(({ Enabled }) => Enabled), [false]);
    await page.getByRole("button", { name: "More for ads.txt of lists.example.org" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete list" }).click();
    await page.getByText("No block lists").waitFor();
    assert.deepEqual(await lists(), []);
  });
});

const LISTS = "/plugins/dns/block/blocklists";

Deno.test("the query log works by keyboard, and says when the resolver is unavailable", async () => {
  await withResolver(async ({ open, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns" });
    await page.getByRole("button", { name: "ads.example.com", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("example.com");
    await page.getByRole("button", { name: "router.lan", exact: true }).waitFor({
      state: "detached",
    });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "www.example.com" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "www.example.com" }).waitFor({ state: "detached" });
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.equal(focused, "www.example.com");
  });
  await onRouter({ files: DEVICES }, async ({ open }) => {
    const page = await open({ path: "/admin/dns" });
    await page.getByText("The resolver does not run at the moment").first().waitFor();
    await assertAccessible(page);
    await page.goto(new URL("/admin/dns/lists", page.url()).href);
    await page.getByText("List status unavailable").waitFor();
    await page.getByText("No block lists").waitFor();
    await assertAccessible(page);
  });
});

Deno.test("with logging off the pages say so, and still show live queries", async () => {
  await withResolver(async ({ open, router, log }) => {
    await router.json("PUT", "/plugins/dns/log/settings", { body: { StoreLocalMemory: false } });
    await log.store.configure(router.engine.config.dnsLog);
    const page = await open({ path: "/admin/dns" });
    await page.getByRole("heading", { name: "Query logging is off" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("switch", { name: "Live" }).click();
    const telling = setInterval(() => {
      log.store.record(query({ identity: mac(1), name: "live.example." }));
    }, 300);
    try {
      await page.getByRole("button", { name: "live.example", exact: true }).first().waitFor();
    } finally {
      clearInterval(telling);
    }
    await page.goto(new URL(`/admin/devices/${mac(1)}?tab=dns`, page.url()).href);
    await page.getByText("Query logging is off").waitFor();
    assert.equal(await page.getByRole("switch", { name: "Log DNS queries" }).count(), 0);
    await assertAccessible(page);
    await page.close();
  });
});

Deno.test("the query log loads by itself once the resolver is back", async () => {
  await onRouter({ files: DEVICES }, async ({ open, router }) => {
    const page = await open({ path: "/admin/dns" });
    await page.getByText("The resolver does not run at the moment").first().waitFor();
    await using resolver = await runResolver(router, { fetch: () => Promise.reject(new Error()) });
    ask(resolver.log);
    await page.getByRole("button", { name: "www.example.com", exact: true }).waitFor();
    assert.equal(await page.getByText("The query log could not be loaded").count(), 0);
    await page.close();
  });
});
