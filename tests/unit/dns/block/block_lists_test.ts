import assert from "node:assert/strict";
import type { DnsFilter } from "../../../../system/dns/block/verdict/dns_filter.ts";
import { ListError } from "../../../../system/dns/block/lists/list_error.ts";
import { newRecord, nextCheck } from "../../../../system/dns/block/lists/list_record.ts";
import type { BlockConfig } from "../../../../system/dns/block/schema.ts";
import { BED_NOW, type BlockBed, blockBed, buildHere } from "../../../kit/dns/block_bed.ts";
import {
  blockConfig,
  blockList,
  dnsClient,
  override,
  overrideList,
} from "../../../kit/dns/block.ts";

const ADS = "https://lists.example/ads", KIDS = "https://lists.example/kids";
const NOW = BED_NOW;
const HOUR = 3_600_000, DAY = 24 * HOUR;

function blocked(blocking: DnsFilter, name: string): boolean {
  return blocking.decide({ name, address: "192.168.2.6", now: NOW }).kind === "block";
}

function lists(...uris: string[]): BlockConfig {
  return blockConfig({ BlockLists: uris.map((uri) => blockList(uri)) });
}

/** Lets a configuration take force, with all that comes of it. */
async function follows(blocking: DnsFilter, config: BlockConfig): Promise<void> {
  blocking.configure(config, []);
  await blocking.lists.settled();
}

/** A run that ended with a configuration in force. */
async function ran(test: BlockBed, config: BlockConfig): Promise<void> {
  const blocking = await test.open();
  await follows(blocking, config);
  await blocking.close();
}

async function names(blocking: DnsFilter): Promise<string[]> {
  const all: string[] = [];
  for await (const some of blocking.blockedDomains()) all.push(...some);
  return all;
}

Deno.test("a new list is fetched, becomes active and is in the status", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "# ads\n0.0.0.0 ads.example\nads.example\n||more.example^\nx##y\n");
  const blocking = await test.open();
  blocking.configure(lists(ADS), []);
  assert.equal(blocking.status()[0]!.state, "fetching");
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "www.ads.example"), true);
  assert.equal(blocked(blocking, "fine.example"), false);
  assert.deepEqual(blocking.status(), [{
    uri: ADS,
    enabled: true,
    domains: 2,
    exceptions: 0,
    skipped: 1,
    lines: 4,
    reasons: { cosmetic: 1, option: 0, path: 0, wildcard: 0, pattern: 0, name: 0 },
    bytes: 59,
    fetched: NOW,
    checked: NOW,
    next: NOW + 7 * DAY,
    error: "",
    state: "ready",
  }]);
  assert.deepEqual(blocking.metrics(), { TotalQueries: 0, BlockedQueries: 0, BlockedDomains: 2 });
});

Deno.test("after a restart all lists are active before anything is fetched, also without the Internet", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  await ran(test, lists(ADS));
  test.sources.clear();
  test.fetches.length = 0;
  const second = await test.open();
  second.configure(lists(ADS), []);
  assert.equal(blocked(second, "ads.example"), true);
  await second.lists.settled();
  assert.deepEqual(test.fetches, []);
  // A week later the source is gone; what was had stands.
  await test.pass(7 * DAY);
  assert.deepEqual(test.fetches, [ADS]);
  assert.equal(blocked(second, "ads.example"), true);
  const [status] = second.status();
  assert.equal(status!.error, "The server responded with status 404");
  assert.equal(status!.state, "failed");
  assert.equal(status!.domains, 1);
});

Deno.test("a missing table is rebuilt at the start from the domains on disk", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  await ran(test, lists(ADS));
  await Deno.writeTextFile(`${test.folder}/lists/table`, "bent");
  test.sources.clear();
  const second = await test.open();
  await follows(second, lists(ADS));
  assert.equal(blocked(second, "ads.example"), true);
  assert.deepEqual(test.fetches, [ADS]);
});

