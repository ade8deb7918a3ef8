import assert from "node:assert/strict";
import { eventually } from "../../kit/lab/bed.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { withUplinks } from "../../kit/lab/uplinks.ts";

const LAN = "192.168.2.1";
/** The resolver that people named, of which the network lets nothing through at first. */
const NAMED = "198.51.100.53";
/** The resolver that comes with the lease of the second uplink. */
const LEASED = "100.64.5.53";
/** What the resolvers of the lab answer for every name. */
const ANSWER = "198.51.100.80";

Deno.test("in a network that blocks all other resolvers, the ISP resolver is used as configured", async (t) => {
  const provider = { IPAddress: NAMED, TLSHost: "", DisableTls: true };
  const settings = { UpstreamTLSHost: "", UpstreamIPAddress: NAMED, TlsDisable: true };
  const options = {
    name: "dnsprov",
    services: "dnsd",
    dhcp: [`--dhcp-option=6,${LEASED}`],
    files: { "base/dns.json": { UpstreamProviders: [provider] } },
  };
  await withUplinks(options, async ({ lab, router, client }) => {
    await lab.must("wan", "ip", ["address", "add", `${LEASED}/32`, "dev", "lo"]);
    const leased = lab.deno("wan", "dns/upstream.ts", [LEASED]);
    await leased.line(/^ready$/);
    let count = 0, marks = 0;
    /** Names that the resolver of the lease was asked for so far; what it prints comes in order. */
    const asked = async (): Promise<readonly string[]> => {
      const mark = `mark${marks++}.test`;
      await dig(lab, "wan", LEASED, mark);
      await leased.line(new RegExp(` ${mark}$`, "im"));
      return leased.output.match(/ n\d+\.test$/gim) ?? [];
    };
    const ask = async () => data(await dig(lab, client.name, LAN, `n${count++}.test`));
    const set = async (ProviderResolvers: string): Promise<void> => {
      const body = { ...settings, ProviderResolvers };
      assert.equal((await router.api("PUT", "/dnsSettings", { body })).status, 200);
    };
    const states = async () => {
      const { upstreams } = (await router.api("GET", "/dns/status")).json;
      return upstreams.map((
        { name, resolvers }: { name: string; resolvers: { address: string; state: string }[] },
      ) => [name, ...resolvers.map(({ address, state }) => `${address} ${state}`)].join(" "));
    };
    const notices = async () => {
      const { items } = (await router.api("GET", "/notices")).json;
      return items.map(({ detail }: { detail: string }) => detail);
    };
    await eventually("there is a lease", async () => {
      const wan = (await router.api("GET", "/wan/status")).json;
      return wan?.some(({ DNS }: { DNS: readonly string[] }) => DNS.includes(LEASED));
    });
    await eventually(
      "dnsd answers",
      async () => data(await dig(lab, client.name, LAN, "router.lan")) !== "nothing",
    );

    await t.step("by default it is not used, even if no other resolver responds", async () => {
      for (let i = 0; i < 2; i++) assert.notEqual(await ask(), ANSWER);
      assert.deepEqual(await asked(), []);
      assert.ok(!(await states()).some((one: string) => one.startsWith("provider")));
    });

    await t.step("as fallback it is used, and a notice says so", async () => {
      await set("fallback");
      await eventually("a name is found", async () => await ask() === ANSWER);
      assert.equal(await ask(), ANSWER);
      assert.match(leased.output, new RegExp(`^query udp ${LEASED} 1 n\\d+\\.test$`, "im"));
      await eventually(
        "the notice",
        async () => (await notices()).some((one: string) => /ISP resolvers are used/.test(one)),
      );
      const now = await states();
      assert.ok(now.includes(`default ${NAMED} down`) && now.includes(`provider ${LEASED} up`));
    });

    await t.step("as soon as the configured resolver responds, only that is used", async () => {
      await lab.must("wan", "ip", ["address", "add", `${NAMED}/32`, "dev", "lo"]);
      await lab.deno("wan", "dns/upstream.ts", [NAMED]).line(/^ready$/);
      await eventually("it is queried", async () => {
        assert.equal(await ask(), ANSWER);
        return (await states()).includes(`default ${NAMED} up`);
      });
      const before = await asked();
      for (let i = 0; i < 10; i++) assert.equal(await ask(), ANSWER);
      assert.deepEqual(await asked(), before);
      await eventually(
        "the notice is closed",
        async () => !(await notices()).some((one: string) => /provider/.test(one)),
      );
    });

    await t.step(
      "as first choice it is used although the configured resolver responds",
      async () => {
        await set("first");
        await eventually("it is queried", async () => {
          const before = await asked();
          return await ask() === ANSWER && (await asked()).length > before.length;
        });
        await set("never");
        // The change is in force here before it has reached dnsd.
        await eventually(
          "dnsd has the settings",
          async () => !(await states()).some((one: string) => one.startsWith("provider")),
        );
        const before = await asked();
        for (let i = 0; i < 5; i++) assert.equal(await ask(), ANSWER);
        assert.deepEqual(await asked(), before);
      },
    );
  });
});
