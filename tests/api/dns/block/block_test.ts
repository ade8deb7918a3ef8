import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../../kit/router.ts";

const BLOCK = "/plugins/dns/block";
const ADS = "https://lists.example/ads";

interface Override {
  readonly Domain: string;
  readonly ClientIP: string;
  readonly Expiration: number;
}

interface Config {
  readonly BlockLists: readonly { readonly URI: string }[];
  readonly OverrideLists: readonly {
    readonly Name: string;
    readonly Enabled: boolean;
    readonly Tags: readonly string[];
    readonly PermitDomains: readonly Override[];
    readonly BlockDomains: readonly Override[];
  }[];
  readonly ClientIPExclusions: readonly string[];
  readonly RefreshSeconds: number;
  readonly QuarantineHostIP: string;
  readonly RebindingCheckDisable: boolean;
  readonly BypassCheckDisable: boolean;
}

async function config(router: TestRouter): Promise<Config> {
  return await router.json("GET", `${BLOCK}/config`);
}

/** Asks and gives the status; a 200 whose answer nobody shows is empty and has no type. */
async function status(
  router: TestRouter,
  method: string,
  path: string,
  body?: unknown,
): Promise<number> {
  const answer = await router.ask(method, `${BLOCK}${path}`, body === undefined ? {} : { body });
  const text = await answer.text();
  if (answer.status === 200 && text === "") assert.equal(answer.headers.get("content-type"), null);
  return answer.status;
}

function override(Domain: string, more: Readonly<Record<string, unknown>> = {}) {
  return { Type: "block", Domain, ResultIP: "", ClientIP: "*", Expiration: 0, ...more };
}

Deno.test("blocking is empty at first, and every list is an array", async () => {
  await using router = await testRouter();
  assert.deepEqual(await config(router), {
    BlockLists: [],
    OverrideLists: [],
    ClientIPExclusions: [],
    RefreshSeconds: 0,
    QuarantineHostIP: "",
    ...{ RebindingCheckDisable: false, BypassCheckDisable: false },
  });
  for (const path of ["blocklist", "blocklists", "exclusions"]) {
    assert.deepEqual(await router.json("GET", `${BLOCK}/${path}`), []);
  }
});

Deno.test("block lists are added, changed and deleted by their URI, under both names", async () => {
  await using router = await testRouter();
  for (const path of ["/blocklists", "/blocklist"]) {
    const put = (body: unknown) => router.json("PUT", `${BLOCK}${path}`, { body });
    const full = { URI: ADS, Enabled: true, Tags: ["Child"], Category: "ads", DontBlock: false };
    assert.deepEqual(await put(full), [{ ...full, Tags: ["child"] }]);
    const other = "http://lists.example/other";
    const blank = { URI: other, Enabled: true, Tags: [], Category: "", DontBlock: false };
    assert.deepEqual(await put({ uri: other, tags: null }), [{ ...full, Tags: ["child"] }, blank]);
    const off = { URI: ADS, Enabled: false };
    assert.deepEqual(await put(off), [{ ...blank, ...off }, blank]);
    assert.deepEqual(await router.json("GET", `${BLOCK}${path}`), [{ ...blank, ...off }, blank]);
    const left = await router.json("DELETE", `${BLOCK}${path}`, { body: { URI: ADS } });
    assert.deepEqual(left, [blank]);
    assert.equal(await status(router, "DELETE", path, { URI: ADS }), 404);
    assert.deepEqual(await router.json("DELETE", `${BLOCK}${path}`, { body: blank }), []);
  }
});

Deno.test("a list is only fetched from the Internet: other addresses are rejected with a pointer", async () => {
  await using router = await testRouter();
  for (
    const URI of [
      "",
      "file:///etc/passwd",
      "http://127.0.0.1/list",
      "http://192.168.2.1/list",
      "http://[fe80::1]/list",
      "https://me:secret@lists.example/",
    ]
  ) {
    const answer = await router.ask("PUT", `${BLOCK}/blocklists`, { body: { URI } });
    const problem = await answer.json();
    assert.equal(answer.status, 400, URI);
    assert.equal(problem.errors[0].pointer, "/URI");
    assert.ok(!JSON.stringify(problem).includes("secret"));
  }
  assert.equal(await status(router, "PUT", "/blocklists", {}), 400);
  assert.deepEqual((await config(router)).BlockLists, []);
});

