import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { pidsOf } from "../../kit/lab/pids.ts";

const LAN = "192.168.2.1";
const RESOLVER = "198.51.100.53";
const BLOCK = "/plugins/dns/block";
/**
 * Milliseconds for which a device may get no answer while another list takes force, on a machine that
 * does much else: a resolver that built the list itself would be silent for several times as long.
 */
const PAUSE = 1500;

interface Watched {
  readonly worst: number;
  readonly names: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

Deno.test("queries are answered while lists of a million domains load, and rules survive any crash", async (t) => {
  const provider = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
  const files = { "base/dns.json": { UpstreamProviders: [provider] } };
  const options = { name: "dnsbrk", leases: 2, router: { services: "dnsd", files } };
  await withBed(options, async ({ lab, router, clients: [a, b] }) => {
    const wan = ["-n", lab.space("wan")];
    await must("ip", [...wan, "address", "add", `${RESOLVER}/32`, "dev", "lo"]);
    await lab.deno("wan", "dns/upstream.ts", [RESOLVER]).line(/^ready$/);
    const ask = async (name: string) => data(await dig(lab, "a", LAN, name));
    const put = (path: string, body: unknown) => router.api("PUT", `${BLOCK}${path}`, { body });
    const applied = async (): Promise<boolean> =>
      (await router.api("GET", "/network").catch(() => null))?.json?.state === "applied";
    /** Kills a process and lets it begin anew at once, without the pause of one that ends again and again. */
    const killed = async (name: string): Promise<void> => {
      for (const pid of await pidsOf(lab, name)) Deno.kill(pid, "SIGKILL");
      await must("curl", [
        ...["-sS", "-f", "-X", "POST", "--unix-socket"],
        `${router.home}/state/launcher/control.sock`,
        `http://127.0.0.1/processes/${name}/restart`,
      ]);
    };
    await give(router, a!.mac, { Policies: ["dns"], Name: "tablet" });
    await give(router, b!.mac, { Policies: ["dns"], Name: "printer" });
    await eventually("dnsd answers", async () => await ask("printer.lan") === b!.IP);
    assert.equal((await put("/upload/small", { Text: "ads.test\n" })).status, 200);
    await eventually("a list is in force", async () => await ask("ads.test") === "NXDOMAIN");

    await t.step(
      "a million domains become active under query load, and no list lapses",
      async () => {
        const watch = lab.deno("a", "dns/watch_names.ts", [LAN, "printer.lan", "ads.test"]);
        await watch.line(/^ready$/);
        for (const turn of [1, 2]) {
          const names = Array.from({ length: 1_000_000 }, (_, nth) => `n${nth}.t${turn}.example`);
          const { status, text } = await put("/upload/large", { Text: names.join("\n") });
          assert.equal(status, 200, text);
          await eventually(
            "it is in force",
            async () => await ask(`n999999.t${turn}.example`) === "NXDOMAIN",
          );
        }
        await watch.stop();
        const { worst, names } = JSON.parse(await watch.line(/^\{/)) as Watched;
        assert.deepEqual(Object.keys(names["printer.lan"]!), ["NOERROR"]);
        assert.deepEqual(Object.keys(names["ads.test"]!), ["NXDOMAIN"]);
        assert.ok(worst < PAUSE, `${worst} ms without an answer`);
      },
    );

    await t.step(
      "dnsd killed at any moment of a list swap has the last active list",
      async () => {
        for (let turn = 0; turn < 5; turn++) {
          const answer = put("/upload/small", { Text: `ads.test\nturn${turn}.test\n` });
          await new Promise((resolve) => setTimeout(resolve, 40 * turn));
          await killed("dnsd");
          const { status, text } = await answer;
          assert.equal(status, 200, text);
          await eventually(
            `turn ${turn}`,
            async () => await ask(`turn${turn}.test`) === "NXDOMAIN",
          );
          assert.equal(await ask("ads.test"), "NXDOMAIN");
          assert.notEqual(await ask(`turn${turn - 1}.test`), "NXDOMAIN", "the list before is gone");
        }
      },
    );

    await t.step("a committed override survives a crash of both api and dnsd", async () => {
      for (const [turn, name] of ["dnsd", "api", "dnsd", "api"].entries()) {
        const body = { Type: "block", Domain: `o${turn}.test`, ResultIP: "192.168.2.99" };
        const answer = put("/override", body).catch(() => null);
        await new Promise((resolve) => setTimeout(resolve, 15 * turn));
        await killed(name);
        const was = await answer;
        await eventually("the network is applied", applied);
        if (was?.status !== 200) assert.equal((await put("/override", body)).status, 200);
        await eventually(
          `turn ${turn}`,
          async () => await ask(`o${turn}.test`) === "192.168.2.99",
        );
      }
      const { json } = await router.api("GET", `${BLOCK}/config`);
      assert.equal(json.OverrideLists[0].BlockDomains.length, 4);
    });

    await t.step(
      "while the api is stopped, and after a restart of dnsd, block rules still apply",
      async () => {
        const [api] = await pidsOf(lab, "api");
        Deno.kill(api!, "SIGSTOP");
        try {
          for (const again of [false, true]) {
            if (again) {
              await killed("dnsd");
              await eventually("dnsd is back", async () => await ask("printer.lan") === b!.IP);
            }
            assert.equal(await ask("o3.test"), "192.168.2.99");
            assert.equal(await ask("ads.test"), "NXDOMAIN");
            assert.equal(await ask("n1.t2.example"), "NXDOMAIN");
          }
        } finally {
          Deno.kill(api!, "SIGCONT");
        }
        assert.equal((await put("/override", { Type: "permit", Domain: "ads.test" })).status, 200);
        await eventually("it follows again", async () => await ask("ads.test") !== "NXDOMAIN");
      },
    );
  });
});
