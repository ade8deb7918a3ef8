import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { startUpstreams } from "../../kit/dns/lab_upstreams.ts";
import { must } from "../../kit/lab/command.ts";
import { data, dig, type Dug } from "../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const [FIRST, FAMILY, OWN] = [
  "198.51.100.53",
  "198.51.100.55",
  "198.51.100.56",
];
const ANSWER = "198.51.100.80";

/** Settings that ask these resolvers plainly. */
function plain(upstream: readonly string[], family = FAMILY) {
  const provider = (IPAddress: string) => ({ IPAddress, TLSHost: "", DisableTls: true });
  return { UpstreamProviders: upstream.map(provider), FamilyProviders: [provider(family)] };
}

Deno.test("clients get responses from the local zone, the cache and upstream resolvers", async (t) => {
  const files = { "base/dns.json": plain([FIRST]) };
  await withBed({ name: "dns", router: { services: "dnsd", files } }, async (bed) => {
    const { lab, router, clients: [a, b, c] } = bed;
    const { upstream, queriesOf } = await startUpstreams(bed, FIRST, FAMILY, OWN);
    const ask = (...question: readonly string[]): Promise<Dug> => dig(lab, "a", LAN, ...question);
    const status = async () => (await router.api("GET", "/dns/status")).json;
    await give(router, a!.mac, { Policies: ["dns"], Name: "Anna's Laptop" });
    await eventually("dnsd answers", async () => data(await ask("www.test")) === ANSWER);

    await t.step("only clients with the policy dns get a response", async () => {
      assert.equal((await dig(lab, "b", LAN, "+time=1", "www.test")).status, null);
      assert.equal((await dig(lab, "b", LAN, "+time=1", "+tcp", "www.test")).status, null);
      await give(router, b!.mac, { Policies: ["dns"], Name: "printer" });
      assert.equal(data(await dig(lab, "b", LAN, "www.test")), ANSWER);
    });

    await t.step("queries to any resolver are redirected to the router", async () => {
      for (const server of [LAN, a!.RouterIP, "9.9.9.9", "203.0.113.2", c!.RouterIP]) {
        assert.equal(data(await dig(lab, "a", server, "printer.lan")), b!.IP, server);
        assert.equal(data(await dig(lab, "a", server, "+tcp", "printer.lan")), b!.IP, server);
      }
    });

    await t.step("queries from the uplink get no response", async () => {
      for (const server of ["203.0.113.2", LAN]) {
        const dug = await dig(lab, "wan", server, "+time=1", "printer.lan");
        assert.equal(dug.status, null, server);
      }
    });

    await t.step(
      "device names resolve with and without their domain, and in reverse",
      async () => {
        assert.equal(data(await ask("printer")), b!.IP);
        assert.equal(data(await ask("PRINTER.Lan")), b!.IP);
        assert.equal(data(await ask("annas-laptop.lan")), a!.IP);
        assert.equal(data(await ask("-x", b!.IP)), "printer.lan.");
        assert.equal((await ask("printer.lan", "AAAA")).status, "NOERROR");
        assert.equal((await ask("nobody.lan")).status, "NXDOMAIN");
        assert.equal(data(await ask("localhost")), "127.0.0.1");
      },
    );

    await t.step(
      "a local DNS record resolves as soon as it is created, and no longer once it is deleted",
      async () => {
        const body = { IPAddress: "192.168.2.99" };
        const put = await router.api("PUT", "/dns/hostnames/nas", { body });
        assert.equal(put.status, 200, put.text);
        await eventually(
          "nas is known",
          async () => data(await ask("nas.lan")) === "192.168.2.99",
        );
        assert.equal(data(await ask("-x", "192.168.2.99")), "nas.lan.");
        assert.equal((await router.api("DELETE", "/dns/hostnames/nas", { body: {} })).status, 204);
        await eventually("nas is gone", async () => data(await ask("nas.lan")) === "NXDOMAIN");
      },
    );

    await t.step("local and special-use names never go upstream", async () => {
      const names = ["nobody.lan", "x.localhost", "box.local", "alone", "x.home.arpa"];
      for (const name of names) {
        assert.equal((await ask(name)).answers.length, name === "x.localhost" ? 1 : 0);
      }
      for (const address of ["10.1.2.3", "192.168.77.1", "127.0.0.9", "fd00::1"]) {
        assert.equal((await ask("-x", address)).status, "NXDOMAIN", address);
      }
      assert.doesNotMatch(upstream.output, /\.(lan|local|localhost|arpa)$|alone/im);
    });

    await t.step("positive and negative responses are cached for their TTL", async () => {
      for (const name of ["ttl100.mem.test", "no.mem.test"]) {
        const first = await ask(name);
        // On a busy machine it may have been queried twice before an answer came.
        await new Promise((resolve) => setTimeout(resolve, 300));
        const before = queriesOf(name);
        const again = await dig(lab, "b", LAN, name.toUpperCase());
        assert.equal(again.status, first.status);
        assert.equal(queriesOf(name), before, name);
      }
      const [answer] = (await ask("ttl100.mem.test")).answers;
      assert.ok(answer![1] <= 100);
      const tenths = (await status()).counters;
      assert.ok(tenths.cacheHits >= 3);
    });

    await t.step("a response too large for UDP is truncated, and complete over TCP", async () => {
      const cut = await ask("+ignore", "+bufsize=1232", "large.test");
      assert.deepEqual([cut.flags.includes("tc"), cut.answers.length], [true, 0]);
      assert.equal((await ask("large.test")).answers.length, 250);
      assert.ok(queriesOf("large.test", "tcp") >= 1);
    });

    await t.step("a forged response is ignored", async () => {
      assert.equal(data(await ask("forged.test")), ANSWER);
      assert.equal(data(await ask("othercase.test")), ANSWER);
      assert.equal(data(await ask("broken.test")), ANSWER);
      const cases = upstream.output.match(/query udp \S+ 1 \S+/g)!;
      assert.ok(cases.some((line) => /[A-Z]/.test(line.slice(11))), "letters in random case");
    });

    await t.step("lost queries are retried, and slow responses awaited", async () => {
      assert.equal(data(await ask("+time=20", "lost.loss.test")), ANSWER);
      assert.ok(queriesOf("lost.loss.test") >= 3);
      assert.equal(data(await ask("+time=20", "slow400.loss.test")), ANSWER);
    });

    await t.step(
      "malformed packets are counted, and other queries still answered",
      async () => {
        const before = (await status()).counters;
        const head = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        const packets = [
          [1, 2, 3],
          [...head.with(2, 0x81), 1, 97, 0, 0, 1, 0, 1],
          [...head, 0xc0, 12, 0, 1, 0, 1],
          [...head, 63, 97],
          [...head.with(4, 255).with(5, 255), 1, 97, 0, 0, 1, 0, 1],
          [...head.with(10, 255), 1, 97, 0, 0, 1, 0, 1],
          [...head.with(2, 0x28), 1, 97, 0, 0, 1, 0, 1],
          Array<number>(1400).fill(0xff),
        ];
        for (const packet of packets) {
          const text = packet.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
          const length = [packet.length >> 8, packet.length & 255]
            .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
          await lab.exec("a", "sh", ["-c", `printf '${text}' | socat -u - UDP4:${LAN}:53`]);
          await lab.exec("a", "sh", [
            "-c",
            `printf '${length}${text}' | socat -t1 - TCP4:${LAN}:53`,
          ]);
        }
        await eventually("they are counted", async () => {
          const { dropped, malformed } = (await status()).counters;
          return dropped - before.dropped >= 4 && malformed - before.malformed >= 8;
        });
        assert.equal(data(await ask("printer.lan")), b!.IP);
        assert.equal(data(await ask("+tcp", "printer.lan")), b!.IP);
      },
    );

    await t.step("a public name with a private address is NXDOMAIN (DNS rebinding)", async () => {
      assert.equal((await ask("home.test")).status, "NXDOMAIN");
      const permit = { Type: "permit", Domain: "home.test.", ClientIP: a!.IP };
      const path = "/plugins/dns/block/override/Default";
      assert.equal((await router.api("PUT", path, { body: permit })).status, 200);
      await eventually("it is let through", async () => data(await ask("home.test")) === LAN);
      assert.equal((await dig(lab, "b", LAN, "home.test")).status, "NXDOMAIN");
    });

    await t.step("an override applies at once, also to cached names", async () => {
      const path = "/plugins/dns/block/override/Default";
      const block = { Type: "block", Domain: "mem.test.", ClientIP: a!.IP };
      assert.equal((await router.api("PUT", path, { body: block })).status, 200);
      await eventually("blocked", async () => (await ask("ttl100.mem.test")).status === "NXDOMAIN");
      assert.match((await ask("ttl100.mem.test")).text, /EDE: 15/);
      assert.equal(data(await dig(lab, "b", LAN, "ttl100.mem.test")), ANSWER);
      assert.equal((await router.api("DELETE", path, { body: block })).status, 200);
      await eventually(
        "let through",
        async () => data(await ask("ttl100.mem.test")) === ANSWER,
      );
      const other = {
        Type: "permit",
        Domain: "old.test.",
        ResultCNAME: "alias.test.",
        ClientIP: "*",
      };
      assert.equal((await router.api("PUT", path, { body: other })).status, 200);
      await eventually("another name", async () => data(await ask("old.test")) === ANSWER);
      assert.deepEqual((await ask("old.test")).answers[0]?.slice(2), ["CNAME", "alias.test."]);
    });

    await t.step("each client uses the upstream resolvers of its policies", async () => {
      assert.equal(data(await ask("server.test")), FIRST);
      await give(router, a!.mac, { Policies: ["dns", "dns:family"] });
      await eventually("family", async () => data(await ask("server.test")) === FAMILY);
      await give(router, a!.mac, { Policies: ["dns"], DNSCustom: OWN });
      await eventually("its own", async () => data(await ask("server.test")) === OWN);
      assert.equal(data(await dig(lab, "b", LAN, "server.test")), FIRST);
      await give(router, a!.mac, { Policies: ["dns", "quarantine"] });
      await eventually("quarantine", async () => (await ask("www.test")).status === "NXDOMAIN");
      const host = "/plugins/dns/block/quarantineHost";
      assert.equal((await router.api("PUT", host, { body: "192.168.2.9" })).status, 200);
      await eventually("the host", async () => data(await ask("www.test")) === "192.168.2.9");
      await give(router, a!.mac, { Policies: ["dns"], DNSCustom: "0" });
      await eventually("everyone's", async () => data(await ask("server.test")) === FIRST);
    });

    await t.step(
      "changed upstream resolvers are used at once, also for cached names",
      async () => {
        const put = async (path: string, body: unknown) =>
          assert.equal((await router.api("PUT", path, { body })).status, 200);
        const { json: before } = await router.api("GET", "/dnsSettings");
        await put("/dnsSettings", { ...before, ...plain([OWN]) });
        await eventually("the other", async () => data(await ask("server.test")) === OWN);
        await put("/firewall/systemDnsOverride", FAMILY);
        await eventually(
          "the override",
          async () => data(await ask("server.test")) === FAMILY,
        );
        await put("/firewall/systemDnsOverride", "");
        await put("/dnsSettings", before);
        await eventually("the first", async () => data(await ask("server.test")) === FIRST);
      },
    );

    await t.step(
      "queries are answered while the api is down, and without a gap when it starts",
      async () => {
        const launcher = `${router.home}/state/launcher/control.sock`;
        const control = (what: string) =>
          must("curl", [
            "-sS",
            "-f",
            "-X",
            "POST",
            "--unix-socket",
            launcher,
            `http://127.0.0.1/processes/${what}`,
          ]);
        await control("api/stop");
        assert.equal(data(await ask("printer.lan")), b!.IP);
        assert.equal(data(await ask("ttl1.away.test")), ANSWER);
        await control("dnsd/restart");
        await eventually(
          "the last snapshot",
          async () => data(await ask("printer.lan")) === b!.IP,
        );
        const starting = control("api/start");
        for (let i = 0; i < 12; i++) {
          assert.equal(
            data(await ask("+time=20", `ttl1.gap${i}.test`)),
            ANSWER,
            `question ${i}`,
          );
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        await starting;
        await eventually(
          "the api hears of it",
          async () => (await status())?.apiConnected === true,
        );
        assert.doesNotMatch(router.process.output, /Stopped listening on/);
      },
    );

    await t.step(
      "while no upstream resolver responds a stale answer is served, with its extended error",
      async () => {
        assert.equal(data(await ask("ttl1.stale.test")), ANSWER);
        upstream.kill("SIGUSR1");
        await upstream.line(/^silent$/);
        await new Promise((resolve) => setTimeout(resolve, 1100));
        const old = await ask("+time=20", "ttl1.stale.test");
        assert.deepEqual([data(old), old.answers[0]?.[1]], [ANSWER, 30]);
        assert.match(old.text, /EDE: 3/);
        const nothing = await ask("+time=20", "new.stale.test");
        assert.equal(nothing.status, "SERVFAIL");
        upstream.kill("SIGUSR2");
        await upstream.line(/^speaking$/);
        await eventually(
          "fresh again",
          async () => data(await ask("fresh.stale.test")) === ANSWER,
        );
      },
    );

    await t.step("once the network is released, nothing listens on port 53", async () => {
      const socket = `${router.home}/state/console/api.sock`;
      const put = (path: string) =>
        must("curl", [
          "-sS",
          "-f",
          "-X",
          "PUT",
          "--unix-socket",
          socket,
          `http://127.0.0.1${path}`,
        ]);
      const listening = () => lab.must("router", "ss", ["-Hlntu", "sport", "=", "53"]);
      assert.match(await listening(), /192\.168\.2\.1:53/);
      assert.doesNotMatch(await listening(), /0\.0\.0\.0:53|\*:53|203\.0\.113/);
      await put("/network/release");
      await eventually("nothing listens", async () => (await listening()).trim() === "");
      await put("/network/apply");
      await eventually("answers again", async () => data(await ask("printer.lan")) === b!.IP);
    });
  });
});
