import assert from "node:assert/strict";
import type { DnsFilter } from "../../../../system/dns/block/verdict/dns_filter.ts";
import type { TableBuild } from "../../../../system/dns/block/table/build_in_worker.ts";
import { ListFiles } from "../../../../system/dns/block/lists/list_files.ts";
import type { BlockConfig } from "../../../../system/dns/block/schema.ts";
import { BED_NOW, blockBed, buildHere } from "../../../kit/dns/block_bed.ts";
import { blockConfig, blockList } from "../../../kit/dns/block.ts";

const ADS = "https://lists.example/ads", KIDS = "https://lists.example/kids";
const NOW = BED_NOW;
const HOUR = 3_600_000;

function blocked(blocking: DnsFilter, name: string): boolean {
  return blocking.decide({ name, address: "192.168.2.6", now: NOW }).kind === "block";
}

function lists(...uris: string[]): BlockConfig {
  return blockConfig({ BlockLists: uris.map((uri) => blockList(uri)) });
}

Deno.test("a list that was fetched but not built is built at the next start", async () => {
  await using test = await blockBed();
  /** Never gets done. */
  const stuck: TableBuild = (_folder, _sources, ending) =>
    new Promise((_, reject) =>
      ending.addEventListener("abort", () => reject(ending.reason), { once: true })
    );
  const uri = "upload:mine";
  const upload = async (text: string): Promise<void> => {
    await Deno.mkdir(`${test.folder}/lists`, { recursive: true });
    await Deno.writeTextFile(new ListFiles(`${test.folder}/lists`).upload(uri), text);
  };
  // The first content ever, and then a newer one.
  for (const word of ["old", "new"]) {
    test.sources.set(ADS, `ads-${word}.example\n`);
    await upload(`own-${word}.example\n`);
    test.fetches.length = 0;
    const first = await test.open({ build: stuck });
    first.configure(lists(ADS, uri), []);
    first.lists.refresh();
    while (first.status().some(({ state }) => state === "fetching")) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await first.close();
    test.sources.clear();
    const second = await test.open();
    second.configure(lists(ADS, uri), []);
    await second.lists.settled();
    assert.equal(blocked(second, `ads-${word}.example`), true, word);
    assert.equal(blocked(second, `own-${word}.example`), true, word);
    assert.deepEqual(second.status().map(({ state }) => state), ["ready", "ready"]);
    assert.deepEqual(test.fetches, [ADS]);
    await second.close();
  }
});

Deno.test("new content of a list that was disabled meanwhile is used once it is enabled", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  test.sources.set(KIDS, "games.example\n");
  const blocking = await test.open();
  const both = (Enabled: boolean) =>
    blockConfig({ BlockLists: [blockList(ADS, { Enabled }), blockList(KIDS)] });
  blocking.configure(both(true), []);
  blocking.configure(both(false), []);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "games.example"), true);
  assert.equal(blocked(blocking, "ads.example"), false);
  blocking.configure(both(true), []);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "ads.example"), true);
  assert.deepEqual(test.fetches, [ADS, KIDS]);
});

Deno.test("fetched content that is lost before the build is fetched again", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  const first = await test.open({ build: () => Promise.reject(new Error("The disk is full")) });
  first.configure(lists(ADS), []);
  await first.lists.settled();
  await first.close();
  await Deno.remove(first.lists.files.raw(ADS));
  const second = await test.open();
  second.configure(lists(ADS), []);
  await second.lists.settled();
  assert.equal(blocked(second, "ads.example"), true);
  assert.deepEqual(test.fetches, [ADS, ADS]);
});

Deno.test("fetched content that is lost before the build holds up no other list, and is fetched again", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  test.sources.set(KIDS, "games.example\n");
  let gone = false;
  const blocking: DnsFilter = await test.open({
    build: async (folder, sources, ending) => {
      if (!gone) await Deno.remove(blocking.lists.files.raw(ADS));
      gone = true;
      return await buildHere(folder, sources, ending);
    },
  });
  blocking.configure(lists(ADS, KIDS), []);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "games.example"), true);
  assert.equal(blocked(blocking, "ads.example"), false);
  assert.match(blocking.status()[0]!.error, /must be fetched again/);
  await test.pass(HOUR);
  assert.equal(blocked(blocking, "ads.example"), true);
  assert.deepEqual(blocking.status().map(({ state }) => state), ["ready", "ready"]);
});

Deno.test("a list that is refreshed while its table becomes active is fetched again", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  const blocking = await test.open();
  let again = true;
  blocking.subscribe(() => {
    if (!again || blocking.metrics().BlockedDomains === 0) return;
    again = false;
    test.sources.set(ADS, "newer.example\n");
    // The table is another, and what it was made of still lies there.
    queueMicrotask(() => blocking.lists.refresh());
  });
  blocking.configure(lists(ADS), []);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "newer.example"), true);
  assert.deepEqual(test.fetches, [ADS, ADS]);
});

Deno.test("partial files of a crash are removed at the start, a running upload is not", async () => {
  await using test = await blockBed();
  const folder = `${test.folder}/lists`;
  await Deno.mkdir(folder);
  test.now = Date.now();
  for (const name of ["a.names.new", "table.new", "b.raw.part", "c.upload.0123abcd", "d.upload"]) {
    await Deno.writeTextFile(`${folder}/${name}`, "x.example\n");
  }
  const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  await (await test.open()).close();
  assert.deepEqual(names(), ["c.upload.0123abcd", "d.upload"]);
  test.now += 2 * HOUR;
  await (await test.open()).close();
  assert.deepEqual(names(), ["d.upload"]);
});
