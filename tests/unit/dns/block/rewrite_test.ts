import assert from "node:assert/strict";
import fc from "fast-check";
import { explain } from "../../../../system/dns/block/verdict/explain.ts";
import type { DomainOverride } from "../../../../system/dns/block/schema.ts";
import { blockList, override, overrideList, tableOf } from "../../../kit/dns/block.ts";
import { DEFAULT_UPSTREAM, type DnsBed, dnsBed, dnsClient } from "../../../kit/dns/bed.ts";
import {
  readMessage,
  wireA,
  wireAlias,
  wireMessage,
  wireOpt,
  wireQuery,
} from "../../../kit/dns/wire.ts";
import { settle } from "../../../kit/dns/fake_upstream.ts";

const LIST = "https://lists.example.org/trackers";
const CLIENT = "192.168.2.6";

/**
 * A resolver outside for which `shop.example` leads over `cdn.shop.example` to `edge.test`; other
 * names have addresses of their own, `gone.*` none.
 */
function bed(...overrides: readonly DomainOverride[]): DnsBed {
  const dns = dnsBed({ names: [{ name: "nas.lan", address: "192.168.2.50" }] });
  dns.serve(DEFAULT_UPSTREAM, (query) => {
    const { id, questions } = readMessage(query);
    const name = questions[0]!.name.toLowerCase();
    const answers = name === "shop.example"
      ? [
        wireAlias(name, "CDN.shop.example"),
        wireAlias("cdn.shop.example", "Edge.test"),
        wireA("edge.test", "192.0.2.7"),
      ]
      : [wireA(name, `192.0.2.${100 + name.length}`)];
    const gone = name.startsWith("gone.");
    const flags = gone ? 0x8183 : 0x8180;
    return [{
      bytes: wireMessage({ id, flags, questions, answers: gone ? [] : answers }),
      after: 5,
    }];
  });
  dns.table = tableOf({ [LIST]: ["listed.test"] });
  dns.block({
    BlockLists: [blockList(LIST)],
    OverrideLists: [overrideList(overrides)],
  });
  return dns;
}

const permit = (domain: string, more: Partial<DomainOverride> = {}): DomainOverride =>
  override(domain, { Type: "permit", ...more });
const leads = (domain: string, to: string): DomainOverride => permit(domain, { ResultCNAME: to });

/** What is answered, as `name target-or-address`, or the code when that is all. */
async function answerLines(dns: DnsBed, name: string, more: Parameters<DnsBed["query"]>[2] = {}) {
  const message = await dns.query(name, 1, more);
  if (message === null) return "nothing";
  const lines = message.answers.map(({ name, data }) => `${name} ${data}`.toLowerCase());
  return [...(message.code === 0 ? [] : [`code ${message.code}`]), ...lines].join(", ");
}

function explained(dns: DnsBed, name: string, client = dnsClient()) {
  const { address } = client;
  const leadsOver = dns.resolver.aliasesOf(name, address);
  return explain({ name, address, client, now: 0, cnameChain: leadsOver }, dns.compiled);
}

Deno.test("a CNAME target is rewritten like a query name", async () => {
  const dns = bed(permit("cdn.shop.example.", { ResultIP: "192.168.2.50" }));
  const expected = "shop.example cdn.shop.example, cdn.shop.example 192.168.2.50";
  for (const turn of ["fresh", "remembered"]) {
    const message = await dns.query("shop.example", 1, { additional: [wireOpt()] });
    const [first, second] = message!.answers;
    assert.deepEqual([first?.ttl, second?.ttl], [1, 1], turn);
    assert.equal(
      message?.additional[0]?.data,
      "000f00020004",
      "the extended error says that it was forged here",
    );
    assert.equal(await answerLines(dns, "shop.example"), expected, turn);
    const { verdict, by } = dns.records.at(-1)!;
    assert.equal(verdict, "rewrite");
    assert.match(JSON.stringify(by), /"cdn\.shop\.example\."|Default: cdn\.shop\.example\./);
  }
  assert.equal(dns.upstreamQueries.length, 1);
  assert.deepEqual([dns.resolver.counters.rewritten, dns.resolver.counters.blocked], [4, 0]);
  const six = await dns.query("shop.example", 28);
  assert.deepEqual([six?.code, six?.answers.map(({ type }) => type)], [0, [5]]);
  const why = explained(dns, "shop.example");
  assert.deepEqual([why.verdict, why.answer], ["rewrite", "192.168.2.50"]);
  assert.equal(
    why.reason,
    "It is an alias of cdn.shop.example. An override rewrites cdn.shop.example to 192.168.2.50",
  );
  assert.deepEqual(why.by, {
    override: { list: "Default", domain: "cdn.shop.example.", client: "*" },
  });
});

