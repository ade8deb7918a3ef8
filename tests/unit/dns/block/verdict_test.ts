import assert from "node:assert/strict";
import fc from "fast-check";
import { explain } from "../../../../system/dns/block/verdict/explain.ts";
import type { BlockConfig, DomainOverride } from "../../../../system/dns/block/schema.ts";
import {
  compileFilter,
  decide,
  type Verdict,
} from "../../../../system/dns/block/verdict/verdict.ts";
import type { DnsClient } from "../../../../system/dns/resolver/client.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";
import {
  blockConfig,
  blockList,
  dnsClient,
  override,
  overrideList,
  tableOf,
  type TestLists,
} from "../../../kit/dns/block.ts";

const NOW = 1_800_000_000_000;
const TABLET = dnsClient("192.168.2.6");
const ADS = "https://lists.example/ads", KIDS = "https://lists.example/kids";

/** Decides a name under these lists and decisions. */
function verdict(
  name: string,
  given: {
    readonly lists?: TestLists;
    readonly config?: Partial<BlockConfig>;
    readonly client?: DnsClient;
    readonly now?: number;
    readonly local?: boolean;
  } = {},
): Verdict {
  const { lists = {}, config = {}, client = TABLET, now = NOW, local = false } = given;
  const BlockLists = Object.keys(lists).map((uri) => blockList(uri));
  const compiled = compileFilter(blockConfig({ BlockLists, ...config }), tableOf(lists), [client]);
  return decide({ name: nameBytes(name)!, client, now, local }, compiled);
}

const blockedBy = (list: string): Verdict => ({ kind: "block", by: { list }, categories: [] });
const PASS: Verdict = { kind: "pass", categories: [] };

Deno.test("a list blocks its names and what is below them, and no neighbours", () => {
  const lists = { [ADS]: ["ads.example.com", "zip"] };
  for (
    const name of ["ads.example.com", "ads.example.com.", "a.b.ads.example.com", "x.zip", "zip"]
  ) {
    assert.deepEqual(verdict(name, { lists }), blockedBy(ADS), name);
  }
  for (const name of ["example.com", "com", "bads.example.com", "ads.example.org", "."]) {
    assert.deepEqual(verdict(name, { lists }), PASS, name);
  }
});

Deno.test("a dot inside a label makes no parent of it", () => {
  const lists = { [ADS]: ["example.com"] };
  assert.deepEqual(verdict("evil\\.example.com", { lists }), PASS);
  assert.deepEqual(verdict("x.example.com", { lists }), blockedBy(ADS));
});

Deno.test("a list that is disabled, deleted or not for the device blocks nothing", () => {
  const lists = { [ADS]: ["ads.example"], [KIDS]: ["ads.example", "games.example"] };
  const of = (config: Partial<BlockConfig>, client = TABLET, name = "games.example") =>
    verdict(name, { lists, config, client }).kind;
  const kids = (changes: Parameters<typeof blockList>[1]) => ({
    BlockLists: [blockList(KIDS, changes)],
  });
  assert.equal(of(kids({})), "block");
  assert.equal(of(kids({ Enabled: false })), "pass");
  assert.equal(of({ BlockLists: [] }), "pass");
  assert.equal(of(kids({ Tags: ["child"] })), "pass");
  assert.equal(
    of(kids({ Tags: ["child"] }), dnsClient("192.168.2.6", { tags: ["child"] })),
    "block",
  );
  // One list for all decides although another that holds it as well is for some.
  const both = { BlockLists: [blockList(KIDS, { Tags: ["child"] }), blockList(ADS)] };
  assert.equal(of(both, TABLET, "ads.example"), "block");
});

Deno.test("a list that only logs categories blocks nothing, and its category is in the verdict", () => {
  const lists = { [ADS]: ["ads.example"], [KIDS]: ["ads.example"] };
  const BlockLists = [blockList(ADS, { DontBlock: true, Category: "adverts" })];
  assert.deepEqual(verdict("x.ads.example", { lists, config: { BlockLists } }), {
    kind: "pass",
    categories: ["adverts"],
  });
  const both = { BlockLists: [...BlockLists, blockList(KIDS, { Category: "games" })] };
  assert.deepEqual(verdict("ads.example", { lists, config: both }), {
    kind: "block",
    by: { list: KIDS },
    categories: ["adverts", "games"],
  });
});