Deno.test("a list whose domains are missing is downloaded again, even if unchanged", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  await ran(test, lists(ADS));
  for (const { name } of Deno.readDirSync(`${test.folder}/lists`)) {
    if (name.endsWith(".names")) await Deno.remove(`${test.folder}/lists/${name}`);
  }
  const known: unknown[] = [];
  const second = await test.open({
    fetch: (options) => {
      known.push(options.known);
      return Promise.reject(new ListError("away"));
    },
  });
  await follows(second, lists(ADS));
  assert.deepEqual(known, [null]);
  assert.equal(blocked(second, "ads.example"), true, "its table is still there");
});

Deno.test("new content without a domain is rejected with an error, and the old domains stay", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  const blocking = await test.open();
  await follows(blocking, lists(ADS));
  test.sources.set(ADS, "nothing here\nthat is a name\n");
  blocking.lists.refresh();
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "ads.example"), true);
  const [status] = blocking.status();
  assert.match(status!.error, /no domain names/);
  assert.equal(status!.domains, 1);
  assert.equal(status!.state, "failed");
});

Deno.test("a failing source is retried at growing intervals and holds up no other", async () => {
  await using test = await blockBed();
  test.sources.set(KIDS, "games.example\n");
  const blocking = await test.open();
  await follows(blocking, lists(ADS, KIDS));
  assert.equal(blocked(blocking, "games.example"), true);
  assert.equal(blocking.status()[0]!.next, NOW + 30_000);
  await test.pass(30_000);
  assert.equal(blocking.status()[0]!.next, test.now + 60_000);
  test.sources.set(ADS, "ads.example\n");
  await test.pass(60_000);
  assert.equal(blocked(blocking, "ads.example"), true);
  assert.equal(blocking.status()[0]!.error, "");
  assert.deepEqual(test.fetches, [ADS, KIDS, ADS, ADS]);
});

Deno.test("a disabled or deleted list stops blocking at once, and needs no fetch to come back", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\nshared.example\n");
  test.sources.set(KIDS, "games.example\nshared.example\n");
  const blocking = await test.open();
  await follows(blocking, lists(ADS, KIDS));
  await test.pass(60_000);
  assert.deepEqual((await names(blocking)).sort(), [
    "ads.example",
    "games.example",
    "shared.example",
  ]);
  const off = blockConfig({ BlockLists: [blockList(ADS), blockList(KIDS, { Enabled: false })] });
  blocking.configure(off, []);
  assert.equal(blocked(blocking, "games.example"), false);
  assert.equal(blocked(blocking, "shared.example"), true);
  assert.deepEqual((await names(blocking)).sort(), ["ads.example", "shared.example"]);
  await blocking.lists.settled();
  assert.equal(blocking.metrics().BlockedDomains, 2);
  assert.equal(blocking.status()[1]!.state, "off");
  await follows(blocking, lists(KIDS));
  assert.equal(blocked(blocking, "games.example"), true);
  assert.equal(blocked(blocking, "ads.example"), false);
  assert.deepEqual(await names(blocking), ["games.example", "shared.example"]);
  assert.deepEqual(test.fetches, [ADS, KIDS]);
});

Deno.test("files of a deleted list are kept for a week, then removed", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  const blocking = await test.open();
  await follows(blocking, lists(ADS));
  await follows(blocking, lists());
  const files = () => [...Deno.readDirSync(`${test.folder}/lists`)].map(({ name }) => name).sort();
  assert.equal(files().filter((name) => name.endsWith(".names")).length, 1);
  await test.pass(6 * DAY);
  assert.equal(files().length, 3);
  await test.pass(DAY);
  await blocking.lists.settled();
  assert.deepEqual(files(), ["lists.json", "table"]);
});