Deno.test("an override of a CNAME target for one client applies to that client only", async () => {
  const mine = permit("edge.test.", { ResultIP: "192.0.2.9", ClientIP: CLIENT });
  const dns = bed(mine);
  assert.equal(
    await answerLines(dns, "shop.example"),
    "shop.example edge.test, edge.test 192.0.2.9",
  );
  const other = await answerLines(dns, "shop.example", { from: "192.168.2.10" });
  assert.match(other, /edge\.test 192\.0\.2\.7$/);
  const theirs = dnsClient({ address: "192.168.2.10" });
  assert.equal(explained(dns, "shop.example", theirs).verdict, "pass");
  assert.equal(explained(dns, "shop.example").verdict, "rewrite");
});

Deno.test("the first CNAME target with a verdict counts", async () => {
  const real = /edge\.test 192\.0\.2\.7$/;
  const answer = permit("edge.test.", { ResultIP: "192.0.2.9" });
  for (const domain of ["shop.example.", "cdn.shop.example."]) {
    const dns = bed(permit(domain), answer);
    assert.match(await answerLines(dns, "shop.example"), real, domain);
    assert.equal(explained(dns, "shop.example").verdict, "pass");
  }
  const blocked = bed(override("cdn.shop.example."), answer);
  assert.equal(await answerLines(blocked, "shop.example"), "code 3");
  const first = bed(permit("cdn.shop.example.", { ResultIP: "192.0.2.8" }), override("edge.test."));
  assert.match(await answerLines(first, "shop.example"), /192\.0\.2\.8$/);
});

Deno.test("a CNAME target is rewritten to another name, which is resolved", async () => {
  const expected = "shop.example cdn.shop.example, cdn.shop.example other.test, " +
    "other.test 192.0.2.110";
  for (const stream of [false, true]) {
    const dns = bed(leads("cdn.shop.example.", "other.test."));
    assert.equal(await answerLines(dns, "shop.example", { stream }), expected, "fresh");
    assert.equal(await answerLines(dns, "shop.example", { stream }), expected, "remembered");
    assert.deepEqual(dns.upstreamQueries.length, 2);
    assert.deepEqual(dns.records.length, 2, "each query is logged once");
    assert.equal(explained(dns, "shop.example").answer, "other.test.");
  }
  const home = bed(leads("edge.test.", "nas.lan."));
  assert.equal(
    await answerLines(home, "shop.example"),
    "shop.example edge.test, edge.test nas.lan, nas.lan 192.168.2.50",
  );
});

Deno.test("a rewritten name after a resolved one appears once, over TCP as well", async () => {
  for (const stream of [false, true]) {
    const dns = bed(leads("cdn.shop.example.", "other.test."));
    const got = dns.sendNow(wireQuery("shop.example"), { from: CLIENT, stream });
    await settle();
    assert.deepEqual(got, []);
    await dns.clock.advance(100);
    assert.equal(got.length, 1);
    assert.equal(readMessage(got[0]!).answers.length, 3);
  }
});

