import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { assertAccessible } from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { ask, LIST, looks, withResolver } from "../../kit/dns/stage.ts";
import { inFolder } from "../../kit/process.ts";

Deno.test("a custom rule is added for one device, shown with its expiry, and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const page = await open({ path: "/admin/dns/overrides" });
    await page.getByText("No custom rules").waitFor();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("This field is required").waitFor();
    await page.getByLabel("Domain", { exact: true }).fill("not a name");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Enter a domain name").waitFor();
    await page.getByLabel("Domain", { exact: true }).fill("nas.example.com");
    await page.getByLabel("Action").selectOption("answer");
    await page.getByLabel("Rewrite to").fill("192.168.2.10");
    await page.getByLabel("Applies to").selectOption("192.168.2.6");
    await page.getByLabel("Duration").selectOption("86400");
    await page.getByLabel("Device tags").fill("wan");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".field.bad").getByText("policy").waitFor();
    await page.getByLabel("Device tags").fill("kids, guest");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("For Tablet with the tag kids or guest, rewritten to 192.168.2.10, until")
      .waitFor();
    await looks(page, "dns-override");
    await page.getByRole("button", { name: /Delete.*nas/ }).click();
    await page.getByRole("button", { name: "Delete rule", exact: true }).click();
    await page.getByText("No custom rules").waitFor();
    const { OverrideLists } = await router.json<{ OverrideLists: { BlockDomains: unknown[] }[] }>(
      "GET",
      "/plugins/dns/block/config",
    );
    assert.deepEqual(OverrideLists[0]!.BlockDomains, []);
  });
});

Deno.test("local DNS records are added, refused for public addresses, and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const page = await open({ path: "/admin/dns/names" });
    await page.getByText("No records").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("files.lan");
    await page.getByLabel("Address").fill("9.9.9.9");
    await page.getByRole("button", { name: "Add record" }).click();
    await page.getByText("Write a private address").waitFor();
    await page.getByLabel("Address").fill("192.168.2.10");
    await page.getByRole("button", { name: "Add record" }).click();
    await page.getByText("the address of").waitFor();
    await assertAccessible(page);
    assert.notEqual(await page.title(), "gone");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete record" }).click();
    await page.getByText("No records").waitFor();
    assert.deepEqual(await router.json("GET", "/dns/hostnames"), { items: [] });
  });
});

Deno.test("upstream DNS servers are changed by preview, and retention is set", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns/settings" });
    const health = {
      started: 1,
      apiConnected: true,
      listening: ["192.168.2.1"],
      listenErrors: {},
      upstreams: [{
        name: "default",
        clockUntrusted: true,
        resolvers: [{
          address: "1.1.1.1",
          tlsHost: "cloudflare-dns.com",
          state: "down",
          latency: null,
          connections: 0,
          queries: 12,
          failed: 12,
          consecutiveFailures: 12,
          lastError: "<b>It refuses</b>",
        }],
      }],
      cache: { entries: 1234, bytes: 2_500_000 },
      pending: 0,
      connections: 0,
      counters: {},
      unlogged: 3,
    };
    await page.route("**/dns/status", (route) => route.fulfill({ json: health }));
    await page.getByText("<b>It refuses</b>").waitFor();
    await page.getByText("The router’s clock may be wrong.").waitFor();
    await page.getByText("Cached: 1,234, 2.5 MB").waitFor();
    await page.getByRole("button", { name: "Add server: Upstream DNS servers" }).click();
    await page.getByRole("menuitem", { name: "Custom" }).click();
    const mine = page.getByRole("group", { name: "Server 3" });
    await mine.getByLabel("Address").fill("224.0.0.1");
    await page.getByRole("button", { name: "Preview change" }).click();
    await mine.locator(".field.bad").first().waitFor();
    await mine.getByLabel("Address").fill("192.0.2.53");
    await mine.getByLabel("Unencrypted").check();
    await looks(page, "dns-settings-edited");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("can be read by anyone").waitFor();
    await page.getByRole("button", { name: "Save servers" }).click();
    await page.getByRole("button", { name: "Preview change" }).waitFor({ state: "detached" });
    const { UpstreamProviders } = await router.json<
      { UpstreamProviders: { IPAddress: string }[] }
    >("GET", "/dnsSettings");
    assert.equal(UpstreamProviders.at(-1)?.IPAddress, "192.0.2.53");
    await page.getByLabel("Server IP").fill("192.168.2.1");
    await page.getByRole("button", { name: "Preview server" }).click();
    await page.getByText("is this router").waitFor();
    await page.getByLabel("Server IP").fill("192.0.2.54");
    await page.getByRole("button", { name: "Preview server" }).click();
    await page.getByRole("button", { name: "Use this server" }).click();
    await page.getByText("active now").waitFor();
    await page.getByLabel("Days").fill("30");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("are kept for 30 days").waitFor();
    await page.getByRole("button", { name: "Clear log" }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("Query log cleared").waitFor();
    const { items } = await router.json<{ items: unknown[] }>("GET", "/plugins/dns/log/entries");
    assert.deepEqual(items, []);
  });
});

