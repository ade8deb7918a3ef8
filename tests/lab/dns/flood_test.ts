import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { data, dig } from "../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const RESOLVER = "198.51.100.53";
/** What the resolver of the lab answers for every name. */
const ANSWER = "198.51.100.80";
/** Questions of one device that may wait. */
const OF_ONE = 100;

Deno.test("a client that floods has its own queries shed and counted, and others are answered", async () => {
  const provider = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
  const files = { "base/dns.json": { UpstreamProviders: [provider] } };
  const options = { lab: { clients: 2 }, router: { services: "dnsd", files } };
  await withBed({ name: "dnsflood", ...options }, async (bed) => {
    const { lab, router, clients: [a, b] } = bed;
    await must("ip", ["-n", lab.space("wan"), "address", "add", `${RESOLVER}/32`, "dev", "lo"]);
    await lab.deno("wan", "dns/upstream.ts", [RESOLVER]).line(/^ready$/);
    await give(router, a!.mac, { Policies: ["dns"] });
    await give(router, b!.mac, { Policies: ["dns"], Name: "laptop" });
    // Of what comes while the resolver's socket is full, everybody's is lost: clients ask again.
    const ask = (...question: readonly string[]) => dig(lab, "b", LAN, "+tries=4", ...question);
    const status = async () => (await router.api("GET", "/dns/status")).json;
    await eventually("dnsd answers", async () => data(await ask("known.test")) === ANSWER);
    // Each of its names takes the resolver outside a second.
    const flood = lab.deno("a", "dns/flood.ts", [LAN, "slow1000"]);
    await flood.line(/^flooding$/);
    await eventually("it is shed", async () => (await status()).counters.shed > 1000);
    for (let i = 0; i < 10; i++) {
      assert.equal(data(await ask("known.test")), ANSWER, "from memory");
      assert.equal(data(await ask("laptop.lan")), b!.IP, "of home");
      assert.equal(data(await ask(`other${i}.test`)), ANSWER, "from outside");
      assert.ok((await status()).pending <= OF_ONE + 1);
    }
    assert.equal(await flood.stop(), 0);
    const sent = Number(/^sent (\d+)$/m.exec(flood.output)?.[1]);
    const { counters: { shed, queries } } = await status();
    assert.ok(shed > 1000 && shed <= queries && queries <= sent + 1000, `${shed} of ${sent}`);
    await eventually("all is over", async () => (await status()).pending === 0);
    assert.equal(data(await dig(lab, "a", LAN, "again.test")), ANSWER, "it may ask again");
  });
});