Deno.test("overrides apply to a rewritten name, block lists do not", async () => {
  const at = (...more: readonly DomainOverride[]) => bed(leads("a.test.", "b.test."), ...more);
  assert.equal(await answerLines(at(), "a.test"), "a.test b.test, b.test 192.0.2.106");
  const answered = at(permit("b.test.", { ResultIP: "192.0.2.9" }));
  assert.equal(await answerLines(answered, "a.test"), "a.test b.test, b.test 192.0.2.9");
  const why = explained(answered, "a.test");
  assert.deepEqual([why.verdict, why.answer], ["rewrite", "192.0.2.9"]);
  assert.equal(
    why.reason,
    "An override rewrites a.test to b.test. An override rewrites b.test to 192.0.2.9",
  );
  const blocked = at(override("b.test.", { ClientIP: CLIENT }));
  assert.equal(await answerLines(blocked, "a.test"), "code 3");
  assert.match(JSON.stringify(blocked.records.at(-1)!.by), /b\.test\./);
  assert.equal(
    await answerLines(blocked, "a.test", { from: "192.168.2.10" }),
    "a.test b.test, b.test 192.0.2.106",
  );
  const stopped = explained(blocked, "a.test");
  assert.deepEqual([stopped.verdict, stopped.answer], ["block", ""]);
  assert.equal(stopped.reason, "An override rewrites a.test to b.test. An override blocks b.test");
  assert.deepEqual(stopped.overrides.map(({ domain, applies: holds }) => [domain, holds]), [
    ["b.test.", true],
    ["a.test.", true],
  ]);
  const listed = bed(leads("a.test.", "listed.test."));
  assert.equal(await answerLines(listed, "listed.test"), "code 3");
  assert.equal(await answerLines(listed, "a.test"), "a.test listed.test, listed.test 192.0.2.111");
  assert.equal(explained(listed, "a.test").verdict, "rewrite");
});

Deno.test("an override may rewrite to a subdomain of its domain, which is not rewritten again", async () => {
  const dns = bed(leads("search.test.", "safe.search.test."));
  const safe = "safe.search.test 192.0.2.116";
  assert.equal(await answerLines(dns, "search.test"), `search.test safe.search.test, ${safe}`);
  assert.equal(
    await answerLines(dns, "www.search.test"),
    `www.search.test safe.search.test, ${safe}`,
  );
  assert.equal(
    await answerLines(dns, "safe.search.test"),
    safe,
    "the name itself is no alias of itself",
  );
  const why = explained(dns, "safe.search.test");
  assert.equal(why.verdict, "pass");
  assert.equal(
    why.reason,
    "An override rewrites search.test to this very name, so it is resolved as usual",
  );
});

Deno.test("a rewrite loop is followed once", async () => {
  const two = bed(leads("a.test.", "b.test."), leads("b.test.", "a.test."));
  assert.equal(await answerLines(two, "a.test"), "a.test b.test, b.test 192.0.2.106");
  assert.equal(await answerLines(two, "b.test"), "b.test a.test, a.test 192.0.2.106");
  assert.equal(explained(two, "a.test").answer, "b.test.");
  const back = bed(leads("cdn.shop.example.", "shop.example."));
  assert.match(
    await answerLines(back, "shop.example"),
    /^shop\.example cdn\.shop\.example, cdn\S+ 192/,
  );
  const many = bed(
    ...Array.from({ length: 30 }, (_, i) => leads(`n${i}.test.`, `n${i + 1}.test.`)),
  );
  const message = await many.query("n0.test", 1, { stream: true });
  assert.equal(message?.answers.length, 9);
});

