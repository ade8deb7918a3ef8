import assert from "node:assert/strict";
import { socketApp } from "../../../../routes/http/socket_app.ts";
import { dnsBlockSocketRoutes } from "../../../../routes/internal/dns_block.ts";
import { sockets } from "../../../../system/processes.ts";
import { serveUnix } from "../../../../system/core/ipc/unix_socket.ts";
import { DnsFilter } from "../../../../system/dns/block/verdict/dns_filter.ts";
import type { BlockConfig } from "../../../../system/dns/block/schema.ts";
import { ListError } from "../../../../system/dns/block/lists/list_error.ts";
import { type TestRouter, testRouter } from "../../../kit/router.ts";

const BLOCK = "/plugins/dns/block";
const ADS = "https://lists.example/ads";

async function status(
  router: TestRouter,
  method: string,
  path: string,
  body?: unknown,
): Promise<number> {
  const answer = await router.ask(method, `${BLOCK}${path}`, body === undefined ? {} : { body });
  await answer.body?.cancel();
  return answer.status;
}

const STATE = ["/metrics", "/dump_domains", "/lists", "/explain?name=a.example&client=192.168.2.6"];

Deno.test("the resolver's state is 503 with a reason while it is down", async () => {
  await using router = await testRouter();
  for (const path of STATE) {
    const answer = await router.ask("GET", `${BLOCK}${path}`);
    assert.equal(answer.status, 503, path);
    assert.match((await answer.json()).detail, /resolver does not run/);
  }
  assert.equal(await status(router, "PUT", "/refresh"), 503);
  assert.equal(await status(router, "PUT", "/try", { URI: ADS }), 503);
});

