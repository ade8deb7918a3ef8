import assert from "node:assert/strict";
import { eventually, withBed } from "../../kit/lab/bed.ts";
import { INTERNET, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";

const PASSWORD = 'pass "word" \\ 100%';
const OTHER = "203.0.113.9";

Deno.test("a name follows the address of the uplink", async () => {
  const bed = { name: "dyndns", lab: { clients: 1 }, router: { services: "uplinkd" }, leases: 0 };
  await withBed(bed, async ({ lab, router }) => {
    const provider = lab.deno("wan", "dyndns_provider.ts", [PASSWORD]);
    await provider.line(/^ready$/);
    const set = async (fields: Readonly<Record<string, unknown>>) => {
      const answer = await router.api("PUT", "/plugins/dyndns/config", {
        body: {
          provider: "Custom",
          email: "anna",
          password: PASSWORD,
          domains: [{ domain_name: "example.org", sub_domains: ["home"] }],
          update_url: `http://${INTERNET}:8080/u?name={host}&ip={ip}`,
          ...fields,
        },
      });
      assert.equal(answer.status, 200, answer.text);
    };
    const result = async () => (await router.api("GET", "/plugins/dyndns/status")).json.Items[0];
    await set({});
    await provider.line(new RegExp(`^home.example.org ${UPLINK} anna from ${UPLINK}$`));
    await eventually("it is done", async () => (await result()).OK);
    assert.equal((await result()).Address, UPLINK);

    const moved = await router.api("PUT", "/uplink/ip", {
      body: { Name: "wan0", DisableDHCP: true, IP: `${OTHER}/24`, Router: PROVIDER },
    });
    assert.equal(moved.status, 200, moved.text);
    await provider.line(new RegExp(`^home.example.org ${OTHER} anna`));
    await eventually("the new one is known", async () => (await result()).Address === OTHER);

    const before = provider.count(/^home/);
    const refreshed = await router.api("PUT", "/plugins/dyndns/refresh");
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal(provider.count(/^home/), before + 1, "on request it is sent again");

    await set({ ip_urls: [`http://${INTERNET}/`] });
    await provider.until(() => provider.count(/^home/) >= before + 2);
    await eventually("the page reported it", async () => (await result()).OK);

    await set({ password: "wrong" });
    await eventually("it is rejected", async () => {
      const { OK, Message } = await result();
      return !OK && /rejected user name or password/.test(Message);
    });
    for (const secret of [PASSWORD, "wrong"]) assert.ok(!router.process.output.includes(secret));
  });
});
