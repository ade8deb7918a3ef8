import assert from "node:assert/strict";
import { addressesOf, answering, EVERYONE, servedDns } from "../../kit/dns/bed.ts";
import { override, overrideList, tableOf } from "../../kit/dns/block.ts";
import { answerFault } from "../../kit/dns/response_check.ts";
import { Dice, fuzzQuestion, mutated, outsideAnswer } from "../../kit/dns/fuzz.ts";
import { wireOpt, wireQuery } from "../../kit/dns/wire.ts";
import { settle } from "../../kit/dns/fake_upstream.ts";

Deno.test("whatever is asked, the answer is one that others can read, of that question, where it fits", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const dice = new Dice(seed);
  const dns = servedDns({
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
    const asked = Array.from({ length: 20 }, (_, at) => {
      const question = fuzzQuestion(dice, turn * 20 + at);
      const stream = dice.once(3);
      const got = dns.sendNow(question.bytes, { from: "192.168.2.6", stream });
      return { ...question, stream, got };
    });
    await settle();
    await dns.clock.advance(10_000);
    for (const { bytes, valid, stream, got } of asked) {
      const words = `seed ${seed}, asked ${bytes.toHex()}`;
      assert.ok(got.length <= 1, `answered ${got.length} times: ${words}`);
      const [answer] = got;
      if (answer === undefined || answer === null) {
        assert.ok(!valid, `no answer: ${words}`);
        continue;
      }
      const fault = answerFault(bytes, answer, { stream });
      assert.equal(fault, null, `${fault}: ${words}, told ${answer.toHex()}`);
    }
  }
  assert.equal(addressesOf(await dns.ask("printer.lan")), "192.168.2.10", "it goes on");
  assert.deepEqual([dns.outside.open, dns.resolver.lookups.running], [0, 0], "nothing is left");
});

Deno.test("whatever resolvers outside say, what is told of it is whole", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const dice = new Dice(seed);
  const dns = servedDns();
  dns.serve(EVERYONE, (asked) => {
    const right = outsideAnswer(dice, asked);
    return [{ bytes: dice.once(2) ? right : mutated(dice, right), after: 5 }];
  });
  let told = 0;
  for (let turn = 0; turn < 1500; turn++) {
    const asked = wireQuery(`n${turn}.test`, dice.of([1, 1, 28, 16, 65, 255]), {
      additional: dice.once(2) ? [wireOpt({ dnssec: dice.once(2) })] : [],
    });
    const stream = dice.once(3);
    const got = dns.sendNow(asked, { from: "192.168.2.6", stream });
    await settle();
    await dns.clock.advance(6000);
    const words = `seed ${seed}, turn ${turn}`;
    assert.equal(got.length, 1, words);
    const fault = answerFault(asked, got[0]!, { stream, outside: true });
    assert.equal(fault, null, `${fault}: ${words}, told ${got[0]!.toHex()}`);
    if ((got[0]![3]! & 15) === 0) told++;
  }
  assert.ok(told > 500, `${told} were told`);
});

Deno.test("an answer that is not right is seen not to be", async () => {
  const dns = servedDns();
  const asked = wireQuery("Www.Example.com", 1, { additional: [wireOpt()] });
  const [answer] = dns.sendNow(asked, { from: "192.168.2.6", stream: false });
  assert.equal(answer, undefined, "it is asked outside");
  await dns.ask("www.example.com");
  const [right] = dns.sendNow(asked, { from: "192.168.2.6", stream: false });
  const leaseFault = (bytes: Uint8Array) => answerFault(asked, bytes, { stream: false });
  assert.equal(leaseFault(right!), null);
  assert.equal(leaseFault(right!.with(0, 99)), "another id");
  assert.equal(leaseFault(right!.with(2, 0x01)), "no answer but a question");
  assert.equal(leaseFault(right!.with(2, 0xa9)), "another opcode");
  assert.equal(leaseFault(right!.with(3, 0xc0)), "a flag that nobody knows");
  assert.equal(leaseFault(right!.with(13, 0x77)), "another question");
  assert.equal(leaseFault(right!.with(7, 9)) === null, false);
  assert.equal(leaseFault(Uint8Array.from([...right!, 0])), "more bytes than it says");
  assert.match(leaseFault(right!.subarray(0, right!.length - 1)) ?? "", /not to be read/);
  const bare = answerFault(wireQuery("Www.Example.com"), right!, { stream: false });
  assert.equal(bare, "EDNS to who does not speak it");
});

Deno.test("texts that do not fit in their record are not passed on", async () => {
  const dns = servedDns();
  const told = async (data: readonly number[]) => {
    const answers = [{ name: "a.test", type: 16, ttl: 0, data }];
    dns.serve(EVERYONE, answering("", { answers }));
    dns.resolver.flush();
    return (await dns.ask("a.test", 16, { wait: 10_000 }))?.code;
  };
  assert.equal(await told([1, 97, 0, 2, 98, 99]), 0);
  assert.equal(await told([0]), 0);
  for (const data of [[], [2, 97], [1, 97, 5, 98], [1]]) assert.equal(await told(data), 2);
});