Deno.test("the resolver's responses are passed on: metrics, domains, list status, explanations", async () => {
  await using router = await testRouter();
  const folder = `${router.home}/state/dns/lists`;
  const blocking = await DnsFilter.open({
    folder,
    fetch: async ({ uri, target }) => {
      if (uri !== ADS) throw new ListError("The server responded with status 404");
      await Deno.writeTextFile(target, "ads.example\ntrack.example\n@@||fine.ads.example^\n");
      return { changed: true, bytes: 50, etag: "", modified: "" };
    },
    now: Date.now,
    log: { info() {}, warn() {} },
  });
  const app = socketApp(dnsBlockSocketRoutes({ filter: blocking }), {
    by: "test",
    log: (error) => assert.fail(String(error)),
  });
  const server = await serveUnix(
    sockets(router.home).dnsBlock,
    (request) => app.fetch(request),
  );
  try {
    const follow = async () => {
      blocking.configure(router.engine.config.dnsBlock, []);
      await blocking.lists.settled();
    };
    await router.json("PUT", `${BLOCK}/blocklists`, { body: { URI: ADS, Category: "ads" } });
    await router.json("PUT", `${BLOCK}/blocklists`, { body: { URI: "https://gone.example/" } });
    await follow();
    const read = <T>(path: string) => router.json<T>("GET", `${BLOCK}${path}`);
    blocking.countQuery(true);
    blocking.countQuery(false);
    assert.deepEqual(await read("/metrics"), {
      TotalQueries: 2,
      BlockedQueries: 1,
      BlockedDomains: 2,
    });
    assert.deepEqual(await read("/dump_domains"), ["ads.example.", "track.example."]);
    const { items } = await read<{ items: Record<string, unknown>[] }>("/lists");
    assert.deepEqual(
      items.map(({ uri, domains, exceptions, error, state }) => [
        ...[uri, domains, exceptions, error, state],
      ]),
      [
        [ADS, 2, 1, "", "ready"],
        ["https://gone.example/", 0, 0, "The server responded with status 404", "failed"],
      ],
    );
    // What the resolver has not heard of yet waits; what was taken away is not told of any more.
    await router.json("PUT", `${BLOCK}/blocklists`, { body: { URI: "https://new.example/" } });
    await router.json("DELETE", `${BLOCK}/blocklists`, { body: { URI: "https://gone.example/" } });
    const lists = await read<{ items: { uri: string; state: string }[] }>("/lists");
    assert.deepEqual(lists.items.map(({ uri, state }) => [uri, state]), [
      [ADS, "ready"],
      ["https://new.example/", "waiting"],
    ]);
    const why = (name: string) =>
      read<Record<string, unknown>>(`/explain?name=${name}&client=192.168.2.6`);
    assert.equal((await why("x.ads.example")).reason, `Blocked by the list ${ADS}`);
    assert.equal((await why("fine.ads.example")).verdict, "pass");
    assert.equal((await why("X.Ads.Example.")).name, "x.ads.example");
    for (const query of ["name=a+b&client=192.168.2.6", "name=a.example&client=tablet"]) {
      assert.equal(await status(router, "GET", `/explain?${query}`), 400, query);
    }
    const uploaded = await router.json<{ URI: string; Category: string }[]>(
      "PUT",
      `${BLOCK}/upload/My%20list`,
      { body: { Text: "0.0.0.0 mine.example\n", Category: "mine" } },
    );
    assert.equal(uploaded.at(-1)!.URI, "upload:My list");
    await follow();
    assert.equal((await why("mine.example")).reason, "Blocked by the list upload:My list");
    // A newer one of that name keeps what was said of it, and is read without another word.
    const again = await router.json<{ Category: string }[]>("PUT", `${BLOCK}/upload/My%20list`, {
      body: { Text: "other.example\n" },
    });
    assert.equal(again.at(-1)!.Category, "mine");
    await blocking.lists.settled();
    assert.equal((await why("mine.example")).verdict, "pass");
    assert.equal((await why("other.example")).verdict, "block");
    const tried = (URI: string) => router.ask("PUT", `${BLOCK}/try`, { body: { URI } });
    assert.deepEqual(await (await tried(ADS)).json(), { bytes: 50 });
    const failed = await (await tried("https://gone.example/")).json();
    const message = "The server responded with status 404";
    assert.deepEqual(failed.errors, [{ pointer: "/URI", message }]);
    assert.equal(await status(router, "PUT", "/try", { URI: "upload:mine" }), 400);
    assert.equal(await status(router, "PUT", "/refresh"), 200);
    assert.equal(await status(router, "PUT", "/refresh?uri=https://nobody.example/"), 404);
    await blocking.lists.settled();
  } finally {
    await server.shutdown();
    await blocking.close();
  }
});

Deno.test("an invalid or previewed upload leaves nothing behind", async () => {
  await using router = await testRouter();
  const put = (name: string, Text: string) => status(router, "PUT", `/upload/${name}`, { Text });
  assert.equal(await put("mine", "<html><body>"), 400);
  assert.equal(await put("mine", "# nothing\n"), 400);
  assert.equal(await put("..%2fmine", "ads.example\n"), 400);
  assert.equal(await put("mine?dryRun=true", "ads.example\n"), 200);
  assert.deepEqual(await router.json("GET", `${BLOCK}/blocklists`), []);
  assert.deepEqual([...Deno.readDirSync(`${router.home}/state/dns/lists`)], []);
  const lost = await router.ask("PUT", `${BLOCK}/upload/mine`, {
    body: { Text: "ads.example\n" },
    headers: { "if-match": '"another"' },
  });
  await lost.body?.cancel();
  assert.equal(lost.status, 412);
  assert.deepEqual([...Deno.readDirSync(`${router.home}/state/dns/lists`)], []);
  assert.equal(await put("mine", "ads.example\n"), 200);
  assert.equal([...Deno.readDirSync(`${router.home}/state/dns/lists`)].length, 1);
});

