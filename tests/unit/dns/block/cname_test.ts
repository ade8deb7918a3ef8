import assert from "node:assert/strict";
import { explain } from "../../../../system/dns/block/verdict/explain.ts";
import type { DomainOverride } from "../../../../system/dns/block/schema.ts";
import { blockList, override, overrideList, tableOf } from "../../../kit/dns/block.ts";
import {
  addressesOf,
  DEFAULT_UPSTREAM,
  dnsBed,
  dnsClient,
  respondWith,
} from "../../../kit/dns/bed.ts";
import { wireA, wireAlias, wireOpt } from "../../../kit/dns/wire.ts";

const LIST = "https://lists.example.org/trackers";

/** Everyone's resolver answers that `shop.example` leads over a tracker to an address. */
function cloaked(...overrides: readonly DomainOverride[]) {
  const dns = dnsBed();
  dns.serve(
    DEFAULT_UPSTREAM,
    respondWith("", {
      answers: [
        wireAlias("shop.example", "Metrics.shop.example"),
        wireAlias("metrics.shop.example", "eu.Tracker.test"),
        wireA("eu.tracker.test", "192.0.2.7"),
      ],
    }),
  );
  dns.table = tableOf({ [LIST]: ["tracker.test"] });
  dns.block({
    BlockLists: [blockList(LIST, { Category: "ads" })],
    OverrideLists: [overrideList(overrides)],
  });
  return dns;
}

Deno.test("an answer with a blocked CNAME target is blocked, fresh and cached", async () => {
  const dns = cloaked();
  for (const turn of ["fresh", "remembered"]) {
    const response = await dns.query("shop.example", 1, { additional: [wireOpt()] });
    assert.equal(addressesOf(response), "code 3", turn);
    assert.equal(
      response?.additional[0]?.data,
      "000f0002000f",
      "the extended error says that it is blocked",
    );
    const { verdict, by, categories, name } = dns.records.at(-1)!;
    assert.deepEqual([name, verdict, by, categories], ["shop.example.", "block", LIST, ["ads"]]);
  }
  assert.equal(dns.upstreamQueries.length, 1);
  assert.equal(dns.resolver.counters.blocked, 2);
  dns.block({ BlockLists: [blockList(LIST, { Enabled: false })] });
  assert.equal(addressesOf(await dns.query("shop.example")), "192.0.2.7", "a changed mind counts");
  assert.equal(dns.upstreamQueries.length, 1);
});

Deno.test("a permit of the query name, or of a CNAME target before the blocked one, lets the answer pass", async () => {
  for (const domain of ["shop.example.", "metrics.shop.example.", "tracker.test.", "."]) {
    const dns = cloaked(override(domain, { Type: "permit" }));
    assert.equal(addressesOf(await dns.query("shop.example")), "192.0.2.7", domain);
  }
  const other = override("tracker.test.", { Type: "permit", ClientIP: "192.168.2.10" });
  assert.equal(addressesOf(await cloaked(other).query("shop.example")), "code 3");
});

Deno.test("an override that blocks applies to CNAME targets, for its clients", async () => {
  const dns = cloaked(override("eu.tracker.test.", { ClientIP: "192.168.2.6" }));
  dns.block({ BlockLists: [] });
  assert.equal(addressesOf(await dns.query("shop.example")), "code 3");
  assert.equal(dns.records.at(-1)!.by, "Default: eu.tracker.test.");
  assert.equal(
    addressesOf(await dns.query("shop.example", 1, { from: "192.168.2.10" })),
    "192.0.2.7",
  );
});

Deno.test("lists that only log a category, or are for others, block no CNAME target, nor for excluded devices", async () => {
  const dns = cloaked();
  const passes = async (text: string) =>
    assert.equal(addressesOf(await dns.query("shop.example")), "192.0.2.7", text);
  dns.block({ BlockLists: [blockList(LIST, { DontBlock: true })] });
  await passes("it only names");
  dns.block({ BlockLists: [blockList(LIST, { Tags: ["kids"] })] });
  await passes("it is for others");
  dns.configure({ clients: [dnsClient({ tags: ["kids"] })] });
  assert.equal(addressesOf(await dns.query("shop.example")), "code 3");
  dns.block({ ClientIPExclusions: ["192.168.2.6"] });
  await passes("it is excluded");
});

Deno.test("an explanation names the blocked CNAME target and what blocks it", async () => {
  const explained = async (...overrides: readonly DomainOverride[]) => {
    const dns = cloaked(...overrides);
    await dns.query("shop.example");
    const { resolver, compiled } = dns;
    const [name, address] = ["shop.example", "192.168.2.6"];
    const leadsOver = resolver.aliasesOf(name, address);
    assert.deepEqual(leadsOver, ["metrics.shop.example", "eu.tracker.test"]);
    return explain({ name, address, client: dnsClient(), now: 0, cnameChain: leadsOver }, compiled);
  };
  const explanation = await explained();
  assert.deepEqual([explanation.verdict, explanation.by, explanation.name], ["block", {
    list: LIST,
  }, "shop.example"]);
  assert.equal(
    explanation.reason,
    `It is an alias of eu.tracker.test. Blocked by the list ${LIST}`,
  );
  assert.deepEqual(explanation.lists.map(({ domain, applies }) => [domain, applies]), [[
    "tracker.test",
    true,
  ]]);
  const permitted = await explained(override("metrics.shop.example.", { Type: "permit" }));
  assert.equal(permitted.verdict, "pass");
  const others = override(".", { Type: "permit", ClientIP: "192.168.2.10" });
  const still = await explained(others, override("eu.tracker.test."));
  assert.equal(
    still.reason,
    "It is an alias of eu.tracker.test. An override blocks eu.tracker.test",
  );
  assert.deepEqual(still.overrides.map(({ domain, applies: holds }) => [domain, holds]), [
    ["eu.tracker.test.", true],
    [".", false],
  ]);
  assert.deepEqual(cloaked().resolver.aliasesOf("shop.example", ""), [], "nothing is remembered");
});