Deno.test("overrides are stored by list, domain and client, with or without a list in the path", async () => {
  await using router = await testRouter();
  for (const path of ["/override", "/override/Default"]) {
    assert.equal(await status(router, "PUT", path, override("Ads.Example.com.")), 200);
    assert.equal(await status(router, "PUT", path, override("ads.example.com")), 200);
    const own = override("ads.example.com.", { ClientIP: "192.168.2.6", Type: "Permit" });
    assert.equal(await status(router, "PUT", path, own), 200);
    const [list] = (await config(router)).OverrideLists;
    assert.equal(list!.Name, "Default");
    assert.deepEqual(list!.BlockDomains.map((one) => [one.Domain, one.ClientIP]), [
      ["ads.example.com.", "*"],
    ]);
    assert.deepEqual(list!.PermitDomains.map((one) => [one.Domain, one.ClientIP]), [
      ["ads.example.com.", "192.168.2.6"],
    ]);
    assert.equal(await status(router, "DELETE", path, override("ADS.example.com")), 200);
    assert.equal(await status(router, "DELETE", path, override("ADS.example.com")), 404);
    assert.equal((await config(router)).OverrideLists[0]!.PermitDomains.length, 1);
    assert.equal(await status(router, "DELETE", path, own), 200);
  }
});

Deno.test("deleting one of two overrides of a domain leaves the other, and is 409 when ambiguous", async () => {
  await using router = await testRouter();
  for (const ClientIP of ["192.168.2.6", "192.168.2.10"]) {
    await status(router, "PUT", "/override/Kids", override("video.example.", { ClientIP }));
  }
  const clients = async () =>
    (await config(router)).OverrideLists[0]!.BlockDomains.map(({ ClientIP }) => ClientIP);
  const any = { Type: "block", Domain: "video.example." };
  const answer = await router.ask("DELETE", `${BLOCK}/override/Kids`, { body: any });
  assert.equal(answer.status, 409);
  assert.deepEqual((await answer.json()).clients, ["192.168.2.6", "192.168.2.10"]);
  assert.equal(await status(router, "DELETE", "/override/Kids", { ...any, ClientIP: "*" }), 404);
  const one = { ...any, ClientIP: "192.168.2.6" };
  assert.equal(await status(router, "DELETE", "/override/Kids", one), 200);
  assert.deepEqual(await clients(), ["192.168.2.10"]);
  // The only one that is left can be meant.
  assert.equal(await status(router, "DELETE", "/override/Kids", any), 200);
  assert.deepEqual(await clients(), []);
});

Deno.test("an override in another script is stored in ASCII and found in either", async () => {
  await using router = await testRouter();
  assert.equal(await status(router, "PUT", "/override", override("Bücher.example")), 200);
  const { BlockDomains } = (await config(router)).OverrideLists[0]!;
  assert.deepEqual(BlockDomains.map(({ Domain }) => Domain), ["xn--bcher-kva.example."]);
  assert.equal(
    await status(router, "DELETE", "/override", override("xn--bcher-kva.example.")),
    200,
  );
});