Deno.test("a permit of a sub-domain beats a blocked parent, and a block of one a permitted parent", () => {
  const lists = { [ADS]: ["ads.example", "deep.fine.example"] };
  const decided = (name: string, ...overrides: DomainOverride[]) =>
    verdict(name, {
      lists,
      config: {
        BlockLists: [blockList(ADS)],
        OverrideLists: [overrideList(overrides)],
      },
    }).kind;
  const permit = (domain: string) => override(domain, { Type: "permit" });
  assert.equal(decided("good.ads.example", permit("good.ads.example.")), "pass");
  assert.equal(decided("x.good.ads.example", permit("good.ads.example.")), "pass");
  assert.equal(decided("bad.ads.example", permit("good.ads.example.")), "block");
  assert.equal(decided("a.b.example", override("b.example."), permit("a.b.example.")), "pass");
  assert.equal(decided("c.b.example", override("b.example."), permit("a.b.example.")), "block");
  assert.equal(decided("a.b.example", permit("b.example."), override("a.b.example.")), "block");
  // A person's word for the parent beats a list's for the child.
  assert.equal(decided("deep.fine.example", permit("fine.example.")), "pass");
});

Deno.test("overrides of one domain for different clients live side by side", () => {
  const OverrideLists = [overrideList([
    override("video.example."),
    override("video.example.", { Type: "permit", ClientIP: "192.168.2.6" }),
    override("video.example.", { ClientIP: "192.168.2.10", ResultIP: "203.0.113.9" }),
  ])];
  const of = (address: string) =>
    verdict("www.video.example", { config: { OverrideLists }, client: dnsClient(address) });
  assert.equal(of("192.168.2.6").kind, "pass");
  assert.equal(of("192.168.2.14").kind, "block");
  assert.deepEqual(of("192.168.2.10"), {
    kind: "rewrite",
    address: "203.0.113.9",
    by: { override: { list: "Default", domain: "video.example.", client: "192.168.2.10" } },
    categories: [],
  });
});

Deno.test("the verdict of a permit turns DNS rebinding protection off", () => {
  const OverrideLists = [overrideList([override("nas.example.", { Type: "permit" })])];
  assert.deepEqual(verdict("nas.example", { config: { OverrideLists } }), {
    kind: "pass",
    permitted: { override: { list: "Default", domain: "nas.example.", client: "*" } },
    categories: [],
  });
});

Deno.test("the client needs the tags of an override and of its list", () => {
  const tagged = (tags: readonly string[], own: string[], list: string[]) =>
    verdict("video.example", {
      client: dnsClient("192.168.2.6", { tags }),
      config: {
        OverrideLists: [
          overrideList([override("video.example.", { Tags: own, ResultIP: "203.0.113.9" })], {
            Tags: list,
          }),
        ],
      },
    }).kind;
  assert.equal(tagged([], [], []), "rewrite");
  assert.equal(tagged([], ["child"], []), "pass");
  assert.equal(tagged(["child"], ["child"], []), "rewrite");
  assert.equal(tagged(["child"], ["child"], ["guest"]), "pass");
  assert.equal(tagged(["child", "guest"], ["child"], ["guest"]), "rewrite");
});

Deno.test("an override expires exactly at its second", () => {
  const end = 1_800_000_100;
  const OverrideLists = [overrideList([override("video.example.", { Expiration: end })])];
  const at = (now: number) => verdict("video.example", { config: { OverrideLists }, now }).kind;
  assert.equal(at(end * 1000 - 1), "block");
  assert.equal(at(end * 1000), "pass");
});

Deno.test("a temporary override takes precedence over a permanent one", () => {
  const OverrideLists = [overrideList([
    override("video.example.", { Type: "permit" }),
    override("video.example.", { Expiration: NOW / 1000 + 60 }),
  ])];
  const at = (now: number) => verdict("video.example", { config: { OverrideLists }, now }).kind;
  assert.equal(at(NOW), "block");
  assert.equal(at(NOW + 60_000), "pass");
});

