import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { startUpstreams } from "../../kit/dns/lab_upstreams.ts";
import { certificate, data, dig, type Dug } from "../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const [FIRST, SECOND, FAMILY] = ["198.51.100.53", "198.51.100.54", "198.51.100.55"];
const ANSWER = "198.51.100.80";

Deno.test("DNS over TLS is never downgraded, certificates are verified, and failover works", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-tls-" });
  try {
    const right = await certificate(folder, "resolver.test");
    const wrong = await certificate(folder, "elsewhere.test");
    const provider = (IPAddress: string) => ({
      IPAddress,
      TLSHost: "resolver.test",
      DisableTls: false,
    });
    const files = {
      "base/dns.json": {
        UpstreamProviders: [FIRST, SECOND].map(provider),
        FamilyProviders: [provider(FAMILY)],
      },
    };
    await withBed(
      { name: "dot", lab: { clients: 1 }, router: { services: "dnsd", files } },
      async (bed) => {
        const { lab, router, clients: [a] } = bed;
        const trusted = (await Deno.readTextFile(right.ca)) + (await Deno.readTextFile(wrong.ca));
        await Deno.mkdir(`${router.home}/configs/dns`, { recursive: true });
        await Deno.writeTextFile(`${router.home}/configs/dns/upstream_ca.pem`, trusted);
        const own = `${right.cert},${right.key}`;
        const { upstream, queriesOf } = await startUpstreams(
          bed,
          `${FIRST}=${own}`,
          `${SECOND}=${own}`,
          `${FAMILY}=${wrong.cert},${wrong.key}`,
        );
        const ask = (...question: readonly string[]): Promise<Dug> =>
          dig(lab, "a", LAN, ...question);
        const status = async () => (await router.api("GET", "/dns/status")).json;
        await give(router, a!.mac, { Policies: ["dns"] });
        await eventually("TLS is trusted", async () => data(await ask("www.test")) === ANSWER);

        await t.step("connections stay open and carry many queries", async () => {
          const opened = (): number => upstream.output.match(/^opened tls/gm)!.length;
          const before = opened();
          const names = Array.from({ length: 40 }, (_, i) => [`n${i}.many.test`, "A"]).flat();
          const dug = await ask(...names);
          assert.equal(dug.answers.length, 40);
          assert.ok(opened() - before <= 2, `${opened() - before} connections for 40 questions`);
          assert.doesNotMatch(upstream.output, /^query (udp|tcp)/m);
          assert.ok(queriesOf("n7.many.test", "tls") >= 1);
        });

        await t.step("a query on a connection that ends is sent again", async () => {
          assert.equal(data(await ask("+time=20", "hangup.test")), ANSWER);
          await upstream.line(/^hung up$/);
        });

        await t.step("a resolver whose certificate has another name is not used", async () => {
          await give(router, a!.mac, { Policies: ["dns", "dns:family"] });
          await eventually(
            "refused",
            async () => (await ask("+time=20", "family.test")).status === "SERVFAIL",
          );
          assert.equal(queriesOf("family.test"), 0);
          const family = (await status()).upstreams.find(({ name }: { name: string }) =>
            name === "family"
          );
          assert.match(family.resolvers[0].lastError, /certificate|NotValidForName/i);
          await give(router, a!.mac, { Policies: ["dns"] });
        });

        await t.step(
          "when one resolver is down the other responds, and the status shows both",
          async () => {
            const server = data(await ask("server.test"));
            const other = server === FIRST ? SECOND : FIRST;
            const drop = ["-n", lab.space("wan"), "address", "del", `${server}/32`, "dev", "lo"];
            await must("ip", drop);
            for (let i = 0; i < 6; i++) {
              assert.equal(
                data(await ask("+time=20", `gone${i}.test`)),
                ANSWER,
                `question ${i}`,
              );
            }
            assert.equal(data(await ask("+time=20", "server.other.test")), other);
            const { resolvers: two } = (await status()).upstreams[0];
            assert.equal(
              two.find(({ address }: { address: string }) => address === other).state,
              "up",
            );
            assert.ok(
              two.every(({ latency }: { latency: number | null }) =>
                latency === null || latency < 20_000
              ),
            );
          },
        );
      },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
