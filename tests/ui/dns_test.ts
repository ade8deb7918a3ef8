import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright";
import { dnsBlockApp } from "../../routes/services/dns_block.ts";
import { sockets } from "../../system/core/processes.ts";
import { serveUnix } from "../../system/core/unix_socket.ts";
import { Blocking } from "../../system/dns/block/blocking.ts";
import { ListFault } from "../../system/dns/block/list_fault.ts";
import { followQueries } from "../../system/dns/log/follow.ts";
import { assertAccessible, assertNoSidewaysScroll, DESK, PHONE, picture } from "../kit/browser.ts";
import { mac } from "../kit/device_config.ts";
import { runDnsLog } from "../kit/dns_log.ts";
import { query } from "../kit/dns_query.ts";
import { onRouter, type RealStage } from "../kit/real_stage.ts";

const LIST = "https://lists.example.org/ads.txt";
const HOSTILE = '<img src=x onerror="document.title=`gone`">‮gnp';
const DEVICES = {
  "devices/devices.json": {
    [mac(1)]: { MAC: mac(1), Name: "Tablet", RecentIP: "192.168.2.6", Policies: ["wan", "dns"] },
    [mac(2)]: { MAC: mac(2), Name: HOSTILE, RecentIP: "192.168.2.10", Policies: ["dns"] },
  },
};

interface Resolver {
  readonly log: Awaited<ReturnType<typeof runDnsLog>>;
}

/** A router with a resolver beside it: its log and its block lists, on their sockets. */
async function withResolver(
  test: (stage: RealStage & Resolver) => Promise<void>,
): Promise<void> {
  await onRouter({ files: DEVICES }, async (stage) => {
    const { router } = stage;
    const paths = sockets(router.home);
    await using log = await runDnsLog(router.home);
    const blocking = await Blocking.open({
      folder: `${router.home}/state/dns/lists`,
      fetch: () => Promise.reject(new ListFault("It answers 404")),
      now: Date.now,
      log: { info() {}, warn() {} },
    });
    const follow = () => blocking.configure(router.engine.config.dnsBlock, []);
    follow();
    const unsubscribe = router.bus.subscribe(follow);
    const app = dnsBlockApp({ blocking, log: (error) => assert.fail(String(error)) });
    const server = await serveUnix(paths.dnsBlock, (request) => app.fetch(request));
    const ending = new AbortController();
    const following = followQueries({
      socket: paths.dnsLog,
      engine: router.engine,
      undecided: () => false,
      bus: router.bus,
      ending: ending.signal,
    });
    try {
      await test({ ...stage, log });
    } finally {
      ending.abort();
      await following;
      unsubscribe();
      await server.shutdown();
      await blocking.close();
    }
  });
}

function ask({ store }: Resolver["log"]): void {
  store.record(query({ identity: mac(1), name: "www.example.com." }));
  store.record(
    query({ identity: mac(1), name: "ads.example.com.", verdict: "block", by: LIST }),
  );
  store.record(query({ identity: mac(2), client: "192.168.2.10", name: "<b>x</b>.example." }));
  store.record(
    query({ identity: "", client: "192.168.2.77", name: "router.lan.", verdict: "local" }),
  );
}

async function looks(page: Page, name: string): Promise<void> {
  await assertAccessible(page);
  await assertNoSidewaysScroll(page);
  await picture(page, name);
}