Deno.test("an uploaded list is read once it exists, and again when it changes", async () => {
  await using test = await blockBed();
  const blocking = await test.open();
  const uri = "upload:mine";
  await follows(blocking, lists(uri));
  assert.equal(blocking.status()[0]!.error, "The list was not uploaded yet");
  const path = blocking.lists.files.upload(uri);
  await Deno.writeTextFile(path, "one.example\n");
  blocking.lists.refresh(uri);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "one.example"), true);
  assert.equal(blocking.status()[0]!.state, "ready");
  await Deno.writeTextFile(`${path}.new`, "two.example\n");
  await Deno.rename(`${path}.new`, path);
  blocking.lists.refresh(uri);
  await blocking.lists.settled();
  assert.equal(blocked(blocking, "one.example"), false);
  assert.equal(blocked(blocking, "two.example"), true);
  assert.equal(blocking.status()[0]!.next, null);
});

Deno.test("an upload is read at the start when it came while the resolver was down, or before it was announced", async () => {
  await using test = await blockBed();
  const uri = "upload:mine";
  const upload = async (blocking: DnsFilter, text: string): Promise<void> => {
    const path = blocking.lists.files.upload(uri);
    await Deno.writeTextFile(`${path}.new`, text);
    await Deno.rename(`${path}.new`, path);
  };
  const before = await test.open();
  await upload(before, "one.example\n");
  await follows(before, lists(uri));
  await before.close();
  await upload(before, "two.example\n");
  const after = await test.open();
  await follows(after, lists(uri));
  assert.deepEqual(await names(after), ["two.example"]);
  await upload(after, "three.example\n");
  after.lists.checkUploads();
  await after.lists.settled();
  assert.deepEqual(await names(after), ["three.example"]);
  assert.deepEqual(test.fetches, []);
});

Deno.test("lists that arrive shortly after each other are built together", async () => {
  await using test = await blockBed();
  const uris = Array.from({ length: 12 }, (_, i) => `https://lists.example/${i}`);
  for (const [i, uri] of uris.entries()) test.sources.set(uri, `n${i}.example\n`);
  let builds = 0;
  const blocking = await test.open({
    build: (...job) => {
      builds++;
      return buildHere(...job);
    },
  });
  await follows(blocking, lists(...uris));
  assert.equal(blocking.metrics().BlockedDomains, 12);
  assert.ok(builds <= 2, `${builds} builds`);
});

Deno.test("a list that is tried is fetched, and nothing of it is kept", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n").set(KIDS, "<html>\n");
  const blocking = await test.open();
  blocking.configure(lists(), []);
  assert.deepEqual(await blocking.lists.tryFetch(ADS), { bytes: 12 });
  await assert.rejects(blocking.lists.tryFetch(KIDS), /The file has no domain names/);
  await assert.rejects(
    blocking.lists.tryFetch("https://lists.example/gone"),
    /The server responded with status 404/,
  );
  const files = await Array.fromAsync(Deno.readDir(`${test.folder}/lists`));
  assert.deepEqual(files.filter(({ name }) => name.includes("trial")), []);
  assert.deepEqual([blocking.status(), blocked(blocking, "ads.example")], [[], false]);
});

Deno.test("a build that fails leaves the old table and is retried", async () => {
  await using test = await blockBed();
  let fails = true;
  test.sources.set(ADS, "ads.example\n");
  const blocking = await test.open({
    build: (...job) => fails ? Promise.reject(new Error("The disk is full")) : buildHere(...job),
  });
  await follows(blocking, lists(ADS));
  assert.equal(blocked(blocking, "ads.example"), false);
  assert.equal(blocking.status()[0]!.state, "building");
  fails = false;
  await test.pass(60_000);
  assert.equal(blocked(blocking, "ads.example"), true);
});

