import assert from "node:assert/strict";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { certificate, data, dig, type Dug } from "../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const [FIRST, SECOND, FAMILY, OWN] = [
  "198.51.100.53",
  "198.51.100.54",
  "198.51.100.55",
  "198.51.100.56",
];
const ANSWER = "198.51.100.80";

/** Settings that ask these resolvers plainly. */
function plain(upstream: readonly string[], family = FAMILY) {
  const provider = (IPAddress: string) => ({ IPAddress, TLSHost: "", DisableTls: true });
  return { UpstreamProviders: upstream.map(provider), FamilyProviders: [provider(family)] };
}

/** Gives the Internet addresses of resolvers. */
async function resolvers({ lab }: Bed, ...args: readonly string[]) {
  for (const argument of args) {
    const address = argument.split("=")[0]!;
    await must("ip", ["-n", lab.space("wan"), "address", "add", `${address}/32`, "dev", "lo"]);
  }
  const upstream = lab.deno("wan", "dns/upstream.ts", args);
  await upstream.line(/^ready$/);
  return {
    upstream,
    /** How often a name was asked for since the start. */
    asked: (name: string, how = ""): number =>
      upstream.output.split("\n").filter((line) =>
        line.startsWith(`asked ${how}`) && line.toLowerCase().endsWith(` ${name}`)
      ).length,
  };
}