Deno.test("every page of DNS is readable on a desk and a phone, in both themes", async () => {
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
      ["/admin/dns/lists", "lists", "It answers 404"],
      ["/admin/dns/overrides", "overrides", "good.example"],
      ["/admin/dns/names", "names", "files.lan"],
      ["/admin/dns/settings", "settings", "The resolver does not run"],
      [`/admin/devices/${mac(1)}`, "device", "All that it asked"],
    ];
    for (const [size, dark] of [[DESK, false], [PHONE, true]] as const) {
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

Deno.test("the log follows along, is narrowed, and a question is explained and blocked", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns" });
    await page.getByRole("button", { name: "<b>x</b>.example" }).waitFor();
    await page.getByRole("button", { name: /^Blocked/ }).click();
    await page.getByRole("button", { name: "www.example.com" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "ads.example.com" }).waitFor();
    assert.match(page.url(), /show=blocked/);
    await page.getByRole("button", { name: /^All/ }).click();
    await page.getByLabel("Device").selectOption("192.168.2.6");
    await page.getByRole("button", { name: "<b>x</b>.example" }).waitFor({ state: "detached" });
    // What comes meanwhile waits until it is asked for, or goes on top.
    const telling = setInterval(() => {
      log.store.record(query({ identity: mac(1), name: "late.example." }));
    }, 300);
    try {
      await page.getByRole("button", { name: /new question/ }).click();
      await page.getByRole("button", { name: "late.example" }).first().waitFor();
      await page.getByRole("switch", { name: "Follow along" }).click();
      const before = await page.getByRole("button", { name: "late.example" }).count();
      await page.waitForFunction(
        (count) => document.querySelectorAll("[data-row]").length > count + 2,
        before,
      );
    } finally {
      clearInterval(telling);
    }
    await page.getByLabel("Filter by name").fill("www");
    await page.getByRole("button", { name: "www.example.com" }).click();
    await page.getByText("9.9.9.9 answered it.").waitFor();
    await page.getByText("192.0.2.1").first().waitFor();
    await assertAccessible(page);
    await picture(page, "dns-entry");
    await page.getByLabel("For whom").selectOption("*");
    await page.getByLabel("For how long").selectOption("3600");
    await page.getByRole("button", { name: "Block it" }).click();
    await page.getByText("is blocked for everyone for 1 hour").waitFor();
    const { OverrideLists } = await router.json<
      { OverrideLists: { BlockDomains: { Domain: string; Expiration: number }[] }[] }
    >("GET", "/plugins/dns/block/config");
    const [one] = OverrideLists[0]!.BlockDomains;
    assert.equal(one!.Domain, "www.example.com.");
    assert.ok(one!.Expiration > Date.now() / 1000 + 3500);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("is undone").or(page.getByText("undone")).first().waitFor();
  });
});

Deno.test("a block list is refused at its field, added, switched off and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const lists = () => router.json<{ URI: string; Enabled: boolean }[]>("GET", LISTS);
    const page = await open({ path: "/admin/dns/lists", size: PHONE });
    await page.getByText("Nothing is blocked by a list").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Add a list" }).first().click();
    await page.getByLabel("Address").fill("ftp://lists.example.org/ads");
    await page.getByRole("button", { name: "Preview this list" }).click();
    await page.locator(".field.bad").waitFor();
    await looks(page, "dns-list-refused");
    await page.getByLabel("Address").fill(LIST);
    await page.getByLabel("What it is about").fill("Advertising");
    await page.getByLabel("Only for devices with a tag").fill("kids, guest");
    await page.getByRole("button", { name: "Preview this list" }).click();
    await page.getByText("for devices with kids or guest").waitFor();
    await page.getByRole("button", { name: "Use this list" }).click();
    await page.getByText("It answers 404").waitFor();
    await page.getByRole("switch", { name: "ads.txt of lists.example.org is used" }).click();
    await page.getByRole("button", { name: "Switch it off" }).click();
    await page.getByText("Switched off").waitFor();
    assert.deepEqual((await lists()).map(({ Enabled }) => Enabled), [false]);
    await page.getByRole("button", { name: "More for ads.txt of lists.example.org" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete this list" }).click();
    await page.getByText("Nothing is blocked by a list").waitFor();
    assert.deepEqual(await lists(), []);
  });
});

const LISTS = "/plugins/dns/block/blocklists";

