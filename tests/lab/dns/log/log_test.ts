import assert from "node:assert/strict";
import { must } from "../../../kit/lab/command.ts";
import { eventually, give, withBed } from "../../../kit/lab/bed.ts";
import { data, dig } from "../../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const LOG = "/plugins/dns/log";

interface Entry {
  readonly Q: readonly { readonly Name: string }[];
  readonly Type: string;
  readonly FirstAnswer: string;
  readonly Remote: string;
  readonly verdict: string;
  readonly by: string;
  readonly identity: string;
}

Deno.test("queries are logged, published live, filtered for privacy and deleted with their device", async (t) => {
  await withBed({ name: "dnslog", router: { services: "dnsd" } }, async (bed) => {
    const { lab, router, clients: [a, b] } = bed;
    const ask = (name: string, part = "a") => dig(lab, part, LAN, name);
    const put = async (path: string, body: unknown): Promise<void> => {
      const answer = await router.api("PUT", path, { body });
      assert.ok(answer.status < 300, answer.text);
    };
    const history = async (address: string): Promise<readonly Entry[]> =>
      (await router.api("GET", `${LOG}/history/${address}`)).json;
    const names = async (address: string) => (await history(address)).map(({ Q }) => Q[0]!.Name);
    await give(router, a!.mac, { Policies: ["dns"], Name: "tablet" });
    await give(router, b!.mac, { Policies: ["dns"], Name: "printer" });
    await put("/plugins/dns/block/override/Default", { Type: "block", Domain: "ads.test." });
    await eventually("dnsd answers", async () => data(await ask("printer.lan")) === b!.IP);
    await eventually("blocked", async () => (await ask("x.ads.test")).status === "NXDOMAIN");

    await t.step("an entry has the client, the query, the response and the rule", async () => {
      const entries = await history(a!.IP);
      const home = entries.find(({ Q }) => Q[0]!.Name === "printer.lan.")!;
      assert.deepEqual(
        [home.Type, home.FirstAnswer, home.verdict, home.identity],
        ["NOERROR", b!.IP, "local", a!.mac],
      );
      assert.ok(home.Remote.startsWith(`${a!.IP}:`));
      const blocked = entries.find(({ Q }) => Q[0]!.Name === "x.ads.test.")!;
      assert.deepEqual([blocked.Type, blocked.verdict], ["BLOCKED", "block"]);
      assert.match(blocked.by, /ads\.test/);
    });

    await t.step("events reach other programs through the event bus socket", async () => {
      const socket = `${router.home}/state/api/eventbus.sock`;
      using bus = await Deno.connect({ transport: "unix", path: socket });
      await bus.write(new TextEncoder().encode('{"topic":"subscribe:dns:","value":""}\n'));
      const received = (async () => {
        let text = "";
        const decoder = new TextDecoder(), bytes = new Uint8Array(65_536);
        while (!text.includes("dns:block:event") || !text.includes(`dns:serve:${a!.IP}`)) {
          const size = await bus.read(bytes);
          assert.notEqual(size, null, `the socket closed: ${text}`);
          text += decoder.decode(bytes.subarray(0, size!));
        }
        return text;
      })();
      // A subscription holds from a moment later on.
      const asking = setInterval(() => void ask("y.ads.test"), 500);
      const text = await received.finally(() => clearInterval(asking));
      const line = text.split("\n").find((one) => one.includes("dns:block:event"))!;
      assert.deepEqual(JSON.parse(JSON.parse(line).value), {
        ClientIP: a!.IP,
        Name: "y.ads.test.",
      });
    });

    await t.step(
      "queries of a private device and for an ignored domain are not logged",
      async () => {
        await put(`${LOG}/host_privacy_list`, [b!.IP]);
        await put(`${LOG}/domain_ignore/secret.lan.`, {});
        // Settings reach the resolver a moment later, so names count up until one leaves no trace.
        let last = 0;
        await eventually("the device is hidden", async () => {
          await ask(`probe${++last}.lan`, "b");
          return !(await names(b!.IP)).includes(`probe${last}.lan.`);
        });
        const before = await names(b!.IP);
        await ask("printer.lan", "b");
        await ask("Secret.LAN");
        await ask("seen.lan");
        const seen = await names(a!.IP);
        assert.ok(seen.includes("seen.lan."));
        assert.ok(!seen.some((name) => name.toLowerCase() === "secret.lan."));
        assert.deepEqual(await names(b!.IP), before);
      },
    );

    await t.step("logged queries survive a restart of the resolver", async () => {
      const before = await names(a!.IP);
      const started = async () => (await router.api("GET", "/dns/status")).json?.started ?? 0;
      const first = await started();
      const control = `${router.home}/state/launcher/control.sock`;
      const url = "http://127.0.0.1/processes/dnsd/restart";
      await must("curl", ["-sS", "-f", "-X", "POST", "--unix-socket", control, url]);
      await eventually("another runs", async () => await started() > first);
      await eventually("it is there again", async () => {
        const answer = await router.api("GET", `${LOG}/history/${a!.IP}`);
        return answer.status === 200 && answer.json.length >= before.length;
      });
      const { counts } = (await router.api("GET", `${LOG}/status`)).json;
      assert.ok(counts.block >= 1 && counts.local >= 1);
    });

    await t.step(
      "a deleted device's queries and privacy setting are deleted with it",
      async () => {
        assert.ok((await history(a!.IP)).length > 0);
        assert.equal((await router.api("DELETE", `/device?identity=${a!.mac}`)).status, 200);
        assert.equal((await router.api("DELETE", `/device?identity=${b!.mac}`)).status, 200);
        await eventually("forgotten", async () => (await history(a!.IP)).length === 0);
        assert.deepEqual((await router.api("GET", `${LOG}/host_privacy_list`)).json, []);
      },
    );
  });
});