Deno.test("an invalid override is rejected with a pointer", async () => {
  await using router = await testRouter();
  for (
    const [pointer, more] of [
      ["/Type", { Type: "allow" }],
      ["/Domain", { Domain: "a b" }],
      ["/Domain", { Domain: "*.example.com." }],
      ["/Domain", { Domain: "" }],
      ["/ResultIP", { ResultIP: "1.2.3" }],
      ["/ResultCNAME", { ResultCNAME: "a..b" }],
      ["/ResultCNAME", { ResultIP: "203.0.113.1", ResultCNAME: "a.example." }],
      ["/ResultCNAME", { ResultCNAME: "ADS.example" }],
      ["/ClientIP", { ClientIP: "tablet" }],
      ["/Expiration", { Expiration: -1 }],
      ["/Expiration", { Expiration: 1_000_000_001 }],
      ["/Expiration", { Expiration: 0.5 }],
      ["/Tags/0", { Tags: ["wan"] }],
    ] as const
  ) {
    const body = override("ads.example.", more);
    const answer = await router.ask("PUT", `${BLOCK}/override`, { body });
    const problem = await answer.json();
    assert.equal(answer.status, 400, JSON.stringify(more));
    assert.equal(problem.errors[0].pointer, pointer, JSON.stringify(problem));
  }
  assert.deepEqual((await config(router)).OverrideLists, []);
  const many = `/override/${"x".repeat(65)}`;
  assert.equal(await status(router, "PUT", many, override("ads.example.")), 400);
});

Deno.test("Expiration is unix time from 10^9 on and seconds from now below, and never at 0", async () => {
  const now = 1_800_000_000_500;
  await using router = await testRouter({ now: () => now });
  const stored = async (Expiration: number): Promise<number> => {
    assert.equal(
      await status(router, "PUT", "/override", override("ads.example.", { Expiration })),
      200,
    );
    return (await config(router)).OverrideLists[0]!.BlockDomains[0]!.Expiration;
  };
  assert.equal(await stored(300), 1_800_000_300);
  assert.equal(await stored(1_800_000_300), 1_800_000_300);
  assert.equal(await stored(0), 0);
});

Deno.test("an override is removed at its second, as a change of its own", async () => {
  let now = 1_800_000_000_000;
  await using router = await testRouter({ now: () => now });
  await status(router, "PUT", "/override", override("ads.example.", { Expiration: 60 }));
  await status(router, "PUT", "/override", override("stays.example."));
  const domains = async () =>
    (await config(router)).OverrideLists[0]!.BlockDomains.map(({ Domain }) => Domain);
  now += 59_999;
  await router.runDueTasks();
  assert.deepEqual(await domains(), ["ads.example.", "stays.example."]);
  now += 1;
  await router.runDueTasks();
  assert.deepEqual(await domains(), ["stays.example."]);
  const { items } = await router.json<{ items: { kind: string; by: string }[] }>("GET", "/changes");
  assert.deepEqual([items[0]!.kind, items[0]!.by], ["dns.override.expire", "expiry"]);
});

Deno.test("a temporary override exists beside a permanent one, and a permanent one replaces its opposite", async () => {
  await using router = await testRouter();
  const put = (Type: string, Expiration: number) =>
    status(router, "PUT", "/override", override("video.example.", { Type, Expiration }));
  const counts = async () => {
    const [list] = (await config(router)).OverrideLists;
    return [list!.PermitDomains.length, list!.BlockDomains.length];
  };
  await put("block", 0);
  await put("permit", 300);
  assert.deepEqual(await counts(), [1, 1]);
  await put("permit", 0);
  assert.deepEqual(await counts(), [1, 0]);
  await put("block", 0);
  assert.deepEqual(await counts(), [0, 1]);
});