Deno.test("the default override list cannot be disabled, but enabled when a file has it disabled", async () => {
  const off = { Name: "Default", Enabled: false, Tags: [], PermitDomains: [], BlockDomains: [] };
  await using router = await testRouter({
    files: { "dns/block_rules.json": { OverrideLists: [off] } },
  });
  const put = async (Enabled: boolean): Promise<number> => {
    const body = { Name: "Default", Enabled };
    const answer = await router.ask("PUT", `${BLOCK}/overrideList/Default`, { body });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await put(false), 400);
  assert.equal(await put(true), 200);
  const { OverrideLists } = await router.json<{ OverrideLists: { Enabled: boolean }[] }>(
    "GET",
    `${BLOCK}/config`,
  );
  assert.deepEqual(OverrideLists.map(({ Enabled }) => Enabled), [true]);
  assert.equal(await put(true), 400);
  assert.equal(await put(false), 400);
});

Deno.test("concurrent changes of several admins are all stored", async () => {
  await using router = await testRouter();
  const names = Array.from({ length: 20 }, (_, nth) => `n${nth}.example.`);
  const statuses = await Promise.all([
    ...names.map((Domain) => status(router, "PUT", "/override", { Type: "block", Domain })),
    ...names.map((name) => status(router, "PUT", "/blocklists", { URI: `https://${name}/list` })),
    status(router, "PUT", "/exclusions", "192.168.2.6"),
    status(router, "PUT", "/exclusions", "192.168.2.10"),
  ]);
  assert.deepEqual([...new Set(statuses)], [200]);
  const now = await router.json<
    {
      BlockLists: unknown[];
      OverrideLists: { BlockDomains: { Domain: string }[] }[];
      ClientIPExclusions: string[];
    }
  >("GET", `${BLOCK}/config`);
  const domains = now.OverrideLists[0]!.BlockDomains.map(({ Domain }) => Domain);
  assert.deepEqual(domains.toSorted(), names.toSorted());
  assert.equal(now.BlockLists.length, 20);
  assert.deepEqual(now.ClientIPExclusions.toSorted(), ["192.168.2.10", "192.168.2.6"]);
});

Deno.test("an override list is renamed with its overrides, and never to a name in use", async () => {
  await using router = await testRouter();
  const put = async (path: string, body: unknown) => {
    const answer = await router.ask("PUT", `${BLOCK}${path}`, { body });
    await answer.body?.cancel();
    return answer;
  };
  const lists = async () => {
    const { OverrideLists } = await router.json<BlockConfig>("GET", `${BLOCK}/config`);
    return OverrideLists.map(({ Name, BlockDomains }) => [Name, BlockDomains.length]);
  };
  const one = { Type: "block", Domain: "video.example." };
  for (const list of ["Default", "Kids", "Guests"]) await put(`/override/${list}`, one);
  const renamed = await put("/overrideList/Kids/name", { Name: "Home work" });
  assert.equal(renamed.status, 200);
  assert.deepEqual(await lists(), [["Default", 1], ["Home work", 1], ["Guests", 1]]);
  for (
    const [path, Name, status] of [
      ["Guests", "Home work", 409],
      ["Guests", "Default", 400],
      ["Default", "Mine", 400],
      ["Nobody", "Somebody", 404],
      ["Guests", "a/b", 400],
      ["Guests", "", 400],
      ["Guests", undefined, 400],
      ["Home%20work", "Home work", 200],
    ] as const
  ) {
    const answer = await put(`/overrideList/${path}/name`, { Name });
    assert.equal(answer.status, status, `${path} to ${Name}`);
  }
  assert.deepEqual(await lists(), [["Default", 1], ["Home work", 1], ["Guests", 1]]);
  const undo = await router.ask("PUT", `/changes/${renamed.headers.get("change-id")}/undo`);
  assert.equal(undo.status, 200, await undo.text());
  assert.deepEqual(await lists(), [["Default", 1], ["Kids", 1], ["Guests", 1]]);
});
