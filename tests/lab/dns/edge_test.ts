import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import type { FuzzReport } from "../../kit/dns/fuzzer.ts";
import { certificate, data, dig } from "../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const RESOLVER = "198.51.100.53";
/** What the resolver of the lab answers for every name. */
const ANSWER = "198.51.100.80";
const OVERRIDE = "/plugins/dns/block/override/Default";

Deno.test("unusual clients, wrong clocks and temporary overrides get correct responses", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-names-" });
  try {
    const provider = { IPAddress: RESOLVER, TLSHost: "resolver.test", DisableTls: false };
    const files = { "base/dns.json": { UpstreamProviders: [provider] } };
    const soon = `${new Date().getUTCFullYear() + 5}0101000000Z`;
    const late = await certificate(folder, "resolver.test", soon);
    await withBed({ name: "dnsedge", router: { services: "dnsd", files } }, async (bed) => {
      const { lab, router, clients: [a, b] } = bed;
      await Deno.mkdir(`${router.home}/configs/dns`, { recursive: true });
      await Deno.copyFile(late.ca, `${router.home}/configs/dns/upstream_ca.pem`);
      await must("ip", ["-n", lab.space("wan"), "address", "add", `${RESOLVER}/32`, "dev", "lo"]);
      const args = [RESOLVER, `${RESOLVER}=${late.cert},${late.key}`];
      const upstream = lab.deno("wan", "dns/upstream.ts", args);
      await upstream.line(/^ready$/);
      const ask = (...question: readonly string[]) => dig(lab, "a", LAN, ...question);
      const status = async () => (await router.api("GET", "/dns/status")).json;
      await give(router, a!.mac, { Policies: ["dns"], Name: "tablet" });
      await give(router, b!.mac, { Policies: ["dns"], Name: "laptop" });
      await eventually("dnsd answers", async () => data(await ask("tablet.lan")) === a!.IP);

      await t.step(
        "a router whose clock is behind resolves time servers, and nothing else",
        async () => {
          const doubts = async () => (await status()).upstreams[0].clockUntrusted;
          await eventually("it doubts", async () => {
            assert.equal((await ask("+time=20", "www.test")).status, "SERVFAIL");
            return await doubts();
          });
          assert.equal(data(await ask("+time=20", "0.debian.pool.ntp.org")), ANSWER);
          assert.match(upstream.output, /^query udp \S+ 1 0\.debian\.pool\.ntp\.org$/im);
          const own = await dig(lab, "router", LAN, "+time=20", "1.debian.pool.ntp.org");
          assert.equal(data(own), ANSWER, "the router's own programs ask as well");
          assert.doesNotMatch(upstream.output, /^query .*www\.test$/im);
          const [{ resolvers }] = (await status()).upstreams;
          assert.match(resolvers[0].lastError, /not valid yet/);
          const plain = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
          const body = {
            ...{ UpstreamTLSHost: "", UpstreamIPAddress: RESOLVER, TlsDisable: true },
            UpstreamProviders: [plain],
          };
          assert.equal((await router.api("PUT", "/dnsSettings", { body })).status, 200);
          await eventually("all is queried", async () => data(await ask("www.test")) === ANSWER);
          assert.equal(await doubts(), false);
        },
      );

      await t.step(
        "dig, kdig and drill get a response to every kind of query",
        async () => {
          const run = async (tool: string, args: string, text: RegExp): Promise<void> => {
            const all = [`@${LAN}`, ...args.split(" ")];
            const { stdout, stderr } = await lab.exec("a", tool, all);
            assert.match(stdout, text, `${tool} ${args}: ${stdout}${stderr}`);
            const wrong = /malformed|mismatch|warning|extra/im;
            assert.doesNotMatch(stdout + stderr, wrong, `${tool} ${args}: ${stdout}${stderr}`);
          };
          const good = /198\.51\.100\.80/;
          const once = "+tries=1 +time=20";
          for (
            const form of [
              ...["+noedns", "+bufsize=0", "+bufsize=512", "+bufsize=65535", "+nsid", "+cookie"],
              ...[
                "+cookie=0102030405060708",
                "+dnssec",
                "+cdflag",
                "+adflag",
                "+zflag",
                "+keepalive",
              ],
              ...["+padding=128", "+subnet=192.0.2.0/24", "+ednsopt=65001:0102", "+ednsflags=0x40"],
              ...["+tcp", "+tcp +keepopen", "+tcp +padding=128", "+expire"],
            ]
          ) await run("dig", `${once} ${form} www.test`, good);
          await run("dig", `${once} +noedns large.test`, /ANSWER: 250/);
          await run("dig", `${once} +ignore +bufsize=512 large.test`, /flags: qr tc/);
          await run("dig", `${once} +edns=1 +noednsneg www.test`, /BADVERS/);
          await run("dig", `${once} +noedns +opcode=NOTIFY www.test`, /NOTIMP/);
          await run("dig", `${once} +noedns +opcode=UPDATE www.test`, /NOTIMP/);
          await run("dig", `${once} +noedns +opcode=15 www.test`, /NOTIMP/);
          await run("dig", `${once} ANY www.test`, /RFC8482/);
          await run("dig", `${once} CH TXT version.bind`, /REFUSED/);
          await run("dig", `${once} +norec never.queried.test`, /REFUSED/);
          await run("dig", `${once} TYPE65280 www.test`, /NOERROR/);
          await run("dig", `${once} +tcp AXFR test`, /Transfer failed|REFUSED/);
          for (
            const form of [
              ...[
                "+noedns",
                "+bufsize=512",
                "+bufsize=65535",
                "+nsid",
                "+cookie",
                "+dnssec",
                "+tcp",
              ],
              ...["+padding=64", "+tcp +keepopen", "+ednsopt=65001:0102", "+subnet=192.0.2.0/24"],
            ]
          ) await run("kdig", `+retry=0 +time=20 ${form} www.test`, good);
          await run("kdig", "+retry=0 +time=20 +edns=1 www.test", /BADVERS/);
          for (const form of ["", "-t ", "-D ", "-b 512 ", "-o CD ", "-o rd "]) {
            await run("drill", `${form}tablet.lan`, new RegExp(a!.IP.replaceAll(".", "\\.")));
          }
          await run("drill", `-x ${a!.IP}`, /tablet\.lan/);
          const names = Array.from({ length: 60 }, (_, i) => `p${i}.test`);
          const many = await lab.must("a", "kdig", [`@${LAN}`, "+tcp", "+keepopen", ...names]);
          assert.equal(many.match(/198\.51\.100\.80/g)?.length, 60);
        },
      );

      await t.step(
        "among thousands of malformed queries, valid ones are answered, also of other clients",
        async () => {
          const control = `${router.home}/state/launcher/control.sock`;
          const list = JSON.parse(
            await must("curl", ["-sS", "--unix-socket", control, "http://127.0.0.1/processes"]),
          );
          const { pid } = list.find(({ name }: { name: string }) => name === "dnsd");
          const memory = async () =>
            Number(/VmRSS:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/${pid}/status`))![1]) /
            1024;
          const before = { ...await status(), memory: await memory() };
          const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
          const run = async (script: string, count: number): Promise<FuzzReport> => {
            const path = `${import.meta.dirname}/../../kit/programs/${script}`;
            const args = ["run", "-q", "-A", path, LAN, String(count), String(seed)];
            return JSON.parse(await lab.must("a", Deno.execPath(), args));
          };
          const fuzzing = Promise.all([
            run("dns/fuzz.ts", 4000),
            run("dns/pipeline.ts", 300),
          ]);
          let others = 0, over = false;
          fuzzing.finally(() => over = true).catch(() => {});
          while (!over) {
            assert.equal(data(await dig(lab, "b", LAN, "tablet.lan")), a!.IP);
            assert.equal(data(await dig(lab, "b", LAN, `b${others++}.test`)), ANSWER);
          }
          const [packets, stream] = await fuzzing;
          assert.deepEqual([packets.faults, stream.faults], [[], []], `seed ${seed}`);
          assert.ok(packets.sent >= 3900 && packets.answered > 2000, JSON.stringify(packets));
          assert.equal(stream.answered, 300);
          assert.ok(others >= 3, `${others} questions of others`);
          const after = await status();
          assert.equal(after.started, before.started, "it is the same process");
          assert.ok(after.counters.malformed > before.counters.malformed);
          const grown = await memory() - before.memory;
          assert.ok(grown < 150, `${Math.round(grown)} MiB more`);
        },
      );

      await t.step(
        "overrides for two clients exist side by side, and expire at their second",
        async () => {
          const put = async (body: Readonly<Record<string, unknown>>) =>
            assert.equal((await router.api("PUT", OVERRIDE, { body })).status, 200);
          const of = (part: string, name: string) => dig(lab, part, LAN, name);
          const permit = { Type: "permit", Domain: "Both.test" };
          await put({ ...permit, ClientIP: a!.IP, ResultIP: "192.168.2.98" });
          const start = Date.now();
          await put({ ...permit, ClientIP: b!.IP, ResultIP: "192.168.2.99", Expiration: 4 });
          const taken = Date.now();
          await eventually(
            "for a",
            async () => data(await of("a", "both.test")) === "192.168.2.98",
          );
          for (const name of ["both.test.", "below.BOTH.test", "both.test"]) {
            for (let isOver = false; !isOver;) {
              const now = Date.now();
              const answer = data(await of("b", name));
              // The end is a whole second of the clock, up to one before what was counted here.
              if (answer === "192.168.2.99") {
                assert.ok(now < taken + 5000, `${name} holds too long`);
              } else assert.deepEqual([answer, Date.now() > start + 3000], [ANSWER, true], name);
              isOver = answer === ANSWER || name !== "both.test";
            }
          }
          assert.equal(
            data(await of("a", "both.test")),
            "192.168.2.98",
            "the other one stands",
          );
          const gone = { ...permit, ClientIP: a!.IP };
          assert.equal((await router.api("DELETE", OVERRIDE, { body: gone })).status, 200);
          await eventually("gone", async () => data(await of("a", "both.test")) === ANSWER);
        },
      );

      await t.step(
        "an override of an internationalized domain name applies to its ASCII form",
        async () => {
          const body = { Type: "block", Domain: "Bücher.test", ClientIP: "*" };
          assert.equal((await router.api("PUT", OVERRIDE, { body })).status, 200);
          const blocked = async (name: string) => (await ask(name)).status === "NXDOMAIN";
          await eventually("blocked", () => blocked("xn--bcher-kva.test"));
          assert.ok(await blocked("XN--BCHER-KVA.test."));
          assert.equal(data(await ask("bucher.test")), ANSWER);
          const dotted = { ...body, Domain: "xn--bcher-kva.test." };
          assert.equal((await router.api("DELETE", OVERRIDE, { body: dotted })).status, 200);
          await eventually("let through", async () => !await blocked("xn--bcher-kva.test"));
        },
      );

      await t.step("an override of a CNAME target applies to its clients only", async () => {
        const body = {
          Type: "permit",
          Domain: "far.test",
          ResultIP: "192.168.2.97",
          ClientIP: a!.IP,
        };
        assert.equal(data(await ask("alias.test")), ANSWER);
        assert.equal((await router.api("PUT", OVERRIDE, { body })).status, 200);
        await eventually(
          "there",
          async () => data(await ask("alias.test")) === "192.168.2.97",
        );
        assert.equal(data(await dig(lab, "b", LAN, "alias.test")), ANSWER);
        const path = `/plugins/dns/block/explain?name=alias.test&client=${a!.IP}`;
        const why = (await router.api("GET", path)).json;
        assert.deepEqual([why.verdict, why.answer], ["rewrite", "192.168.2.97"]);
        assert.match(
          why.reason,
          /^It is an alias of far\.test\. An override rewrites far\.test to/,
        );
      });
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