Deno.test("an override is decided for one device, shown with its end, and taken back", async () => {
  await withResolver(async ({ open, router }) => {
    const page = await open({ path: "/admin/dns/overrides" });
    await page.getByText("You decided about no name").waitFor();
    await page.getByRole("button", { name: "Decide it so" }).click();
    await page.getByText("This is needed").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("not a name");
    await page.getByRole("button", { name: "Decide it so" }).click();
    await page.getByText("Write a domain name").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("nas.example.com");
    await page.getByLabel("What becomes of it").selectOption("answer");
    await page.getByLabel("Address or name to answer").fill("192.168.2.10");
    await page.getByLabel("For whom").selectOption("192.168.2.6");
    await page.getByLabel("For how long").selectOption("86400");
    await page.getByRole("button", { name: "Decide it so" }).click();
    await page.getByText("For Tablet, with 192.168.2.10, until").waitFor();
    await looks(page, "dns-override");
    await page.getByRole("button", { name: /Take it back.*nas/ }).click();
    await page.getByRole("button", { name: "Take it back", exact: true }).click();
    await page.getByText("You decided about no name").waitFor();
    const { OverrideLists } = await router.json<{ OverrideLists: { BlockDomains: unknown[] }[] }>(
      "GET",
      "/plugins/dns/block/config",
    );
    assert.deepEqual(OverrideLists[0]!.BlockDomains, []);
  });
});

Deno.test("host names are given, refused outside of home, and deleted", async () => {
  await withResolver(async ({ open, router }) => {
    const page = await open({ path: "/admin/dns/names" });
    await page.getByText("You gave no name").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("files.lan");
    await page.getByLabel("Address").fill("9.9.9.9");
    await page.getByRole("button", { name: "Give this name" }).click();
    await page.getByText("Write a private address").waitFor();
    await page.getByLabel("Address").fill("192.168.2.10");
    await page.getByRole("button", { name: "Give this name" }).click();
    await page.getByText("the address of").waitFor();
    await assertAccessible(page);
    assert.notEqual(await page.title(), "gone");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete this name" }).click();
    await page.getByText("You gave no name").waitFor();
    assert.deepEqual(await router.json("GET", "/dns/hostnames"), { items: [] });
  });
});