Deno.test("an override of every name with permits is an allow list", () => {
  const OverrideLists = [overrideList([
    override(".", { ClientIP: "192.168.2.6" }),
    override("school.example.", { Type: "permit", ClientIP: "192.168.2.6" }),
  ])];
  const of = (name: string) => verdict(name, { config: { OverrideLists } }).kind;
  assert.equal(of("video.example"), "block");
  assert.equal(of("www.school.example"), "pass");
});

Deno.test("a local name beats a block list, and an override beats both", () => {
  const lists = { [ADS]: ["printer.lan"] };
  assert.equal(verdict("printer.lan", { lists }).kind, "block");
  assert.equal(verdict("printer.lan", { lists, local: true }).kind, "pass");
  const config = { OverrideLists: [overrideList([override("printer.lan.")])] };
  assert.equal(verdict("printer.lan", { config, local: true }).kind, "block");
});

Deno.test("an excluded device gets everything, one in quarantine its host or nothing", () => {
  const lists = { [ADS]: ["ads.example"] };
  const ClientIPExclusions = ["192.168.2.6"];
  const BlockLists = [blockList(ADS)];
  const excluded = { lists, config: { BlockLists, ClientIPExclusions } };
  assert.deepEqual(verdict("ads.example", excluded), PASS);
  const other = dnsClient("192.168.2.10");
  assert.equal(verdict("ads.example", { ...excluded, client: other }).kind, "block");
  const client = dnsClient("192.168.2.10", { policies: ["wan", "quarantine"] });
  assert.deepEqual(verdict("fine.example", { client }), { kind: "quarantine" });
  const config = { QuarantineHostIP: "192.168.2.1" };
  assert.deepEqual(verdict("fine.example", { client, config }), {
    kind: "quarantine",
    address: "192.168.2.1",
  });
});

const label = fc.constantFrom("a", "b", "c", "d");
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const tags = fc.subarray(["t1", "t2"]);
const anyOverride = fc.record({
  Type: fc.constantFrom("permit", "block"),
  Domain: domain.map((name) => `${name}.`),
  ResultIP: fc.constantFrom("", "", "203.0.113.9"),
  ResultCNAME: fc.constant(""),
  ClientIP: fc.constantFrom("*", "192.168.2.6", "192.168.2.10"),
  Expiration: fc.constantFrom(0, 0, NOW / 1000 - 1, NOW / 1000 + 1),
  Tags: tags,
});
const anyList = fc.record({
  names: fc.array(fc.tuple(domain, fc.constantFrom("", "", "@", "@", "!", "@!")), { maxLength: 8 }),
  enabled: fc.boolean(),
  dontBlock: fc.boolean(),
  tags,
});

/** Whether a list blocks a name with these parents, itself among them. */
function listBlocks(parents: readonly string[], names: readonly string[]): boolean {
  const says = (begin: string) => parents.some((parent) => names.includes(`${begin}${parent}`));
  if (says("@!")) return false;
  return says("!") || (says("") && !says("@"));
}

/** What decides, worked out of texts alone and in the order of the words. */
function naive(
  name: string,
  client: DnsClient,
  given: { readonly config: BlockConfig; readonly lists: TestLists },
): string {
  const labels = name.split(".");
  const parents = labels.map((_, i) => labels.slice(i).join("."));
  const has = (wanted: readonly string[]) =>
    wanted.length === 0 || wanted.some((tag) => client.tags.includes(tag));
  for (const parent of parents) {
    const candidates = given.config.OverrideLists.flatMap((list) =>
      !list.Enabled || !has(list.Tags)
        ? []
        : [...list.PermitDomains, ...list.BlockDomains].filter((one) =>
          one.Domain === `${parent}.` && has(one.Tags) &&
          (one.ClientIP === "*" || one.ClientIP === client.address) &&
          (one.Expiration === 0 || one.Expiration * 1000 > NOW)
        )
    );
    const winner = candidates.find((one) => one.ClientIP !== "*" && one.Expiration !== 0) ??
      candidates.find((one) => one.ClientIP !== "*") ??
      candidates.find((one) => one.Expiration !== 0) ?? candidates[0];
    if (winner === undefined) continue;
    return winner.ResultIP !== "" ? "rewrite" : winner.Type === "permit" ? "permitted" : "block";
  }
  const blocked = given.config.BlockLists.some(({ URI, Enabled, DontBlock, Tags }) => {
    const names = given.lists[URI]!;
    return Enabled && !DontBlock && has(Tags) &&
      listBlocks(parents, names);
  });
  return blocked ? "block" : "pass";
}

