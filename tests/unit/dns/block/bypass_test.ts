import assert from "node:assert/strict";
import { blockDocument } from "../../../../system/dns/block/document.ts";
import { BlockConfig } from "../../../../system/dns/block/schema.ts";
import { explain } from "../../../../system/dns/block/verdict/explain.ts";
import { decide } from "../../../../system/dns/block/verdict/verdict.ts";
import { dnsBed, dnsClient } from "../../../kit/dns/bed.ts";
import { readMessage, wireMessage, wireSoa } from "../../../kit/dns/wire.ts";
import { blockList, override, overrideList, tableOf } from "../../../kit/dns/block.ts";

const ADS = "https://lists.example/ads";
const [NOERROR, NXDOMAIN] = [0, 3];
const NAMES: readonly (readonly [name: string, type: number, code: number])[] = [
  ["_dns.resolver.arpa", 64, NOERROR],
  ["resolver.arpa", 1, NOERROR],
  ["_dns._sub.resolver.arpa", 64, NOERROR],
  ["Use-Application-DNS.net", 1, NXDOMAIN],
  ["mask.icloud.com", 65, NXDOMAIN],
  ["mask-h2.icloud.com", 28, NXDOMAIN],
];
const FILTERED = { BlockLists: [blockList(ADS)] };

/** Names of these that went upstream. */
async function upstream(dns: ReturnType<typeof dnsBed>): Promise<readonly string[]> {
  const before = dns.upstreamQueries.length;
  for (const [name, type] of NAMES) await dns.query(name, type);
  return dns.upstreamQueries.slice(before);
}

Deno.test("names that show a way round the router are answered where a list applies", async () => {
  const dns = dnsBed();
  assert.equal((await upstream(dns)).length, NAMES.length, "nothing filters");
  dns.block(FILTERED);
  dns.resolver.flush();
  for (let again = 0; again < 2; again++) {
    for (const [name, type, code] of NAMES) {
      const response = (await dns.query(name, type))!;
      assert.deepEqual([response.code, response.answers.length], [code, 0], name);
    }
  }
  assert.deepEqual(await upstream(dns), []);
  assert.deepEqual([dns.records.at(-1)!.verdict, dns.records.at(-1)!.by], ["block", "bypass"]);
  for (const name of ["icloud.com", "www.mask.icloud.com", "xresolver.arpa"]) {
    await dns.query(name);
    assert.ok(dns.upstreamQueries.at(-1)!.endsWith(` ${name}`), name);
  }
  dns.block({ BypassCheckDisable: true });
  assert.equal((await upstream(dns)).length, NAMES.length, "the switch is off");
});

Deno.test("what filters counts for each client: family filter, tags, overrides, exclusions", async () => {
  const is = async (
    expected: "kept" | "free",
    client: Partial<ReturnType<typeof dnsClient>>,
    block: Parameters<typeof dns.block>[0],
  ) => {
    const dns = dnsBed({ clients: [dnsClient(client)] });
    dns.block(block);
    assert.equal((await upstream(dns)).length, expected === "kept" ? 0 : NAMES.length);
  };
  const dns = dnsBed();
  const family = { policies: ["dns", "dns:family"] };
  const ClientIPExclusions = [dnsClient().address];
  await is("kept", family, {});
  await is("kept", family, { ClientIPExclusions });
  await is("free", {}, { ...FILTERED, ClientIPExclusions });
  await is("free", {}, { BlockLists: [{ ...blockList(ADS), Tags: ["kids"] }] });
  await is("kept", { tags: ["kids"] }, { BlockLists: [{ ...blockList(ADS), Tags: ["kids"] }] });
  await is("free", {}, { BlockLists: [{ ...blockList(ADS), DontBlock: true }] });
  await is("free", {}, { BlockLists: [{ ...blockList(ADS), Enabled: false }] });
  await is("kept", {}, { OverrideLists: [overrideList([override("games.example.")])] });
});

Deno.test("a client that is not filtered does not open the names for one that is", async () => {
  const kid = dnsClient({ address: "192.168.2.10", tags: ["kids"] });
  const dns = dnsBed({ clients: [dnsClient(), kid] });
  dns.block({ BlockLists: [{ ...blockList(ADS), Tags: ["kids"] }] });
  await dns.query("mask.icloud.com");
  assert.equal((await dns.query("mask.icloud.com", 1, { from: kid.address }))!.code, NXDOMAIN);
});