Deno.test("a new override list is stored whole, an existing one is enabled and tagged", async () => {
  await using router = await testRouter();
  const list = {
    Name: "Kids",
    Enabled: true,
    Tags: ["child"],
    PermitDomains: null,
    BlockDomains: [override("video.example.", { Expiration: 60 })],
  };
  assert.equal(await status(router, "PUT", "/overrideList/Kids", list), 200);
  let [kids] = (await config(router)).OverrideLists;
  assert.equal(kids!.BlockDomains.length, 1);
  assert.ok(kids!.BlockDomains[0]!.Expiration > 1_000_000_000);
  const off = { Name: "Kids", Enabled: false, Tags: [], BlockDomains: [] };
  assert.equal(await status(router, "PUT", "/overrideList/Kids", off), 200);
  [kids] = (await config(router)).OverrideLists;
  assert.deepEqual([kids!.Enabled, kids!.Tags, kids!.BlockDomains.length], [false, [], 1]);
  assert.equal(await status(router, "PUT", "/overrideList/Kids", { ...off, Name: "Other" }), 400);
  assert.equal(await status(router, "PUT", "/overrideList/Default", { Name: "Default" }), 400);
  assert.equal(await status(router, "DELETE", "/overrideList/Default"), 400);
  assert.equal(await status(router, "DELETE", "/overrideList/Nobody"), 404);
  assert.equal(await status(router, "DELETE", "/overrideList/Kids", { Name: "Other" }), 400);
  assert.equal(await status(router, "DELETE", "/overrideList/Kids"), 200);
  await status(router, "PUT", "/overrideList/Kids", list);
  assert.equal(await status(router, "DELETE", "/overrideList/Kids", list), 200);
  assert.deepEqual((await config(router)).OverrideLists, []);
});

Deno.test("settings: update interval, DNS rebinding protection, quarantine host, excluded devices", async () => {
  await using router = await testRouter();
  assert.equal(await status(router, "PUT", "/setRefresh?seconds=86400"), 200);
  for (const query of ["", "?seconds=", "?seconds=-1", "?seconds=1.5", "?seconds=999999999"]) {
    assert.equal(await status(router, "PUT", `/setRefresh${query}`), 400, query);
  }
  assert.equal(await status(router, "PUT", "/disableRebinding?value=TRUE"), 200);
  assert.equal(await status(router, "PUT", "/disableBypassCheck?value=true"), 200);
  assert.equal(await status(router, "PUT", "/quarantineHost", "192.168.2.1"), 200);
  assert.equal(await status(router, "PUT", "/quarantineHost", "the host"), 400);
  assert.equal(await status(router, "PUT", "/exclusions", "192.168.2.6"), 200);
  assert.equal(await status(router, "PUT", "/exclusions", "192.168.2.6"), 200);
  assert.equal(await status(router, "PUT", "/exclusions", "192.168.2"), 400);
  assert.deepEqual(await router.json("GET", `${BLOCK}/exclusions`), ["192.168.2.6"]);
  const { BlockLists: _, OverrideLists: __, ...set } = await config(router);
  assert.deepEqual(set, {
    ClientIPExclusions: ["192.168.2.6"],
    RefreshSeconds: 86_400,
    QuarantineHostIP: "192.168.2.1",
    ...{ RebindingCheckDisable: true, BypassCheckDisable: true },
  });
  assert.equal(await status(router, "PUT", "/disableRebinding?value=yes"), 200);
  assert.equal(await status(router, "DELETE", "/quarantineHost"), 200);
  assert.equal(await status(router, "DELETE", "/exclusions", "192.168.2.6"), 200);
  assert.equal(await status(router, "DELETE", "/exclusions", "192.168.2.6"), 404);
  assert.equal(await status(router, "PUT", "/setRefresh?seconds=1"), 400);
  assert.equal(await status(router, "PUT", "/setRefresh?seconds=3599"), 400);
  assert.equal(await status(router, "PUT", "/setRefresh?seconds=0"), 200);
  const { RebindingCheckDisable, QuarantineHostIP, RefreshSeconds } = await config(router);
  assert.deepEqual([RebindingCheckDisable, QuarantineHostIP, RefreshSeconds], [false, "", 0]);
});