Deno.test("every verdict agrees with a naive implementation of the rules", () => {
  fc.assert(
    fc.property(
      fc.array(anyList, { maxLength: 4 }),
      fc.array(fc.tuple(fc.array(anyOverride, { maxLength: 6 }), fc.boolean(), tags), {
        maxLength: 3,
      }),
      fc.array(domain, { minLength: 1, maxLength: 10 }),
      tags,
      (anyLists, overrides, names, own) => {
        const lists = Object.fromEntries(
          anyLists.map(({ names }, i) => [
            `https://l${i}.example/`,
            names.map(([name, begin]) => `${begin}${name}`),
          ]),
        );
        const config = blockConfig({
          BlockLists: anyLists.map(({ enabled, dontBlock, tags }, i) =>
            blockList(`https://l${i}.example/`, {
              Enabled: enabled,
              DontBlock: dontBlock,
              Tags: tags,
            })
          ),
          OverrideLists: overrides.map(([list, Enabled, Tags], i) =>
            overrideList(list, { Enabled, Tags, Name: `o${i}` })
          ),
        });
        const client = dnsClient("192.168.2.6", { tags: own });
        const compiled = compileFilter(config, tableOf(lists), [client], NOW);
        for (const name of names) {
          const found = decide({ name, client, now: NOW }, compiled);
          const kind = found.kind === "pass" && found.permitted ? "permitted" : found.kind;
          assert.equal(kind, naive(name, client, { config, lists }), name);
          const explanation = explain(
            { name, client, address: client.address, now: NOW },
            compiled,
          );
          assert.equal(explanation.verdict, found.kind);
          // What holds in the explanation is what decided.
          if (found.kind === "block" && "list" in found.by) {
            const { list } = found.by;
            assert.ok(explanation.lists.some(({ uri, applies: holds }) => uri === list && holds));
          }
          if (explanation.by !== null && "override" in explanation.by) {
            assert.equal(explanation.overrides[0]?.applies, true);
            assert.equal(explanation.overrides[0]?.domain, explanation.by.override.domain);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("an explanation names the list, the domain in it, and why another does not apply", () => {
  const lists = {
    [ADS]: ["xn--bcher-kva.example"],
    [KIDS]: ["example", "@www.xn--bcher-kva.example"],
  };
  const compiled = compileFilter(
    blockConfig({
      BlockLists: [blockList(ADS), blockList(KIDS)],
      OverrideLists: [
        overrideList([override("example.", { Type: "permit", ClientIP: "192.168.2.10" })]),
      ],
    }),
    tableOf(lists),
    [TABLET],
  );
  const explanation = explain({
    name: "www.xn--bcher-kva.example",
    client: TABLET,
    address: TABLET.address,
    now: NOW,
  }, compiled);
  assert.deepEqual(explanation, {
    name: "www.xn--bcher-kva.example",
    display: "www.bücher.example",
    client: { address: "192.168.2.6", identity: TABLET.identity, name: "tablet" },
    verdict: "block",
    answer: "",
    by: { list: ADS },
    categories: [],
    reason: `Blocked by the list ${ADS}`,
    lists: [
      { uri: ADS, domain: "xn--bcher-kva.example", applies: true, reason: "" },
      {
        uri: KIDS,
        domain: "example",
        applies: false,
        reason: "The list has an exception for www.xn--bcher-kva.example",
      },
    ],
    overrides: [{
      type: "permit",
      list: "Default",
      domain: "example.",
      client: "192.168.2.10",
      expiration: 0,
      applies: false,
      reason: "It applies only to 192.168.2.10",
    }],
  });
});

Deno.test("of two devices with one address the first counts, as it does for answers", () => {
  const other = { ...TABLET, identity: "02:00:00:00:00:99", tags: ["other"] };
  const compiled = compileFilter(blockConfig({}), tableOf({}), [TABLET, other]);
  assert.equal(compiled.clients.get(TABLET.address)?.identity, TABLET.identity);
});