Deno.test("devices are answered by names of home, from memory, and by resolvers outside", async (t) => {
  const files = { "base/dns.json": plain([FIRST]) };
  await withBed({ name: "dns", router: { services: "dnsd", files } }, async (bed) => {
    const { lab, router, clients: [a, b, c] } = bed;
    const { upstream, asked } = await resolvers(bed, FIRST, FAMILY, OWN);
    const ask = (...question: readonly string[]): Promise<Dug> => dig(lab, "a", LAN, ...question);
    const status = async () => (await router.api("GET", "/dns/status")).json;
    await give(router, a!.mac, { Policies: ["dns"], Name: "Anna's Laptop" });
    await eventually("dnsd answers", async () => data(await ask("www.test")) === ANSWER);

    await t.step("only who has the policy dns is answered, whatever it asks", async () => {
      assert.equal((await dig(lab, "b", LAN, "+time=1", "www.test")).status, null);
      assert.equal((await dig(lab, "b", LAN, "+time=1", "+tcp", "www.test")).status, null);
      await give(router, b!.mac, { Policies: ["dns"], Name: "printer" });
      assert.equal(data(await dig(lab, "b", LAN, "www.test")), ANSWER);
    });

    await t.step("every resolver that is asked turns out to be ours", async () => {
      for (const server of [LAN, a!.RouterIP, "9.9.9.9", "203.0.113.2", c!.RouterIP]) {
        assert.equal(data(await dig(lab, "a", server, "printer.lan")), b!.IP, server);
        assert.equal(data(await dig(lab, "a", server, "+tcp", "printer.lan")), b!.IP, server);
      }
    });

    await t.step("the uplink is answered by nobody", async () => {
      for (const server of ["203.0.113.2", LAN]) {
        const dug = await dig(lab, "wan", server, "+time=1", "printer.lan");
        assert.equal(dug.status, null, server);
      }
    });

    await t.step(
      "devices have names, with and without their domain, and addresses theirs",
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

    await t.step("a name that people give is known at once, and forgotten at once", async () => {
      const body = { IPAddress: "192.168.2.99" };
      const put = await router.api("PUT", "/dns/hostnames/nas", { body });
      assert.equal(put.status, 200, put.text);
      await eventually("nas is known", async () => data(await ask("nas.lan")) === "192.168.2.99");
      assert.equal(data(await ask("-x", "192.168.2.99")), "nas.lan.");
      assert.equal((await router.api("DELETE", "/dns/hostnames/nas", { body: {} })).status, 204);
      await eventually("nas is gone", async () => data(await ask("nas.lan")) === "NXDOMAIN");
    });

    await t.step("what is of home is never asked outside", async () => {
      const names = ["nobody.lan", "x.localhost", "box.local", "alone", "x.home.arpa"];
      for (const name of names) {
        assert.equal((await ask(name)).answers.length, name === "x.localhost" ? 1 : 0);
      }
      for (const address of ["10.1.2.3", "192.168.77.1", "127.0.0.9", "fd00::1"]) {
        assert.equal((await ask("-x", address)).status, "NXDOMAIN", address);
      }
      assert.doesNotMatch(upstream.output, /\.(lan|local|localhost|arpa)$|alone/im);
    });

    await t.step("an answer is remembered for its time, and a no as well", async () => {
      for (const name of ["ttl100.mem.test", "no.mem.test"]) {
        const first = await ask(name);
        // On a busy machine it may have been asked for twice before an answer came.
        await new Promise((resolve) => setTimeout(resolve, 300));
        const before = asked(name);
        const again = await dig(lab, "b", LAN, name.toUpperCase());
        assert.equal(again.status, first.status);
        assert.equal(asked(name), before, name);
      }
      const [answer] = (await ask("ttl100.mem.test")).answers;
      assert.ok(answer![1] <= 100);
      const tenths = (await status()).counters;
      assert.ok(tenths.cacheHits >= 3);
    });

    await t.step("an answer too large for UDP is cut, and whole over TCP", async () => {
      const cut = await ask("+ignore", "+bufsize=1232", "large.test");
      assert.deepEqual([cut.flags.includes("tc"), cut.answers.length], [true, 0]);
      assert.equal((await ask("large.test")).answers.length, 250);
      assert.ok(asked("large.test", "tcp") >= 1);
    });

    await t.step("a forged answer is not believed", async () => {
      assert.equal(data(await ask("forged.test")), ANSWER);
      assert.equal(data(await ask("othercase.test")), ANSWER);
      assert.equal(data(await ask("broken.test")), ANSWER);
      const cases = upstream.output.match(/asked udp \S+ 1 \S+/g)!;
      assert.ok(cases.some((line) => /[A-Z]/.test(line.slice(11))), "letters in random case");
    });

    await t.step("lost and slow answers are waited for and asked for again", async () => {
      assert.equal(data(await ask("+time=20", "lost.loss.test")), ANSWER);
      assert.ok(asked("lost.loss.test") >= 3);
      assert.equal(data(await ask("+time=20", "slow400.loss.test")), ANSWER);
    });

    await t.step(
      "malformed packets are counted, and nobody is kept from being answered",
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

    await t.step("a name outside that leads home is none", async () => {
      assert.equal((await ask("home.test")).status, "NXDOMAIN");
      const permit = { Type: "permit", Domain: "home.test.", ClientIP: a!.IP };
      const path = "/plugins/dns/block/override/Default";
      assert.equal((await router.api("PUT", path, { body: permit })).status, 200);
      await eventually("it is let through", async () => data(await ask("home.test")) === LAN);
      assert.equal((await dig(lab, "b", LAN, "home.test")).status, "NXDOMAIN");
    });

    await t.step("an override counts at once, also for what is remembered", async () => {
      const path = "/plugins/dns/block/override/Default";
      const block = { Type: "block", Domain: "mem.test.", ClientIP: a!.IP };
      assert.equal((await router.api("PUT", path, { body: block })).status, 200);
      await eventually("blocked", async () => (await ask("ttl100.mem.test")).status === "NXDOMAIN");
      assert.match((await ask("ttl100.mem.test")).text, /EDE: 15/);
      assert.equal(data(await dig(lab, "b", LAN, "ttl100.mem.test")), ANSWER);
      assert.equal((await router.api("DELETE", path, { body: block })).status, 200);
      await eventually("let through", async () => data(await ask("ttl100.mem.test")) === ANSWER);
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

    await t.step("each device has the resolvers that its policy names", async () => {
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
      "other resolvers are asked as soon as they are set, for all that was remembered",
      async () => {
        const put = async (path: string, body: unknown) =>
          assert.equal((await router.api("PUT", path, { body })).status, 200);
        const { json: before } = await router.api("GET", "/dnsSettings");
        await put("/dnsSettings", { ...before, ...plain([OWN]) });
        await eventually("the other", async () => data(await ask("server.test")) === OWN);
        await put("/firewall/systemDnsOverride", FAMILY);
        await eventually("the override", async () => data(await ask("server.test")) === FAMILY);
        await put("/firewall/systemDnsOverride", "");
        await put("/dnsSettings", before);
        await eventually("the first", async () => data(await ask("server.test")) === FIRST);
      },
    );

    await t.step(
      "while the api is away names are answered, and after its start without a gap",
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
        await eventually("the last snapshot", async () => data(await ask("printer.lan")) === b!.IP);
        const starting = control("api/start");
        for (let i = 0; i < 12; i++) {
          assert.equal(data(await ask("+time=20", `ttl1.gap${i}.test`)), ANSWER, `question ${i}`);
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        await starting;
        await eventually("the api hears of it", async () => (await status())?.apiHeard === true);
        assert.doesNotMatch(router.process.output, /Nobody is answered on/);
      },
    );

    await t.step("without resolvers an old answer serves, and it is told so", async () => {
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
      await eventually("fresh again", async () => data(await ask("fresh.stale.test")) === ANSWER);
    });

    await t.step("once our network is taken out, nothing listens any more", async () => {
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

Deno.test("resolvers are asked over TLS alone, certificates are checked, and others take over", async (t) => {
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
        const { upstream, asked } = await resolvers(
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

        await t.step("connections stay open and carry many questions", async () => {
          const opened = (): number => upstream.output.match(/^opened tls/gm)!.length;
          const before = opened();
          const names = Array.from({ length: 40 }, (_, i) => [`n${i}.many.test`, "A"]).flat();
          const dug = await ask(...names);
          assert.equal(dug.answers.length, 40);
          assert.ok(opened() - before <= 2, `${opened() - before} connections for 40 questions`);
          assert.doesNotMatch(upstream.output, /^asked (udp|tcp)/m);
          assert.ok(asked("n7.many.test", "tls") >= 1);
        });

        await t.step("a connection that ends takes no question with it", async () => {
          assert.equal(data(await ask("+time=20", "hangup.test")), ANSWER);
          await upstream.line(/^hung up$/);
        });

        await t.step("a certificate of another name is no resolver", async () => {
          await give(router, a!.mac, { Policies: ["dns", "dns:family"] });
          await eventually(
            "refused",
            async () => (await ask("+time=20", "family.test")).status === "SERVFAIL",
          );
          assert.equal(asked("family.test"), 0);
          const family = (await status()).upstreams.find(({ name }: { name: string }) =>
            name === "family"
          );
          assert.match(family.resolvers[0].lastError, /certificate|NotValidForName/i);
          await give(router, a!.mac, { Policies: ["dns"] });
        });

        await t.step(
          "when one resolver is gone the other answers, and both are shown as they are",
          async () => {
            const server = data(await ask("server.test"));
            const other = server === FIRST ? SECOND : FIRST;
            const drop = ["-n", lab.space("wan"), "address", "del", `${server}/32`, "dev", "lo"];
            await must("ip", drop);
            for (let i = 0; i < 6; i++) {
              assert.equal(data(await ask("+time=20", `gone${i}.test`)), ANSWER, `question ${i}`);
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