Deno.test("a blocking change can be previewed, has its id and ETag, and is reverted", async () => {
  await using router = await testRouter();
  const preview = await router.json<{ config: { document: string }[] }>(
    "PUT",
    `${BLOCK}/override?dryRun=true`,
    { body: override("ads.example.") },
  );
  assert.deepEqual(preview.config.map(({ document }) => document), ["dnsBlock"]);
  assert.deepEqual((await config(router)).OverrideLists, []);
  const answer = await router.ask("PUT", `${BLOCK}/override`, { body: override("ads.example.") });
  const tag = answer.headers.get("etag")!;
  const read = await router.ask("GET", `${BLOCK}/config`);
  await read.body?.cancel();
  assert.equal(read.headers.get("etag"), tag);
  const lost = await router.ask("PUT", `${BLOCK}/setRefresh?seconds=7200`, {
    headers: { "if-match": '"another"' },
  });
  await lost.body?.cancel();
  assert.equal(lost.status, 412);
  const undone = await router.ask("PUT", `/changes/${answer.headers.get("change-id")}/undo`);
  await undone.body?.cancel();
  assert.equal(undone.status, 200);
  assert.deepEqual((await config(router)).OverrideLists, []);
});

Deno.test("a revert removes its own override and leaves later ones of the same list", async () => {
  await using router = await testRouter();
  const put = async (domain: string): Promise<string> => {
    const answer = await router.ask("PUT", `${BLOCK}/override`, { body: override(domain) });
    await answer.body?.cancel();
    return answer.headers.get("change-id")!;
  };
  await put("a.example.");
  const second = await put("b.example.");
  await put("c.example.");
  const undone = await router.ask("PUT", `/changes/${second}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  const { BlockDomains } = (await config(router)).OverrideLists[0]!;
  assert.deepEqual(BlockDomains.map(({ Domain }) => Domain), ["a.example.", "c.example."]);
});

Deno.test("overrides and lists survive a restart, in the file with its field names", async () => {
  const before = await testRouter();
  await status(before, "PUT", "/override", override("ads.example."));
  await status(before, "PUT", "/blocklists", { URI: ADS });
  const decided = await config(before);
  await using after = await before.reopen();
  assert.deepEqual(await config(after), decided);
  const file = JSON.parse(await Deno.readTextFile(`${after.home}/configs/dns/block_rules.json`));
  assert.deepEqual(file, decided);
});

Deno.test("a file of another router is imported; invalid entries are rejected", async () => {
  const file = {
    BlockLists: [
      { URI: ADS, Enabled: true, Tags: null },
      { URI: "file:///etc/hosts", Enabled: true, Tags: [] },
      { URI: ADS, Enabled: false, Tags: [] },
    ],
    PermitDomains: [override("old.example.", { Type: "permit", Tags: null })],
    BlockDomains: null,
    OverrideLists: [{
      Name: "Kids",
      Enabled: true,
      Tags: null,
      PermitDomains: null,
      BlockDomains: [override("video.example."), override("a b.")],
    }],
    ClientIPExclusions: null,
    RefreshSeconds: 5,
  };
  await using router = await testRouter({ files: { "dns/block_rules.json": file } });
  const read = await config(router);
  assert.deepEqual(read.BlockLists.map(({ URI }) => URI), [ADS]);
  assert.deepEqual(read.OverrideLists.map(({ Name }) => Name), ["Default", "Kids"]);
  assert.deepEqual(read.OverrideLists[0]!.PermitDomains.map(({ Domain }) => Domain), [
    "old.example.",
  ]);
  assert.deepEqual(read.OverrideLists[1]!.BlockDomains.map(({ Domain }) => Domain), [
    "video.example.",
  ]);
  assert.equal(read.RefreshSeconds, 3600, "not more often than once an hour");
});

Deno.test("block rules in an old router's state folder are imported at the first start", async () => {
  const old = {
    BlockLists: [{ URI: ADS, Enabled: true, Tags: null }],
    PermitDomains: null,
    BlockDomains: [override("old.example.")],
  };
  await using router = await testRouter({ files: { "../state/dns/block_rules.json": old } });
  const read = await config(router);
  assert.deepEqual(read.BlockLists.map(({ URI }) => URI), [ADS]);
  assert.deepEqual(
    read.OverrideLists.map(({ Name, BlockDomains }) => [
      Name,
      BlockDomains.map(({ Domain }) => Domain),
    ]),
    [["Default", ["old.example."]]],
  );
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/dns/block_rules.json`));
  assert.deepEqual(file, read);
});