Deno.test("a device page shows its queries, and can turn off and clear its log", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: `/admin/devices/${mac(1)}?tab=dns` });
    await page.getByRole("button", { name: "ads.example.com", exact: true }).click();
    await page.getByText(`Blocked by ${LIST}`).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("switch", { name: "Log DNS queries" }).click();
    await page.getByRole("button", { name: "Stop logging" }).click();
    await page.locator('[aria-label="Log DNS queries"][aria-checked="false"]').waitFor();
    assert.deepEqual(await router.json("GET", "/plugins/dns/log/host_privacy_list"), [
      "192.168.2.6",
    ]);
    await page.getByRole("button", { name: "Clear history" }).click();
    await page.getByText("cannot be undone").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("No queries logged").waitFor();
  });
});

Deno.test("blocking excludes a device, redirects quarantine, and uploads a list", async () => {
  await withResolver(async ({ open, router }) => {
    const config = () =>
      router.json<{
        BlockLists: { URI: string }[];
        ClientIPExclusions: string[];
        QuarantineHostIP: string;
        RefreshSeconds: number;
        RebindingCheckDisable: boolean;
      }>("GET", "/plugins/dns/block/config");
    const page = await open({ path: "/admin/dns/lists" });
    await page.getByRole("switch", { name: "Block DNS rebinding" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.locator('[aria-label="Block DNS rebinding"][aria-checked="false"]')
      .waitFor();
    await page.getByLabel("Excluded devices").selectOption("192.168.2.10");
    await page.getByRole("button", { name: "Exclude" }).click();
    await page.getByText("excluded from blocking").waitFor();
    await page.getByLabel("Update interval").selectOption("86400");
    await page.getByText("are updated every day").waitFor();
    await page.getByLabel("Quarantine redirect").fill("somewhere");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".field.bad").waitFor();
    assert.equal(await page.getByText("Enter an IP address").count(), 1);
    await page.getByLabel("Quarantine redirect").fill("192.168.2.9");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("are redirected to 192.168.2.9").waitFor();
    await page.getByRole("button", { name: "Add list" }).first().click();
    await page.getByLabel("Source").selectOption("file");
    await page.getByRole("button", { name: "Preview list" }).click();
    await page.getByText("Choose a file").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Name", { exact: true }).fill("mine");
    await inFolder(async (folder) => {
      const path = `${folder}/large.txt`;
      const file = page.getByLabel("File", { exact: true });
      // By its path, as so many bytes take long to be handed to the browser.
      await Deno.writeFile(path, Buffer.alloc(33 << 20, "n.example\n"));
      await file.setInputFiles(path);
      await page.getByRole("button", { name: "Preview list" }).click();
      await page.getByText("at most 32 MB").waitFor();
      // As when somebody opens the choice once more and leaves it: the browser says that as of a dialog.
      await file.setInputFiles(path);
      await file.setInputFiles([]);
      // As when the file is gone by the time it is read; a browser elsewhere is given a copy of it.
      await page.evaluate(() => {
        const { text } = Blob.prototype;
        Blob.prototype.text = () => {
          Blob.prototype.text = text;
          return Promise.reject(new DOMException("It is gone", "NotReadableError"));
        };
      });
      await file.setInputFiles({
        name: "gone.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("n.example\n"),
      });
      await page.getByRole("button", { name: "Preview list" }).click();
      await page.getByText("The browser cannot read this file").waitFor();
    });
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "mine.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("0.0.0.0 ads.example.com\n"),
    });
    await page.getByRole("button", { name: "Preview list" }).click();
    await page.getByRole("button", { name: "Save list" }).click();
    await page.getByRole("switch", { name: "mine is used" }).waitFor();
    await page.getByText("1 domain, updated just now").waitFor();
    await looks(page, "dns-lists-own");
    const now = await config();
    assert.deepEqual(now.BlockLists.map(({ URI }) => URI), ["upload:mine"]);
    assert.deepEqual(
      [now.ClientIPExclusions, now.QuarantineHostIP, now.RefreshSeconds, now.RebindingCheckDisable],
      [["192.168.2.10"], "192.168.2.9", 86_400, true],
    );
  });
});