Deno.test("resolvers are changed by preview, and what is kept is chosen", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns/settings" });
    const health = {
      started: 1,
      apiHeard: true,
      listening: ["192.168.2.1"],
      faults: {},
      upstreams: [{
        name: "default",
        resolvers: [{
          address: "1.1.1.1",
          tlsHost: "cloudflare-dns.com",
          state: "down",
          latency: null,
          connections: 0,
          asked: 12,
          failed: 12,
          failures: 12,
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
    await page.getByText("1,234 answers, 2.5 MB").waitFor();
    await page.getByRole("button", { name: "Another resolver: Resolvers outside" }).click();
    await page.getByRole("menuitem", { name: "One of my own" }).click();
    const mine = page.getByRole("group", { name: "Resolver 3" });
    await mine.getByLabel("Address").fill("224.0.0.1");
    await page.getByRole("button", { name: "Preview this change" }).click();
    await mine.locator(".field.bad").first().waitFor();
    await mine.getByLabel("Address").fill("192.0.2.53");
    await mine.getByLabel("In the open").check();
    await looks(page, "dns-settings-edited");
    await page.getByRole("button", { name: "Preview this change" }).click();
    await page.getByText("reads every name").waitFor();
    await page.getByRole("button", { name: "Ask these resolvers" }).click();
    await page.getByRole("button", { name: "Preview this change" }).waitFor({ state: "detached" });
    const { UpstreamProviders } = await router.json<
      { UpstreamProviders: { IPAddress: string }[] }
    >("GET", "/dnsSettings");
    assert.equal(UpstreamProviders.at(-1)?.IPAddress, "192.0.2.53");
    await page.getByLabel("Address of that resolver").fill("192.168.2.1");
    await page.getByRole("button", { name: "Preview this resolver" }).click();
    await page.getByText("is this router itself").waitFor();
    await page.getByLabel("Address of that resolver").fill("192.0.2.54");
    await page.getByRole("button", { name: "Preview this resolver" }).click();
    await page.getByRole("button", { name: "Ask this one" }).click();
    await page.getByText("is asked now").waitFor();
    await page.getByLabel("Days").fill("30");
    await page.getByRole("button", { name: "Keep it so" }).click();
    await page.getByText("are kept for 30 days").waitFor();
    await page.getByRole("button", { name: "Delete all that is kept" }).click();
    await page.getByRole("button", { name: "Delete it for good" }).click();
    await page.getByText("All questions that were kept are deleted").waitFor();
    const { items } = await router.json<{ items: unknown[] }>("GET", "/plugins/dns/log/entries");
    assert.deepEqual(items, []);
  });
});

Deno.test("a device's page shows what it asked, and lets it leave no trace", async () => {
  await withResolver(async ({ open, router, log }) => {
    ask(log);
    const page = await open({ path: `/admin/devices/${mac(1)}` });
    await page.getByRole("button", { name: "ads.example.com" }).click();
    await page.getByText(`Blocked by ${LIST}`).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("switch", { name: "Keep what it asks" }).click();
    await page.getByRole("button", { name: "Keep none of its questions" }).click();
    await page.locator('[aria-label="Keep what it asks"][aria-checked="false"]').waitFor();
    assert.deepEqual(await router.json("GET", "/plugins/dns/log/host_privacy_list"), [
      "192.168.2.6",
    ]);
    await page.getByRole("button", { name: "Delete what it asked" }).click();
    await page.getByText("Nothing of it is kept").waitFor();
  });
});

Deno.test("blocking leaves a device alone, leads quarantine somewhere, and takes a list from a file", async () => {
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
    await page.getByRole("switch", { name: "Refuse names that lead home" }).click();
    await page.getByRole("button", { name: "Answer them" }).click();
    await page.locator('[aria-label="Refuse names that lead home"][aria-checked="false"]')
      .waitFor();
    await page.getByLabel("Block nothing for").selectOption("192.168.2.10");
    await page.getByRole("button", { name: "Block nothing for it" }).click();
    await page.getByText("nothing is blocked for it").waitFor();
    await page.getByLabel("Lists are looked at").selectOption("86400");
    await page.getByText("are looked at every day").waitFor();
    await page.getByLabel("Where devices in quarantine are led").fill("somewhere");
    await page.getByRole("button", { name: "Lead them there" }).click();
    await page.locator(".field.bad").waitFor();
    assert.equal(await page.getByText("Write an IP address").count(), 1);
    await page.getByLabel("Where devices in quarantine are led").fill("192.168.2.9");
    await page.getByRole("button", { name: "Lead them there" }).click();
    await page.getByText("are led to 192.168.2.9").waitFor();
    await page.getByRole("button", { name: "Add a list" }).first().click();
    await page.getByLabel("Where it comes from").selectOption("file");
    await page.getByRole("button", { name: "Preview this list" }).click();
    await page.getByText("Choose a file").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Name", { exact: true }).fill("mine");
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "mine.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("0.0.0.0 ads.example.com\n"),
    });
    await page.getByRole("button", { name: "Preview this list" }).click();
    await page.getByRole("button", { name: "Use this list" }).click();
    await page.getByRole("switch", { name: "mine is used" }).waitFor();
    await page.getByText("1 name, from just now").waitFor();
    await looks(page, "dns-lists-own");
    const now = await config();
    assert.deepEqual(now.BlockLists.map(({ URI }) => URI), ["upload:mine"]);
    assert.deepEqual(
      [now.ClientIPExclusions, now.QuarantineHostIP, now.RefreshSeconds, now.RebindingCheckDisable],
      [["192.168.2.10"], "192.168.2.9", 86_400, true],
    );
  });
});

Deno.test("the log is walked and a question opened by keyboard alone, and without a resolver it says so", async () => {
  await withResolver(async ({ open, log }) => {
    ask(log);
    const page = await open({ path: "/admin/dns" });
    await page.getByRole("button", { name: "ads.example.com" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("example.com");
    await page.getByRole("button", { name: "router.lan" }).waitFor({ state: "detached" });
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
    await page.getByText("How the lists stand is not known").waitFor();
    await page.getByText("Nothing is blocked by a list").waitFor();
    await assertAccessible(page);
  });
});