Deno.test("any rewrites of overrides end in an answer that has no name twice", async () => {
  const names = ["a.test.", "b.test.", "c.test.", "x.a.test.", "cdn.shop.example."];
  const edge = fc.tuple(fc.constantFrom(...names, "test.", "."), fc.constantFrom(...names))
    .filter(([from, to]) => from !== to);
  await fc.assert(
    fc.asyncProperty(fc.array(edge, { maxLength: 8 }), async (edges) => {
      const unique = [...new Map(edges).entries()];
      const dns = bed(...unique.map(([from, to]) => leads(from, to)));
      for (const name of ["a.test", "x.a.test", "shop.example"]) {
        const message = await dns.query(name, 1, { stream: true });
        assert.equal(message?.code, 0);
        const owners = message!.answers.map((one) => one.name.toLowerCase());
        assert.equal(new Set(owners).size, owners.length, owners.join());
        assert.equal(message?.answers.at(-1)?.type, 1);
        assert.ok(["pass", "rewrite"].includes(explained(dns, name).verdict));
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("an explanation agrees with the answer, however verdicts combine", async () => {
  const domains = ["shop.example.", "cdn.shop.example.", "edge.test.", "test.", ".", "b.test."];
  const decision = fc.record({
    domain: fc.constantFrom(...domains),
    client: fc.constantFrom("*", CLIENT, "192.168.2.10"),
    what: fc.constantFrom("permit", "block", "address", "b.test.", "listed.test.", "edge.test."),
  });
  const made = fc.uniqueArray(decision, {
    maxLength: 6,
    selector: ({ domain, client }) => `${domain} ${client}`,
  });
  await fc.assert(
    fc.asyncProperty(made, fc.boolean(), async (decisions, listed) => {
      const overrides = decisions.filter(({ domain, what }) => domain !== what).map((one) =>
        override(one.domain, {
          Type: one.what === "block" ? "block" : "permit",
          ClientIP: one.client,
          ...(one.what === "address" ? { ResultIP: "192.168.2.77" } : {}),
          ...(one.what.endsWith(".") ? { ResultCNAME: one.what } : {}),
        })
      );
      const dns = bed(...overrides);
      if (listed) {
        dns.table = tableOf({ [LIST]: ["edge.test"] });
        dns.block({});
      }
      for (const from of [CLIENT, "192.168.2.10"]) {
        dns.configure({
          clients: [CLIENT, "192.168.2.10"].map((address) => dnsClient({ address })),
        });
        const message = await dns.query("shop.example", 1, { from });
        const why = explained(dns, "shop.example", dnsClient({ address: from }));
        const last = message!.answers.at(-1);
        const text = JSON.stringify({ from, decisions, listed, why, message });
        if (why.verdict === "block") {
          // A blocked name with a permitted one below it exists, without data (RFC 8020).
          const isAbove = overrides.some((one) =>
            one.Type === "permit" && one.Domain.endsWith(".shop.example.") &&
            ["*", from].includes(one.ClientIP)
          );
          assert.deepEqual([message?.code, last], [isAbove ? 0 : 3, undefined], text);
          continue;
        }
        if (why.verdict === "pass") assert.equal(last?.data, "192.0.2.7", text);
        else if (why.answer.endsWith(".")) {
          assert.equal(`${last?.name.toLowerCase()}.`, why.answer, text);
          assert.notEqual(last?.data, "192.168.2.77", text);
        } else assert.equal(last?.data, why.answer, text);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("a missing or failed last name decides the whole answer", async () => {
  const dns = bed(leads("a.test.", "gone.test."), leads("c.test.", "nobody.lan."));
  assert.equal(await answerLines(dns, "a.test"), "code 3, a.test gone.test");
  assert.equal(await answerLines(dns, "c.test"), "code 3, c.test nobody.lan");
  dns.serve(DEFAULT_UPSTREAM, () => []);
  dns.block({ OverrideLists: [overrideList([leads("b.test.", "silent.test.")])] });
  assert.equal(await answerLines(dns, "b.test", { wait: 10_000 }), "code 2");
});

Deno.test("a blocked name with an exception of its list below it exists, without data (RFC 8020)", async () => {
  const dns = bed();
  dns.table = tableOf({ [LIST]: ["b.example", "@good.x.b.example"] });
  dns.block({ BlockLists: [blockList(LIST)] });
  assert.equal(await answerLines(dns, "good.x.b.example"), "good.x.b.example 192.0.2.116");
  for (const name of ["b.example", "x.b.example"]) {
    assert.equal(await answerLines(dns, name), "", name);
  }
  for (const name of ["other.b.example", "bad.x.b.example"]) {
    assert.equal(await answerLines(dns, name), "code 3", name);
  }
  dns.block({ BlockLists: [] });
  assert.match(await answerLines(dns, "b.example"), /^b\.example 192/);
});
