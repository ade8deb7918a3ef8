import assert from "node:assert/strict";
import fc from "fast-check";
import { compileFilter, decide } from "../../../../system/dns/block/verdict/verdict.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";
import { NameKey } from "../../../../system/dns/codec/name_key.ts";
import {
  blockConfig,
  blockList,
  dnsClient,
  override,
  overrideList,
  tableOf,
} from "../../../kit/dns/block.ts";

const NOW = 1_800_000_000_000;
const TABLET = dnsClient("192.168.2.6");
const ADS = "https://lists.example/ads";

Deno.test("a query with a cached key gets the same verdict as without it, in any order and for any client", () => {
  const keys = new NameKey(0x1234567, 0x7654321);
  const label = fc.constantFrom("a", "b", "com");
  const domain = fc.array(label, { minLength: 1, maxLength: 2 }).map((labels) => labels.join("."));
  const client = fc.constantFrom(TABLET, dnsClient("192.168.2.10"));
  const decided = fc.record({
    Domain: domain.map((name) => `${name}.`),
    ClientIP: fc.constantFrom("*", TABLET.address),
    Expiration: fc.constantFrom(0, NOW / 1000 + 1, NOW / 1000 - 1),
  });
  const question = fc.record({ name: domain, client, later: fc.boolean(), local: fc.boolean() });
  fc.assert(fc.property(
    fc.array(domain, { maxLength: 6 }),
    fc.uniqueArray(decided, { maxLength: 4, selector: (one) => one.Domain + one.ClientIP }),
    fc.array(question, { minLength: 1, maxLength: 20 }),
    (listed, decisions, questions) => {
      const overrides = decisions.map((one) => override(one.Domain, one));
      const OverrideLists = [overrideList(overrides)];
      const config = blockConfig({ BlockLists: [blockList(ADS)], OverrideLists });
      const compiled = compileFilter(config, tableOf({ [ADS]: listed }), [TABLET]);
      for (const { name, client, later, local } of questions) {
        const wire = nameBytes(name)!;
        const query = { name: wire, client, local, now: later ? NOW + 5000 : NOW };
        const key = keys.of(wire, wire.length);
        const plain = decide(query, compiled);
        assert.deepEqual(decide({ ...query, key }, compiled), plain);
        assert.deepEqual(decide({ ...query, key }, compiled), plain);
      }
    },
  ));
});
