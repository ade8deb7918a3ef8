import assert from "node:assert/strict";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { orderedListing } from "../../kit/builders/ordered_listing.ts";

/** A list of blocks as `configs/base/firewall.json` has it. */
function blocks(count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, i) => ({
    Protocol: i % 2 === 0 ? "tcp" : "udp",
    SrcIP: `10.${i % 7}.${i >> 8}.${i & 255}`,
    DstIP: "0.0.0.0/0",
    DstPort: i % 3 === 0 ? "any" : String(1 + i),
  }));
}

Deno.test("5,000 rules come, are halved and go at once, while a connection runs", async () => {
  await withBed({ name: "many", lab: { clients: 1 } }, async ({ lab, router, clients }) => {
    const [a] = clients as [typeof clients[0]];
    await give(router, a.mac, { Policies: ["wan"] });
    const config = (await router.api("GET", "/firewall/config")).json;
    const ruleset = async (): Promise<readonly string[]> =>
      orderedListing(await lab.must("router", "nft", ["-s", "list", "ruleset"]));
    const file = `${router.home}/configs/base/firewall.json`;
    const before = await ruleset();
    const held = await lab.hold("a", INTERNET);
    const own = { Protocol: "tcp", SrcIP: a.IP, DstIP: INTERNET, DstPort: "80" };
    for (const count of [5000, 2500, 5000, 0]) {
      const rules = count === 0 ? [] : [...blocks(count - 1), own];
      await Deno.writeTextFile(file, JSON.stringify({ ...config, ForwardingBlockRules: rules }));
      const stored = async (): Promise<boolean> => {
        const { ForwardingBlockRules } = (await router.api("GET", "/firewall/config")).json;
        return ForwardingBlockRules.length === count;
      };
      await eventually(`${count} rules are in force`, stored);
      assert.equal(await lab.tcp("a", INTERNET, 80), count === 0 ? "open" : "timeout");
    }
    assert.deepEqual(await ruleset(), before, "nothing is left of them");
    assert.equal(held.alive, true, "nothing was cut that is allowed");
    await held.close();
    assert.deepEqual((await router.api("GET", "/notices")).json.items, []);
  });
});
