import assert from "node:assert/strict";
import { addressesOf, DEFAULT_UPSTREAM, dnsBed, respondWith } from "../../kit/dns/bed.ts";
import { override, overrideList, tableOf } from "../../kit/dns/block.ts";
import { responseError } from "../../kit/dns/response_check.ts";
import { fuzzQuery, mutate, SeededRandom, upstreamResponse } from "../../kit/dns/fuzz.ts";
import { wireOpt, wireQuery } from "../../kit/dns/wire.ts";
import { settle } from "../../kit/dns/fake_upstream.ts";

Deno.test("every response is well-formed, matches its query and fits the client's limit", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const random = new SeededRandom(seed);
  const dns = dnsBed({
    names: [
      { name: "printer.lan", address: "192.168.2.10" },
      { name: "printer.lan", address: "fd00::10" },
    ],
  });
  dns.table = tableOf({ "https://lists.example/": ["blocked.test"] });
  dns.block({
    BlockLists: [{
      URI: "https://lists.example/",
      Enabled: true,
      Tags: [],
      Category: "",
      DontBlock: false,
    }],
    OverrideLists: [overrideList([
      override("mem.test.", { Type: "permit", ResultIP: "192.168.2.9" }),
      override("x.test.", { Type: "permit", ResultCNAME: "other.test." }),
    ])],
  });
  for (let turn = 0; turn < 200; turn++) {
    const exchanges = Array.from({ length: 20 }, (_, at) => {
      const question = fuzzQuery(random, turn * 20 + at);
      const stream = random.once(3);
      const got = dns.sendNow(question.bytes, { from: "192.168.2.6", stream });
      return { ...question, stream, got };
    });
    await settle();
    await dns.clock.advance(10_000);
    for (const { bytes, valid, stream, got } of exchanges) {
      const text = `seed ${seed}, query ${bytes.toHex()}`;
      assert.ok(got.length <= 1, `answered ${got.length} times: ${text}`);
      const [answer] = got;
      if (answer === undefined || answer === null) {
        assert.ok(!valid, `no answer: ${text}`);
        continue;
      }
      const fault = responseError(bytes, answer, { stream });
      assert.equal(fault, null, `${fault}: ${text}, response ${answer.toHex()}`);
    }
  }
  assert.equal(addressesOf(await dns.query("printer.lan")), "192.168.2.10", "it goes on");
  assert.deepEqual([dns.network.open, dns.resolver.lookups.running], [0, 0], "nothing is left");
});

Deno.test("whatever upstream resolvers send, responses to clients are well-formed", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const random = new SeededRandom(seed);
  const dns = dnsBed();
  dns.serve(DEFAULT_UPSTREAM, (query) => {
    const right = upstreamResponse(random, query);
    return [{ bytes: random.once(2) ? right : mutate(random, right), after: 5 }];
  });
  let answered = 0;
  for (let turn = 0; turn < 1500; turn++) {
    const query = wireQuery(`n${turn}.test`, random.of([1, 1, 28, 16, 65, 255]), {
      additional: random.once(2) ? [wireOpt({ dnssec: random.once(2) })] : [],
    });
    const stream = random.once(3);
    const got = dns.sendNow(query, { from: "192.168.2.6", stream });
    await settle();
    await dns.clock.advance(6000);
    const text = `seed ${seed}, turn ${turn}`;
    assert.equal(got.length, 1, text);
    const fault = responseError(query, got[0]!, { stream, isForeign: true });
    assert.equal(fault, null, `${fault}: ${text}, response ${got[0]!.toHex()}`);
    if ((got[0]![3]! & 15) === 0) answered++;
  }
  assert.ok(answered > 500, `${answered} were answered`);
});

Deno.test("the response check finds invalid responses", async () => {
  const dns = dnsBed();
  const query = wireQuery("Www.Example.com", 1, { additional: [wireOpt()] });
  const [answer] = dns.sendNow(query, { from: "192.168.2.6", stream: false });
  assert.equal(answer, undefined, "it is queried upstream");
  await dns.query("www.example.com");
  const [right] = dns.sendNow(query, { from: "192.168.2.6", stream: false });
  const faultOf = (bytes: Uint8Array) => responseError(query, bytes, { stream: false });
  assert.equal(faultOf(right!), null);
  assert.equal(faultOf(right!.with(0, 99)), "another id");
  assert.equal(faultOf(right!.with(2, 0x01)), "no answer but a question");
  assert.equal(faultOf(right!.with(2, 0xa9)), "another opcode");
  assert.equal(faultOf(right!.with(3, 0xc0)), "a flag that nobody knows");
  assert.equal(faultOf(right!.with(13, 0x77)), "another question");
  assert.equal(faultOf(right!.with(7, 9)) === null, false);
  assert.equal(faultOf(Uint8Array.from([...right!, 0])), "more bytes than it says");
  assert.match(faultOf(right!.subarray(0, right!.length - 1)) ?? "", /not to be read/);
  const bare = responseError(wireQuery("Www.Example.com"), right!, { stream: false });
  assert.equal(bare, "EDNS to who does not speak it");
});

Deno.test("character strings that overrun their record are not passed on", async () => {
  const dns = dnsBed();
  const codeOf = async (data: readonly number[]) => {
    const answers = [{ name: "a.test", type: 16, ttl: 0, data }];
    dns.serve(DEFAULT_UPSTREAM, respondWith("", { answers }));
    dns.resolver.flush();
    return (await dns.query("a.test", 16, { wait: 10_000 }))?.code;
  };
  assert.equal(await codeOf([1, 97, 0, 2, 98, 99]), 0);
  assert.equal(await codeOf([0]), 0);
  for (const data of [[], [2, 97], [1, 97, 5, 98], [1]]) assert.equal(await codeOf(data), 2);
});