Deno.test("every change that may change a verdict changes the generation, and nothing else does", async () => {
  await using test = await blockBed();
  test.sources.set(ADS, "ads.example\n");
  const blocking = await test.open();
  let notified = 0;
  blocking.subscribe(() => notified++);
  const moves = async (work: () => unknown): Promise<boolean> => {
    const before = blocking.generation;
    const notifiedBefore = notified;
    await work();
    await blocking.lists.settled();
    assert.equal(blocking.generation !== before, notified !== notifiedBefore);
    return blocking.generation !== before;
  };
  const end = NOW / 1000 + 300;
  const config = {
    ...lists(ADS),
    OverrideLists: [overrideList([override("video.example.", { Expiration: end })])],
  };
  assert.equal(await moves(() => blocking.configure(config, [])), true);
  assert.equal(await moves(() => blocking.configure(structuredClone(config), [])), false);
  const client = dnsClient("192.168.2.6");
  assert.equal(await moves(() => blocking.configure(config, [client])), true);
  assert.equal(await moves(() => blocking.lists.refresh()), true);
  test.sources.set(ADS, null);
  assert.equal(await moves(() => blocking.lists.refresh()), false);
  const decided = () => blocking.explain("video.example", "192.168.2.6").verdict;
  assert.equal(decided(), "block");
  assert.equal(await moves(() => test.pass(end * 1000 - 1 - test.now)), false);
  assert.equal(decided(), "block");
  assert.equal(await moves(() => test.pass(1)), true);
  assert.equal(decided(), "pass");
});

Deno.test("the next check is at least an hour away, a week by default, and now when the clock was wrong", () => {
  const record = { ...newRecord(ADS), fetched: NOW, checked: NOW };
  assert.equal(nextCheck(newRecord(ADS), 0, NOW), NOW);
  assert.equal(nextCheck(record, 0, NOW), NOW + 7 * DAY);
  assert.equal(nextCheck(record, 1, NOW), NOW + HOUR);
  assert.equal(nextCheck(record, 86_400, NOW), NOW + DAY);
  assert.equal(nextCheck({ ...record, checked: NOW + 30 * DAY }, 0, NOW), NOW);
  const failing = (failures: number, fetched: number): number =>
    nextCheck({ ...record, failures, fetched }, 0, NOW) - NOW;
  assert.equal(failing(1, NOW), 5 * 60_000);
  assert.equal(failing(4, NOW), 40 * 60_000);
  assert.equal(failing(30, NOW), 7 * DAY);
  assert.equal(failing(1, 0), 30_000);
  assert.equal(failing(30, 0), HOUR);
});

Deno.test("a table is built in a worker while this thread goes on", async () => {
  await using test = await blockBed();
  test.sources.set(
    ADS,
    Array.from({ length: 20_000 }, (_, i) => `0.0.0.0 n${i}.example`).join("\n"),
  );
  const { buildInWorker: buildApart } = await import(
    "../../../../system/dns/block/table/build_in_worker.ts"
  );
  const blocking = await test.open({ build: buildApart });
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  await follows(blocking, lists(ADS));
  clearInterval(timer);
  assert.ok(turns > 0);
  assert.equal(blocking.metrics().BlockedDomains, 20_000);
  assert.equal(blocked(blocking, "x.n19999.example"), true);
  assert.ok(blocking.lists.table.image.words.buffer instanceof SharedArrayBuffer);
});

Deno.test("listing all blocked domains lets other work run every few hundred domains", async () => {
  await using test = await blockBed();
  const all = Array.from({ length: 8000 }, (_, i) => `n${i}.example`);
  test.sources.set(ADS, all.join("\n"));
  const blocking = await test.open();
  await follows(blocking, lists(ADS));
  let count = 0, longest = 0, last = 0, done = false;
  const others = (async () => {
    while (!done) {
      await new Promise((resolve) => setTimeout(resolve));
      longest = Math.max(longest, count - last);
      last = count;
    }
  })();
  for await (const some of blocking.blockedDomains()) count += some.length;
  done = true;
  await others;
  assert.equal(count, all.length);
  assert.ok(longest <= 2048, `${longest} names without a turn for others`);
});