Deno.test("an override permits such a name, and explain says what decided", () => {
  const dns = dnsBed();
  const address = dnsClient().address;
  const text = (name: string) =>
    explain({ name, address, client: dnsClient({ name: "Tablet" }), now: 0 }, dns.compiled);
  assert.match(text("mask.icloud.com").reason, /resolved as usual, because no names are filtered/);
  dns.block(FILTERED);
  const kept = text("_dns.resolver.arpa");
  assert.deepEqual([kept.verdict, kept.by], ["block", { builtin: "bypass" }]);
  assert.match(kept.reason, /bypass the router's DNS.*Tablet: block lists or custom rules/);
  const permit = { ...override("mask.icloud.com."), Type: "permit" };
  dns.block({ OverrideLists: [{ ...overrideList([]), PermitDomains: [permit] }] });
  assert.equal(text("mask.icloud.com").verdict, "pass");
  dns.block({ OverrideLists: [], BypassCheckDisable: true });
  assert.match(text("mask.icloud.com").reason, /check of such names is off/);
});

Deno.test("a device in quarantine resolves nothing outside, also among the exclusions", async () => {
  const dns = dnsBed({ clients: [dnsClient({ policies: ["dns", "quarantine"] })] });
  for (const QuarantineHostIP of ["", "192.168.2.9"]) {
    dns.block({ QuarantineHostIP, ClientIPExclusions: [dnsClient().address] });
    for (const type of [1, 16, 28, 65]) await dns.query("tunnel.example", type);
  }
  assert.deepEqual(dns.upstreamQueries, []);
  const client = dnsClient({ policies: ["quarantine"] });
  assert.equal(decide({ name: "a.example", client, now: 0 }, dns.compiled).kind, "quarantine");
});

Deno.test("a name with local names or rewritten names below it exists (RFC 8020)", async () => {
  const dns = dnsBed({
    names: [
      { name: "nas.cellar.lan", address: "192.168.2.20" },
      { name: "tv.home.example.com", address: "192.168.2.21" },
    ],
  });
  dns.serve("9.9.9.9", (query) => [{ bytes: noSuchName(query) }]);
  const codes = async (...names: string[]) => {
    const found: number[] = [];
    for (const name of names) found.push((await dns.query(name))!.code);
    return found;
  };
  assert.deepEqual(await codes("cellar.lan", "attic.lan"), [NOERROR, NXDOMAIN]);
  assert.deepEqual(await codes("20.2.168.192.in-addr.arpa", "2.168.192.in-addr.arpa"), [0, 0]);
  assert.deepEqual(await codes("home.example.com", "work.example.com"), [NOERROR, NXDOMAIN]);
  assert.deepEqual(await codes("home.example.com"), [NOERROR], "from the cache as well");
  dns.block({
    OverrideLists: [overrideList([
      override("a.b.rewritten.example.", { ResultIP: "192.168.2.9" }),
      override("x.other.example.", { ResultIP: "192.168.2.9", ClientIP: "192.168.2.99" }),
    ])],
  });
  assert.deepEqual(await codes("b.rewritten.example", "rewritten.example"), [0, 0]);
  assert.deepEqual(await codes("other.example"), [NXDOMAIN], "it is for another client");
});

Deno.test("a blocked name exists where a name below it is permitted", async () => {
  const dns = dnsBed();
  dns.table = tableOf({ [ADS]: ["ads.example"] });
  const permit = { ...override("good.ads.example."), Type: "permit" };
  dns.block({
    ...FILTERED,
    OverrideLists: [{ ...overrideList([]), PermitDomains: [permit] }],
  });
  const parent = (await dns.query("ads.example"))!;
  assert.deepEqual([parent.code, parent.answers.length], [NOERROR, 0]);
  assert.equal((await dns.query("bad.ads.example"))!.code, NXDOMAIN);
  assert.equal((await dns.query("good.ads.example"))!.code, NOERROR);
});

function noSuchName(query: Uint8Array): Uint8Array {
  const { id, questions } = readMessage(query);
  return wireMessage({ id, flags: 0x8183, questions, authority: [wireSoa("example", 60, 60)] });
}

Deno.test("every setting of blocking is read from its file", () => {
  const config = BlockConfig.parse({
    BlockLists: [blockList(ADS)],
    OverrideLists: [overrideList([override("a.example.")])],
    ClientIPExclusions: ["192.168.2.6"],
    RefreshSeconds: 86_400,
    QuarantineHostIP: "192.168.2.9",
    RebindingCheckDisable: true,
    BypassCheckDisable: true,
  });
  assert.deepEqual(Object.keys(config).toSorted(), Object.keys(BlockConfig.shape).toSorted());
  assert.deepEqual(blockDocument.read(structuredClone(config)).value, config);
});
